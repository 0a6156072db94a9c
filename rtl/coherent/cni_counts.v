// Counters of events in one block RAM: counter i counts the clocks in which events[i] is high, modulo 2^32.
//
// Each counter gathers its events in 5 bits; one counter a clock, in turn, adds them to its total. A read takes the
// turn's clock and shows the total, which may lag behind by the events of 32 clocks. After reset all totals are
// cleared, one per clock; events of that time count.
//
// Reads must leave every counter a turn in 31 clocks: at most every second clock.
`default_nettype none
module cni_counts #(
    // counters, 2..16
    parameter COUNTERS = 14
) (
    input  wire                clk,
    input  wire                rst,
    input  wire [COUNTERS-1:0] events,
    input  wire                read_valid,
    input  wire [3:0]          read_place,
    output reg  [31:0]         total           // a clock after read_valid
);
    initial
        if (COUNTERS < 2 || COUNTERS > 16) begin
            $display("%m: COUNTERS must be 2..16, is %0d", COUNTERS);
            $finish;
        end

    reg  [31:0] totals [0:15];
    reg  [3:0]  turn, adds_to;
    reg         adds;                          // `total` is that of counter adds_to
    reg         clearing;
    wire [79:0] pending;
    wire [4:0]  more = pending[5*adds_to +: 5];

    genvar i;
    generate
        for (i = 0; i < 16; i = i + 1) begin : place
            if (i < COUNTERS) begin : counter
                reg  [4:0] count;
                wire       served = adds && (adds_to == i);
                assign pending[5*i +: 5] = count;
                always @(posedge clk)
                    if (rst) count <= 5'd0;
                    else     count <= (served ? 5'd0 : count) + {4'd0, events[i]};
            end else begin : none
                assign pending[5*i +: 5] = 5'd0;
            end
        end
    endgenerate

    always @(posedge clk)
        if (rst) begin
            turn     <= 4'd0;
            adds     <= 1'b0;
            clearing <= 1'b1;
        end else begin
            if (clearing || !read_valid) turn <= turn + 4'd1;
            adds <= !clearing && !read_valid;
            if (&turn) clearing <= 1'b0;
        end

    always @(posedge clk) begin
        adds_to <= turn;
        if (clearing || adds) totals[clearing ? turn : adds_to] <= clearing ? 32'd0 : total + {27'd0, more};
        total <= totals[read_valid ? read_place : turn];
    end

    // ---- measuring
    wire probe_busy = |events;
endmodule
`default_nettype wire
