// Output scheduler, oldest packet first: an alternative for the plug-in point "output scheduler"
// (rtl/switch/contracts.md). Packets leave in the order of arrival, whatever their input, so each input gets the share
// of the output that it asks for.
//
// The time of arrival, in steps of 64 clocks, is kept for the first 16 packets of each crosspoint, in a small memory.
// With more than 16, which are shorter than 32 words then, a packet takes the time of one that came after it, and
// without any the present time. Packets of the same step are served round robin. Times wrap after 16384 clocks: a
// packet that has waited longer (a stopped port) may look younger than it is. An input that has been passed over by 8 x
// INPUTS packets (rounded up to a power of two) goes before all others (wait_limit). Latency as in output_scheduler:
// one clock from `arrived` to `chosen`.
`default_nettype none
module output_scheduler_oldest #(
    // inputs of the switch, 2..16
    parameter INPUTS = 8
) (
    input  wire                      clk,           // the output's
    input  wire                      rst,

    // from the crosspoints and the monitor
    input  wire [INPUTS-1:0]         arrived,       // one clock per packet whose first word has been written
    input  wire [INPUTS*10-1:0]      occupancy,     // words in the crosspoint of input i, in [10*i +: 10]; not used
    input  wire [INPUTS-1:0]         enable,        // inputs that may be served
    input  wire [INPUTS*8-1:0]       weight,        // not used

    // to and from the output port
    input  wire                      choose,        // level: a choice could be used
    output wire                      chosen,        // level: there is one
    output wire [$clog2(INPUTS)-1:0] chosen_input,
    output wire [INPUTS-1:0]         chosen_onehot,
    input  wire                      taken,         // one clock, only while `chosen`
    input  wire [9:0]                taken_units,   // size of that packet; not used

    // to the monitor
    output wire [INPUTS-1:0]         waiting,       // inputs with packets, enabled or not
    output wire                      overflow       // event: a count has reached its end
);
    wire [INPUTS-1:0]   eligible;
    wire [INPUTS-1:0]   served;
    wire [INPUTS-1:0]   overdue;
    wire [INPUTS-1:0]   oldest;
    wire [INPUTS-1:0]   late = eligible & overdue;
    wire [INPUTS*8-1:0] ages;          // of the first packet of each input
    reg  [13:0]         clocks;
    wire [7:0]          now  = clocks[13:6];

    always @(posedge clk)
        if (rst) clocks <= 14'd0;
        else     clocks <= clocks + 14'd1;

    genvar i;
    generate
        for (i = 0; i < INPUTS; i = i + 1) begin : times_of
            (* ram_style = "distributed" *) reg [7:0] times [0:15];
            reg  [3:0] first;
            reg  [4:0] count;
            wire       some = (count != 5'd0);
            wire       put  = arrived[i] && !count[4];
            wire       get  = served[i] && some;
            wire [3:0] last = first + count[3:0];

            always @(posedge clk)
                if (put)
                    times[last] <= now;
            always @(posedge clk)
                if (rst) begin
                    first <= 4'd0;
                    count <= 5'd0;
                end else begin
                    first <= first + {3'd0, get};
                    count <= count + {4'd0, put} - {4'd0, get};
                end

            assign ages[8*i +: 8] = (now - times[first]) & {8{some}};
        end
    endgenerate

    largest #(.N(INPUTS), .BITS(8)) compare (.request (eligible), .level (ages), .mask (oldest));

    output_choice #(.INPUTS(INPUTS)) choice (
        .clk (clk), .rst (rst), .arrived (arrived), .enable (enable), .choose (choose), .chosen (chosen),
        .chosen_input (chosen_input), .chosen_onehot (chosen_onehot), .taken (taken), .waiting (waiting),
        .overflow (overflow), .eligible (eligible), .served (served), .pick ((|late) ? late : oldest)
    );

    wait_limit #(.N(INPUTS)) limit (
        .clk (clk), .rst (rst), .candidate (waiting & enable), .turn (taken && chosen), .winner (chosen_onehot),
        .overdue (overdue)
    );

    wire unused = &{1'b0, occupancy, weight, taken_units};

    // ---- measuring
    reg  chosen_before;
    always @(posedge clk) chosen_before <= chosen && !rst;
    wire probe_busy       = |(waiting & enable) || chosen;
    wire probe_stall_link = chosen && !taken;
    wire probe_start      = chosen && !chosen_before;
    wire probe_done       = chosen && taken;
endmodule
`default_nettype wire
