// The network counters (S1 3.1.4.3, and ours: registers.map), in the network clock, and their way into the PCI domain.
//
// Counter i counts the clocks in which event_vector[i] is high. One after the other is handed to `copy_index`/`copy_value`, where a
// sync_word carries it across: a new one per `copy_taken`, so that the copy in the PCI domain (nic_registers) lags by one round of all,
// a few hundred network clocks. What is handed over includes all that came before that clock.
//
// A place waits for as many turns as its link has counters, and for as many clocks in which others are handed over: so six bits hold what
// comes meanwhile, eight if they may count twice in a clock. With several links `copy_taken` is not up more often than every fourth clock
// (no sync_word is faster), and five bits do: 21 turns take 28 clocks.
//
// With several links each has the same counters, places 0 .. OWN-1. What is handed over of a place is the sum of those links that are
// `counted`; but the four from place ALONE on are shown of each link by itself, whichever are counted: of link 0 in these places, of link 1
// in OWN .. OWN+3, of link 2 in the four behind them, and so on.
//
// `clear` sets all to 0 (S1: a store to the first network counter clears them all) and wins over an event.
`default_nettype none
module network_counters #(
    // places that are handed over, 2..64
    parameter PLACES = 32,
    // 1: some may count twice in a clock; one link only
    parameter TWICE = 0,
    // links, 1..4
    parameter LINKS = 1,
    // several links: the first of the four counters that are shown of each link by itself
    parameter ALONE = 2,
    // counters of each link
    parameter OWN = PLACES - 4 * (LINKS - 1)
) (
    input  wire              clk,            // counts; may rest while no bit of event_vector is high (clock_rest)
    input  wire              copy_clk,       // hands the copies over; the same, never rests
    input  wire              rst,
    input  wire              clear,
    input  wire [OWN*LINKS-1:0] event_vector, // bit OWN * l + i: counter i of link l counts this clock
    input  wire [OWN-1:0]    twice_vector,   // ... twice; only with it, and with TWICE
    input  wire [LINKS-1:0]  counted,        // links that are handed over, in sum
    output reg  [5:0]        copy_index,
    output reg  [31:0]       copy_value,
    input  wire              copy_taken      // one clock: it has been read, the next may follow; LINKS > 1: see above
);
    localparam LOG2_OWN = $clog2(OWN);
    localparam [31:0] LAST = PLACES - 1, FIRST_ALONE = ALONE;

    initial
        if (OWN < 2 || LINKS < 1 || LINKS > 4 || OWN != PLACES - 4 * (LINKS - 1)
            || (LINKS > 1 && (ALONE < 0 || ALONE + 4 > OWN || TWICE != 0))) begin
            $display("%m: LINKS must be 1..4, is %0d; PLACES 4 * (LINKS - 1) more than OWN, are %0d and %0d; ALONE within OWN, is %0d",
                     LINKS, PLACES, OWN, ALONE);
            $finish;
        end

    wire [5:0]  next_index = (copy_index == LAST[5:0]) ? 6'd0 : copy_index + 6'd1;

    wire [32*LINKS-1:0] here, totals, read_totals;
    wire [5:0]          place;           // of each link
    wire [LINKS-1:0]    shown;           // links whose count is handed over
    reg  [31:0]         total;
    integer             i;
    genvar              l;

    generate
        if (LINKS == 1) begin : one
            assign place = next_index;
            assign shown = 1'b1;
            wire unused  = &{1'b0, counted, FIRST_ALONE};
        end else begin : several
            localparam [31:0] FIRST_OTHER = OWN;
            wire [5:0] beyond = next_index - FIRST_OTHER[5:0];       // [5]: it is a place of all
            wire       alone  = beyond[5] && (next_index >= FIRST_ALONE[5:0]) && (next_index < FIRST_ALONE[5:0] + 6'd4);
            wire [3:0] of_one = alone ? 4'd1 : 4'd2 << beyond[3:2];

            assign place = beyond[5] ? next_index : FIRST_ALONE[5:0] + {4'd0, beyond[1:0]};
            assign shown = (alone || !beyond[5]) ? of_one[LINKS-1:0] : counted;
            wire unused  = &{1'b0, beyond[4], of_one};
        end

        for (l = 0; l < LINKS; l = l + 1) begin : of_link
            assign totals[32*l +: 32] = here[32*l +: 32] & {32{shown[l]}};
        end
    endgenerate

    counter_bank #(
        .PLACES(OWN), .TWICE({OWN{TWICE != 0}}), .SETS(LINKS),
        .PENDING_BITS((LINKS > 1 && OWN <= 21) ? 5 : (TWICE != 0 || OWN + PLACES > 64) ? 8 : 6)
    ) banks (
        .clk (clk), .rst (rst), .clear (clear), .event_vector (event_vector), .twice_vector ({LINKS{twice_vector}}),
        .visit (copy_taken), .visit_place (place[LOG2_OWN-1:0]), .load (1'b0), .load_value ({32*LINKS{1'b0}}), .total (here),
        .read_place ({LOG2_OWN{1'b0}}), .read_total (read_totals)
    );
    wire unused_place = &{1'b0, place, read_totals};

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
