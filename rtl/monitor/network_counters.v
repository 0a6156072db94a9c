// The network counters (S1 3.1.4.3, and ours: registers.map), in the network clock, and their way into the PCI domain.
//
// Counter i counts the clocks in which event_vector[i] is high. One after the other is handed to `copy_index`/`copy_value`, where a
// sync_word carries it across: a new one per `copy_taken`, so that the copy in the PCI domain (nic_registers) lags by one round of all,
// a few hundred network clocks. What is handed over includes all that came before that clock.
//
// A place waits for PLACES turns and as many others handed over at most, so six bits hold what comes meanwhile, eight if they may count
// twice in a clock.
//
// With several links each has counters of its own; what is handed over is the sum of those that are `counted`.
//
// `clear` sets all to 0 (S1: a store to the first network counter clears them all) and wins over an event.
`default_nettype none
module network_counters #(
    // counters, 2..64
    parameter PLACES = 32,
    // 1: some may count twice in a clock; one link only
    parameter TWICE = 0,
    // links, each with a bit for each counter, 1..4
    parameter LINKS = 1,
    // bit i: counter i is there once, as that of link 0, whichever links are `counted`
    parameter [PLACES-1:0] FIRST_ONLY = {PLACES{1'b0}}
) (
    input  wire              clk,            // counts; may rest while no bit of event_vector is high (clock_rest)
    input  wire              copy_clk,       // hands the copies over; the same, never rests
    input  wire              rst,
    input  wire              clear,
    input  wire [PLACES*LINKS-1:0] event_vector, // bit PLACES * l + i: counter i of link l counts this clock
    input  wire [PLACES-1:0] twice_vector,   // ... twice; only with it, and with TWICE
    input  wire [LINKS-1:0]  counted,        // links that are handed over, in sum
    output reg  [5:0]        copy_index,
    output reg  [31:0]       copy_value,
    input  wire              copy_taken      // one clock: it has been read, the next may follow
);
    localparam LOG2_PLACES = $clog2(PLACES);
    localparam [31:0] LAST = PLACES - 1;

    wire [5:0]  next_index = (copy_index == LAST[5:0]) ? 6'd0 : copy_index + 6'd1;

    wire [32*LINKS-1:0] totals;
    wire                first_only = FIRST_ONLY[next_index[LOG2_PLACES-1:0]];
    reg  [31:0]         total;
    integer             i;
    genvar              l;

    generate
        for (l = 0; l < LINKS; l = l + 1) begin : of_link
            wire [31:0] here, read_total;

            counter_bank #(
                .PLACES(PLACES), .BUILT((l == 0) ? {PLACES{1'b1}} : ~FIRST_ONLY), .TWICE({PLACES{TWICE != 0}}),
                .PENDING_BITS((TWICE != 0 || PLACES > 32) ? 8 : 6)
            ) bank (
                .clk (clk), .rst (rst), .clear (clear), .event_vector (event_vector[PLACES*l +: PLACES]), .twice_vector (twice_vector),
                .visit (copy_taken), .visit_place (next_index[LOG2_PLACES-1:0]), .load (1'b0), .load_value (32'd0), .total (here),
                .read_place ({LOG2_PLACES{1'b0}}), .read_total (read_total)
            );
            assign totals[32*l +: 32] = here & {32{LINKS == 1 || (first_only ? l == 0 : counted[l])}};
            wire unused = &{1'b0, read_total};
        end
    endgenerate

    always @* begin
        total = 32'd0;
        for (i = 0; i < LINKS; i = i + 1)
            total = total + totals[32*i +: 32];
    end

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
