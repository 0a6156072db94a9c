// The network counters of several links by packet (for one link: network_counters). Each link has the same counters; a
// place is handed over as the sum of the links that are `counted`. The four from place ALONE on are shown for each link
// by itself, whichever are counted: of link 0 in these places, of link 1 in OWN .. OWN+3, of link 2 in the four behind
// them, and so on.
//
// The totals of all links are in one block memory. In front of it each counter has its low seven bits in a register of
// its own, which counts events. One counter is visited in each clock: the increase of its register since the last visit
// is added to its total.
//
//     phase    | 0 .. 3            | 4 .. 7   8 .. 11   12 .. 15 |      a round of 16 clocks
//     visited  | links 0 .. 3      | links 0 .. 3 of each of     |
//              | of the next place | the three places in turn    |
//              | to be handed over |                             |
//
// So each counter is visited once in 16 * OWN / 3 clocks, before its register wraps. The sum is handed over when phase
// 6 ends; it has of link l what was counted before phase l. The next place follows in the round after `copy_taken`.
//
// `clear` sets all to 0 (S1: a store to the first network counter clears them all) and wins over an event: the
// registers at once; a total stored before counts as 0 in its first regular visit after it, and before that.
`default_nettype none
module link_counters #(
    // links, 2..4
    parameter LINKS = 2,
    // counters of each link, 6..21, a multiple of 3
    parameter OWN = 21,
    // the first of the four that are shown of each link by itself
    parameter ALONE = 2
) (
    input  wire                 clk,            // counts; gated while no bit of event_vector is high (clock_gate)
    input  wire                 copy_clk,       // hands the copies over; the same, never gated
    input  wire                 rst,
    input  wire                 clear,
    input  wire [OWN*LINKS-1:0] event_vector,   // bit OWN * l + i: counter i of link l counts this clock
    input  wire [LINKS-1:0]     counted,        // links that are handed over, in sum
    output reg  [5:0]           copy_index,
    output reg  [31:0]          copy_value,
    input  wire                 copy_taken      // one clock: it has been read, the next may follow
);
    localparam [31:0] LAST = OWN + 4 * (LINKS - 1) - 1, LAST_OWN = OWN - 1, FIRST_ALONE = ALONE, FIRST_OTHER = OWN;

    initial
        if (LINKS < 2 || LINKS > 4 || OWN < 6 || OWN > 21 || OWN % 3 != 0 || ALONE < 0 || ALONE + 4 > OWN) begin
            $display("%m: LINKS must be 2..4, is %0d; OWN 6, 9 .. 21, is %0d; ALONE within them, is %0d", LINKS, OWN,
                     ALONE);
            $finish;
        end

    // ---- the registers. Eight bits for each, the links of a place adjacent: selection by index takes the fewest LUTs.
    wire [6:0]       at;                   // {place, link}
    wire [8*128-1:0] registers;
    wire [6:0]       low = registers[8*at +: 7];

    genvar l, p;
    generate
        for (p = 0; p < 32; p = p + 1) begin : place
            for (l = 0; l < 4; l = l + 1) begin : of_link
                if (p < OWN && l < LINKS) begin : counter
                    reg [6:0] events;
                    always @(posedge clk)
                        if (rst || clear)                   events <= 7'd0;
                        else if (event_vector[OWN * l + p]) events <= events + 7'd1;
                    assign registers[8*(4*p + l) +: 8] = {1'b0, events};
                end else begin : none
                    assign registers[8*(4*p + l) +: 8] = 8'd0;
                end
            end
        end
    endgenerate

    // ---- the counter visited
    reg  [3:0] phase;
    reg  [4:0] turn;
    reg        sweeping;               // totals do not count before their regular visit
    reg        full;                   // the copy has not been taken
    reg        gathers;                // the sum of the next one is made in this round
    wire [5:0] next_index = (copy_index == LAST[5:0]) ? 6'd0 : copy_index + 6'd1;
    wire [5:0] beyond     = next_index - FIRST_OTHER[5:0];       // [5]: it is a place of all
    wire       alone      = beyond[5] && (next_index >= FIRST_ALONE[5:0]) && (next_index < FIRST_ALONE[5:0] + 6'd4);
    wire [3:0] of_one     = alone ? 4'd1 : 4'd2 << beyond[3:2];
    wire [3:0] shown      = (alone || !beyond[5]) ? of_one : {{4-LINKS{1'b0}}, counted};
    wire [4:0] next_place = beyond[5] ? next_index[4:0] : FIRST_ALONE[4:0] + {3'd0, beyond[1:0]};
    wire       in_turn    = (phase[3:2] != 2'd0);
    assign     at         = {in_turn ? turn : next_place, phase[1:0]};
    wire       built      = ({1'b0, phase[1:0]} < LINKS[2:0]);
    wire       round_ends = (phase == 4'd15);
    wire       place_ends = in_turn && (phase[1:0] == 2'd3);
    wire       turns_end  = (turn == LAST_OWN[4:0]);

    always @(posedge copy_clk)
        if (rst || clear) begin
            phase    <= 4'd0;
            turn     <= 5'd0;
            sweeping <= 1'b1;
            gathers  <= 1'b0;
        end else begin
            phase <= phase + 4'd1;
            if (place_ends) begin
                turn <= turns_end ? 5'd0 : turn + 5'd1;
                if (turns_end) sweeping <= 1'b0;
            end
            if (round_ends) gathers <= !full;
        end

    // ---- the visit, in three clocks: read, add, write
    reg  [31:0] totals [0:127];        // of link l of place p: 4 * p + l
    reg  [31:0] read_total, new_total;
    reg  [6:0]  read_low;
    reg  [6:0]  read_at, new_at;
    reg         read_built, new_built, read_sweeps, read_shown, new_shown;
    reg  [31:0] sum;

    always @(posedge copy_clk) begin
        read_total  <= totals[at];
        read_low    <= low;
        read_at     <= at;
        read_built  <= built;
        read_sweeps <= sweeping;
        read_shown  <= shown[phase[1:0]] && !in_turn && built;

        new_total <= {read_total[31:7] + {24'd0, read_low < read_total[6:0]}, read_low};
        if (read_sweeps) new_total[31:7] <= 25'd0;
        new_at    <= read_at;
        new_built <= read_built;
        new_shown <= read_shown;

        if (new_built) totals[new_at] <= new_total;
    end

    always @(posedge copy_clk)
        if (rst || round_ends) sum <= 32'd0;
        else if (new_shown)    sum <= sum + new_total;

    // ---- hand-over
    wire hand = gathers && (phase == 4'd6);

    always @(posedge copy_clk)
        if (rst) begin
            copy_index <= 6'd0;
            copy_value <= 32'd0;
            full       <= 1'b0;
        end else begin
            full <= !clear && (hand || (full && !copy_taken));
            if (clear) copy_value <= 32'd0;
            else if (hand) begin
                copy_index <= next_index;
                copy_value <= sum;
            end
        end

    wire unused = &{1'b0, beyond[4], next_index[5]};

    // ---- measuring
    wire probe_busy = |event_vector;
endmodule
`default_nettype wire
