// Many 32-bit counters in one small memory with one adder: counter i counts the clocks in which event_vector[i] is
// high. Wraps around.
//
// In front of the memory each place gathers its events in PENDING_BITS bits. Every clock adds the pending events of one
// place to its total: the next one in cyclic order, or the one that is visited. `total`, in that clock, is the count
// with all events of the clocks before; so is `read_total`, which changes nothing. With `load` the place visited is set
// to `load_value` instead, and an event in that clock does not count.
//
// A place must be served before 2**PENDING_BITS events have occurred: all visits to others in that time, and PLACES
// clocks.
//
// The memory itself is never cleared: after rst or `clear` a total counts as 0 until it is written. `clear` wins over
// an event.
`default_nettype none
module counter_bank #(
    // number of places, 2..64
    parameter PLACES = 32,
    // bit i: place i has a counter; the others read 0
    parameter [PLACES-1:0] BUILT = {PLACES{1'b1}},
    // bit i: place i may count twice in a clock
    parameter [PLACES-1:0] TWICE = {PLACES{1'b0}},
    // bits in which a place gathers events, 3..8
    parameter PENDING_BITS = 6
) (
    input  wire                      clk,
    input  wire                      rst,
    input  wire                      clear,            // all count as 0
    input  wire [PLACES-1:0]         event_vector,     // bit i: place i counts this clock
    input  wire [PLACES-1:0]         twice_vector,     // ... twice; only with it, and with TWICE

    input  wire                      visit,            // visit_place is served in this clock
    input  wire [$clog2(PLACES)-1:0] visit_place,
    input  wire                      load,             // only with visit
    input  wire [31:0]               load_value,
    output wire [31:0]               total,            // of the place that is served

    input  wire [$clog2(PLACES)-1:0] read_place,
    output wire [31:0]               read_total
);
    localparam LOG2_PLACES = $clog2(PLACES);
    localparam [31:0] LAST = PLACES - 1;

    initial
        if (PLACES < 2 || PLACES > 64) begin
            $display("%m: PLACES must be 2..64, is %0d", PLACES);
            $finish;
        end

    reg  [LOG2_PLACES-1:0] turn;
    wire [LOG2_PLACES-1:0] look = visit ? visit_place : turn;

    always @(posedge clk)
        if (rst)         turn <= {LOG2_PLACES{1'b0}};
        else if (!visit) turn <= (turn == LAST[LOG2_PLACES-1:0]) ? {LOG2_PLACES{1'b0}} : turn + 1'b1;

    wire [PLACES-1:0] here = {{PLACES-1{1'b0}}, 1'b1} << look; // the place that is served
    reg  [PLACES-1:0] cleared;        // not written since it was cleared

    // Eight bits for each place, of which the upper ones are 0: selecting a place is then a choice of bits, not a
    // shift.
    wire [PLACES*8-1:0] pending;

    genvar i;
    generate
        for (i = 0; i < PLACES; i = i + 1) begin : place
            wire happens = event_vector[i];
            wire two     = TWICE[i] && twice_vector[i];

            always @(posedge clk)
                if (rst || clear || !BUILT[i]) cleared[i] <= 1'b1;
                else if (here[i])              cleared[i] <= 1'b0;

            if (BUILT[i]) begin : counter
                reg  [PENDING_BITS-1:0] events;
                wire                    kept = happens && !load;

                always @(posedge clk)
                    if (rst || clear)
                        events <= {PENDING_BITS{1'b0}};
                    else if (here[i])
                        events <= {{PENDING_BITS-2{1'b0}}, kept && two, kept && !two};
                    else if (happens)
                        events <= events + {{PENDING_BITS-2{1'b0}}, two, !two};

                assign pending[i*8 +: 8] = {{8-PENDING_BITS{1'b0}}, events};
            end else begin : none
                assign pending[i*8 +: 8] = 8'd0;
                wire unused = &{1'b0, happens, two};
            end
        end
    endgenerate

    (* ram_style = "distributed" *) reg [31:0] totals [0:PLACES-1];

    wire [31:0] old_total = (load || cleared[look]) ? 32'd0 : totals[look];
    wire [31:0] new_total = old_total + (load ? load_value : {24'd0, pending[look*8 +: 8]});

    always @(posedge clk) totals[look] <= new_total;

    assign total      = new_total;
    assign read_total = (cleared[read_place] ? 32'd0 : totals[read_place]) + {24'd0, pending[read_place*8 +: 8]};

    // ---- measuring
    wire probe_busy = |(event_vector & BUILT);
endmodule
`default_nettype wire
