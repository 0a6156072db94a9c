// Counts of the flows that leave through one output: words, packets, forwarding time, occupancy of the crosspoints. All
// in the clock of the output.
//
// The counts are rows of one block memory, {item, input}: 0 words, 1 packets, 2 last forwarding time, 3 {longest,
// shortest}, 4 highest occupancy. When a packet starts to leave, its rows are read, changed and written one by one, in
// 6 clocks; packets start at least 7 clocks apart. A drained one only uses row 4 and takes 2 clocks; they come at least
// 5 apart. One event may wait for the one before it. The memory cannot be cleared: inputs in `fresh_*` count as
// cleared.
//
// A crosspoint gets emptier only by a packet that leaves it. So its occupancy when a packet starts to leave, or now, is
// the highest since the last such moment (except for the word or two that the clocks' difference adds while it leaves).
`default_nettype none
module monitor_flows #(
    // inputs of the switch, 2..16
    parameter INPUTS = 8,
    // added to every forwarding time, 0..255
    parameter FORWARDING_OFFSET = 0,
    // bit i: input i is on clk_b; and whether this output is (1) or not (0)
    parameter DOMAIN = 0,
    parameter SIDE = 0,
    // added to the forwarding times of inputs in the other clock, 0..255
    parameter CROSSING_CLOCKS = 0
) (
    input  wire                      clk,
    input  wire                      rst,
    input  wire                      clear,       // everything counts as 0 from the next clock on

    // crosspoints and output port
    input  wire [INPUTS-1:0]         arrived,
    input  wire [INPUTS*10-1:0]      occupancy,
    input  wire                      out_start,
    input  wire                      out_drained,
    input  wire [$clog2(INPUTS)-1:0] out_input,
    input  wire [9:0]                out_units,

    // a read: `rd_done` with the value some clocks after `rd_start`; the address is held until then
    input  wire                      rd_start,
    input  wire [6:0]                rd_row,      // {item, input}
    output reg                       rd_done,
    output reg  [31:0]               rd_data
);
    localparam LOG2_INPUTS = $clog2(INPUTS);
    localparam [2:0] WORDS   = 3'd0;
    localparam [2:0] PACKETS = 3'd1;
    localparam [2:0] LAST    = 3'd2;
    localparam [2:0] RANGE   = 3'd3;
    localparam [2:0] MOST    = 3'd4;
    localparam [2:0] END     = 3'd5;
    localparam [31:0] NO_RANGE = 32'h0000_FFFF;

    wire        ev = out_start || out_drained;
    wire        measured;
    wire [15:0] clocks;

    forwarding_timer #(
        .INPUTS(INPUTS), .OFFSET(FORWARDING_OFFSET), .DOMAIN(DOMAIN), .SIDE(SIDE), .CROSSING_CLOCKS(CROSSING_CLOCKS)
    ) timer (
        .clk (clk), .rst (rst), .arrived (arrived), .left (ev), .left_input (out_input), .measured (measured),
        .clocks (clocks)
    );

    // ---- occupancy of the input that an event, else a read asks for
    wire [LOG2_INPUTS-1:0] asked = ev ? out_input : rd_row[LOG2_INPUTS-1:0];
    wire [9:0]             inside = occupancy[10*asked +: 10];

    // ---- the event that waits
    reg                    waits;
    reg                    wait_drained, wait_measured;
    reg  [LOG2_INPUTS-1:0] wait_input;
    reg  [9:0]             wait_units, wait_inside;
    reg  [15:0]            wait_clocks;

    always @(posedge clk)
        if (ev) begin
            wait_drained  <= out_drained;
            wait_measured <= measured && out_start;
            wait_input    <= out_input;
            wait_units    <= out_units;
            wait_inside   <= inside;
            wait_clocks   <= clocks;
        end

    // ---- the event whose rows are being changed: `step` is read, the one before it is written
    reg                    busy;
    reg  [2:0]             step;
    reg                    job_drained, job_measured, job_fresh;
    reg  [LOG2_INPUTS-1:0] job_input;
    reg  [9:0]             job_units, job_inside;
    reg  [15:0]            job_clocks;
    reg  [INPUTS-1:0]      fresh_counts;          // of rows 0 to 3
    reg  [INPUTS-1:0]      fresh_most;            // of row 4
    wire                   load = waits && (!busy || step == END);

    always @(posedge clk)
        if (load) begin
            job_drained  <= wait_drained;
            job_measured <= wait_measured;
            job_input    <= wait_input;
            job_units    <= wait_units;
            job_inside   <= wait_inside;
            job_clocks   <= wait_clocks;
        end

    always @(posedge clk)
        if (rst) begin
            waits        <= 1'b0;
            busy         <= 1'b0;
            step         <= WORDS;
            job_fresh    <= 1'b0;
            fresh_counts <= {INPUTS{1'b1}};
            fresh_most   <= {INPUTS{1'b1}};
        end else begin
            waits <= ev || (waits && !load);
            if (load) begin
                busy      <= 1'b1;
                step      <= wait_drained ? MOST : WORDS;
                job_fresh <= fresh_counts[wait_input];
                if (!wait_drained)
                    fresh_counts[wait_input] <= 1'b0;
            end else if (busy) begin
                busy <= (step != END);
                step <= step + 3'd1;
            end
            if (busy && step == MOST) begin
                job_fresh             <= fresh_most[job_input];
                fresh_most[job_input] <= 1'b0;
            end
            if (clear) begin
                fresh_counts <= {INPUTS{1'b1}};
                fresh_most   <= {INPUTS{1'b1}};
            end
        end

    // ---- the memory, and the row that goes back into it
    reg  [31:0] memory [0:127];
    reg  [31:0] row;
    reg  [31:0] changed;
    reg         write;
    wire        reading   = busy && step != END;
    reg         rd_waits;
    wire        rd_issue  = rd_waits && !busy && !ev;      // behind END: row 4 is written, `fresh_most` has fallen
    wire [LOG2_INPUTS+3:0] job_input_wide = {4'd0, job_input};
    wire [6:0]  job_row   = {step, job_input_wide[3:0]};
    wire [6:0]  write_row = {step - 3'd1, job_input_wide[3:0]};
    wire [31:0] old       = row & {32{!job_fresh}};
    wire [31:0] sum       = old + {22'd0, (step == PACKETS) ? job_units : 10'd1};     // rows 0 and 1
    wire        longer    = job_measured && (job_clocks > old[31:16]);
    wire        shorter   = job_measured && (job_fresh || job_clocks < row[15:0]);

    always @* begin
        write   = busy;
        changed = sum;
        case (step)
            PACKETS: ;
            LAST:    ;
            RANGE: begin
                write   = busy && (job_measured || job_fresh);
                changed = {16'd0, job_clocks & {16{job_measured}}};
            end
            MOST: begin
                write   = busy && !job_drained && (job_measured || job_fresh);
                changed = {longer ? job_clocks : old[31:16], shorter ? job_clocks : row[15:0] | {16{job_fresh}}};
            end
            END:     changed = (old[9:0] > job_inside) ? old : {22'd0, job_inside};
            default: write   = 1'b0;
        endcase
    end

    always @(posedge clk) begin
        if (write)
            memory[write_row] <= changed;
        row <= memory[reading ? job_row : rd_row];
    end

    // ---- reads go in between
    reg        rd_row_here;                       // `row` is the requested one
    reg        rd_fresh;
    reg  [9:0] rd_inside;
    wire       rd_most = (rd_row[6:4] == MOST);

    always @(posedge clk)
        if (rst) begin
            rd_waits    <= 1'b0;
            rd_row_here <= 1'b0;
            rd_done     <= 1'b0;
            rd_fresh    <= 1'b0;
            rd_inside   <= 10'd0;
            rd_data     <= 32'd0;
        end else begin
            rd_waits    <= rd_start || (rd_waits && !rd_issue);
            rd_row_here <= rd_issue;
            rd_done     <= rd_row_here;
            rd_inside   <= inside;
            rd_fresh    <= rd_most ? fresh_most[rd_row[LOG2_INPUTS-1:0]] : fresh_counts[rd_row[LOG2_INPUTS-1:0]];
            if (rd_row_here) begin
                rd_data <= rd_fresh ? 32'd0 : row;
                if (rd_fresh && rd_row[6:4] == RANGE)
                    rd_data <= NO_RANGE;
                if (rd_most)
                    rd_data <= {6'd0, (!rd_fresh && row[9:0] > rd_inside) ? row[9:0] : rd_inside, 6'd0, rd_inside};
            end
        end

    wire unused = &{1'b0, job_input_wide};

    // ---- measuring
    wire probe_busy         = busy || waits;
    wire probe_stall_memory = waits && !load;
endmodule
`default_nettype wire
