// The network counters (S1 3.1.4.3, and ours: registers.map), in the network clock, and their way into the PCI domain.
// For several links by packet see link_counters.
//
// Counter i counts the clocks in which event_vector[i] is high. The counters are handed one by one to
// `copy_index`/`copy_value`, which a sync_word carries across: a new one per `copy_taken`, so that the copy in the PCI
// domain (nic_registers) lags by one round of all, a few hundred network clocks. A value handed over includes all
// events before that clock.
//
// A place is served after at most one round of all places and the clocks in which others are handed over: six bits hold
// the events of that time, eight if they may count twice in a clock.
//
// `clear` sets all to 0 (S1: a store to the first network counter clears them all) and wins over an event.
`default_nettype none
module network_counters #(
    // places that are handed over, 2..64
    parameter PLACES = 32,
    // 1: some may count twice in a clock
    parameter TWICE = 0
) (
    input  wire              clk,            // counts; gated while no bit of event_vector is high (clock_gate)
    input  wire              copy_clk,       // hands the copies over; the same, never gated
    input  wire              rst,
    input  wire              clear,
    input  wire [PLACES-1:0] event_vector,   // bit i: counter i counts this clock
    input  wire [PLACES-1:0] twice_vector,   // ... twice; only with it, and with TWICE
    output reg  [5:0]        copy_index,
    output reg  [31:0]       copy_value,
    input  wire              copy_taken      // one clock: it has been read, the next may follow
);
    localparam LOG2_PLACES = $clog2(PLACES);
    localparam [31:0] LAST = PLACES - 1;

    wire [5:0]  next_index = (copy_index == LAST[5:0]) ? 6'd0 : copy_index + 6'd1;
    wire [31:0] total, read_total;

    counter_bank #(
        .PLACES(PLACES), .TWICE({PLACES{TWICE != 0}}), .PENDING_BITS((TWICE != 0 || PLACES > 32) ? 8 : 6)
    ) bank (
        .clk (clk), .rst (rst), .clear (clear), .event_vector (event_vector), .twice_vector (twice_vector),
        .visit (copy_taken), .visit_place (next_index[LOG2_PLACES-1:0]), .load (1'b0), .load_value (32'd0),
        .total (total), .read_place ({LOG2_PLACES{1'b0}}), .read_total (read_total)
    );
    wire unused = &{1'b0, next_index, read_total};

    always @(posedge copy_clk)
        if (rst) begin
            copy_index <= 6'd0;
            copy_value <= 32'd0;
        end else if (copy_taken) begin
            copy_index <= next_index;
            copy_value <= total;
        end

    // ---- measuring
    wire probe_busy = |event_vector;
endmodule
`default_nettype wire
