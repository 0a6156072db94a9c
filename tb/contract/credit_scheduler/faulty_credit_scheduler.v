// A credit scheduler, written as plainly as possible, with faults that a test switches on one at a time: what the
// contract suite must catch.
`default_nettype none
module faulty_credit_scheduler #(
    parameter OUTPUTS = 8
) (
    input  wire                       clk,
    input  wire                       rst,
    input  wire [OUTPUTS-1:0]         departed,
    input  wire [OUTPUTS*10-1:0]      departed_units,
    input  wire                       stored,
    input  wire [$clog2(OUTPUTS)-1:0] stored_output,
    input  wire [9:0]                 stored_units,
    input  wire                       record,
    input  wire [$clog2(OUTPUTS)-1:0] record_output,
    input  wire [11:0]                record_units,
    input  wire                       refresh,
    output wire [9:0]                 occupied,
    output wire                       request,
    output wire [31:0]                word,
    input  wire                       take,
    input  wire [6:0]                 fault     // fault_when.v; 0: none
);
    localparam LOG2_OUTPUTS = $clog2(OUTPUTS);
    localparam [4:0] ONE_DEPARTURE     = 5'd1;     // of several in one clock only the first counts
    localparam [4:0] WRONG_PARITY      = 5'd2;
    localparam [4:0] FORGETS_STORED    = 5'd3;     // a record sets forwarded to T
    localparam [4:0] SILENT_RECORD     = 5'd4;     // a record does not make the lane modified
    localparam [4:0] NO_REFRESH        = 5'd5;
    localparam [4:0] RECORD_WINS       = 5'd6;     // a departure in the clock of a record is lost
    localparam [4:0] ELEVEN_BITS       = 5'd7;
    localparam [4:0] STALE             = 5'd8;     // the counts of 16 clocks ago
    localparam [4:0] LOWEST_FIRST      = 5'd9;     // instead of round robin
    localparam [4:0] REFRESH_FIRST     = 5'd10;
    localparam [4:0] REQUEST_FALLS     = 5'd11;
    localparam [4:0] TALKS_ON          = 5'd12;    // sends unchanged credits all the time
    localparam [4:0] WRONG_LANE        = 5'd13;
    localparam [4:0] SURVIVES_RESET    = 5'd14;
    localparam [4:0] LATE_OCCUPIED     = 5'd16;    // a packet shows a clock after it was stored
    localparam [4:0] SMALL_PACKETS     = 5'd15;    // sizes above 511 lose their highest bit

    wire [4:0] now;
    fault_when faults (.clk (clk), .rst (rst), .turn (take), .fault (fault), .now (now));

    integer i;
    reg [11:0] received [0:OUTPUTS-1];
    reg [11:0] forwarded [0:OUTPUTS-1];
    reg [11:0] old [0:OUTPUTS-1];
    reg [6:0]  sent [0:OUTPUTS-1];
    reg [OUTPUTS-1:0] forced, due;
    reg [3:0]  age;
    reg [LOG2_OUTPUTS-1:0] last;
    reg [7:0]  ticks;

    // ---- the counts after this clock
    reg [11:0] out_units, gain;
    reg [11:0] after [0:OUTPUTS-1];
    reg [OUTPUTS-1:0] counted, here;
    always @* begin
        counted = (now == ONE_DEPARTURE) ? departed & (~departed + 1'b1) : departed;
        for (i = 0; i < OUTPUTS; i = i + 1) begin
            here[i]   = record && record_output == i[LOG2_OUTPUTS-1:0];
            out_units = counted[i] ? {2'b00, departed_units[10*i +: 10]} : 12'd0;
            if (now == SMALL_PACKETS) out_units[9] = 1'b0;
            if (now == RECORD_WINS && here[i]) out_units = 12'd0;
            gain = 12'd0;
            if (here[i]) gain = record_units - ((now == FORGETS_STORED) ? forwarded[i] : received[i]);
            after[i] = forwarded[i] + gain + out_units;
            if (now == ELEVEN_BITS) after[i][11] = 1'b0;
        end
    end

    // ---- two lanes for the word
    reg [OUTPUTS-1:0] urgent, relaxed, wanted;
    reg [LOG2_OUTPUTS-1:0] a, b, at;
    reg any;
    always @* begin
        for (i = 0; i < OUTPUTS; i = i + 1)
            urgent[i] = forced[i] || forwarded[i][11:5] != sent[i];
        relaxed = due & {OUTPUTS{now != NO_REFRESH}} | {OUTPUTS{now == TALKS_ON}};
        wanted  = (now == REFRESH_FIRST) ? (|relaxed ? relaxed : urgent) : (|urgent ? urgent : relaxed);
        any     = |wanted;
        a       = last;
        for (i = OUTPUTS; i > 0; i = i - 1) begin
            at = next((now == LOWEST_FIRST) ? {LOG2_OUTPUTS{1'b1}} : last, i[LOG2_OUTPUTS:0]);
            if (wanted[at]) a = at;
        end
        b = a;
        for (i = OUTPUTS - 1; i > 0; i = i - 1) begin
            at = next(a, i[LOG2_OUTPUTS:0]);
            if (wanted[at]) b = at;
        end
    end

    function [LOG2_OUTPUTS-1:0] next(input [LOG2_OUTPUTS-1:0] from, input [LOG2_OUTPUTS:0] steps);
        reg [LOG2_OUTPUTS+1:0] sum;
        reg unused;
        begin
            sum    = {2'b00, from} + {1'b0, steps};
            if (sum >= OUTPUTS) sum = sum - OUTPUTS;
            unused = &{1'b0, sum};
            next   = sum[LOG2_OUTPUTS-1:0];
        end
    endfunction

    reg  [11:0] late_received;
    always @(posedge clk) late_received <= received[stored_output];
    wire [11:0] inside  = ((now == LATE_OCCUPIED) ? late_received : received[stored_output]) - forwarded[stored_output];
    assign      occupied = inside[9:0];
    wire        unused_inside = &{1'b0, inside[11:10]};

    wire [11:0] count_a = (now == STALE) ? old[a] : forwarded[a];
    wire [11:0] count_b = (now == STALE) ? old[b] : forwarded[b];
    wire        unused  = &{1'b0, count_a[4:0], count_b[4:0]};
    wire [6:0]  wrong   = {6'd0, now == WRONG_LANE};
    wire [13:0] first   = {{7-LOG2_OUTPUTS{1'b0}}, a, count_a[11:5]} ^ {wrong, 7'd0};
    wire [13:0] second  = {{7-LOG2_OUTPUTS{1'b0}}, b, count_b[11:5]} ^ {wrong, 7'd0};
    assign request = any && !(now == REQUEST_FALLS && ticks[5:0] == 6'd0);
    assign word    = {1'b1, ^first ^ (now == WRONG_PARITY), first, 1'b1, ^second, second};

    always @(posedge clk)
        if (rst) begin
            if (now != SURVIVES_RESET)
                for (i = 0; i < OUTPUTS; i = i + 1) forwarded[i] <= 12'd0;
            for (i = 0; i < OUTPUTS; i = i + 1) begin
                received[i]  <= 12'd0;
                sent[i]      <= 7'd0;
                old[i]       <= 12'd0;
            end
            forced <= {OUTPUTS{1'b1}};
            due    <= {OUTPUTS{1'b0}};
            last   <= {LOG2_OUTPUTS{1'b0}};
            age    <= 4'd0;
            ticks  <= 8'd1;
        end else begin
            ticks <= ticks + 8'd1;
            age   <= age + 4'd1;
            if (take) begin
                last      <= b;
                forced[a] <= 1'b0;
                forced[b] <= 1'b0;
                due[a]    <= 1'b0;
                due[b]    <= 1'b0;
                sent[a]   <= forwarded[a][11:5];
                sent[b]   <= forwarded[b][11:5];
            end
            if (refresh) due <= {OUTPUTS{1'b1}};
            if (stored) received[stored_output] <= received[stored_output] + {2'b00, stored_units};
            if (record) received[record_output] <= record_units;
            for (i = 0; i < OUTPUTS; i = i + 1) begin
                if (age == 4'd0) old[i] <= forwarded[i];
                if (here[i] && now != SILENT_RECORD) forced[i] <= 1'b1;
                forwarded[i] <= after[i];
            end
        end
endmodule
`default_nettype wire
