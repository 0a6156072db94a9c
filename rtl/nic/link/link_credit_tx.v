// The receiver's half of flow control: makes credit words of the counts of forwarded words, one per virtual channel.
//
// A lane is modified when bits [11:5] of its count differ from the value sent last, or when a check record has set it.
// Modified lanes go first, round robin; unchanged ones with `refresh_now` (link_timer), to replace lost credits. A word
// carries two credits ([31:16] first, S1 3.3.1); a single credit to send is sent twice.
//
// Lanes are chosen one clock ahead; the counts are read when the word is taken, so they are up to date. A count that
// changes in clock n: `request` in n+1.
`default_nettype none
module link_credit_tx #(
    // lanes (virtual channels), 1..64
    parameter LANES = 1
) (
    input  wire                clk,         // gated while `busy` is low (clock_gate)
    input  wire                rst,
    output wire                busy,        // a refresh is due, or a word waits
    input  wire                refresh_now, // one clock: unchanged credits are due, too
    input  wire [12*LANES-1:0] forwarded,   // count of lane l in [12*l +: 12], free running
    input  wire [LANES-1:0]    repaired,    // pulse: a check record has set the count

    // credit words: `word` is valid while `request`
    output reg                 request,
    output wire [31:0]         word,
    input  wire                take         // it leaves
);
    localparam LANE_BITS = $clog2(LANES > 1 ? LANES : 2);

    initial
        if (LANES < 1 || LANES > 64) begin
            $display("%m: LANES must be 1..64, is %0d", LANES);
            $finish;
        end

    reg [7*LANES-1:0]   sent;
    reg [LANES-1:0]     forced;           // to be sent although it may be unchanged
    reg [LANES-1:0]     due;              // refresh
    reg [LANE_BITS-1:0] first;            // the two lanes of the next word
    reg [LANE_BITS-1:0] second;
    reg [LANE_BITS-1:0] last;             // second lane of the word that was taken last

    reg [LANES-1:0] taken;
    reg [LANES-1:0] modified;
    reg [LANES-1:0] refresh;
    integer i;
    always @*
        for (i = 0; i < LANES; i = i + 1) begin
            taken[i]    = take && (first == i[LANE_BITS-1:0] || second == i[LANE_BITS-1:0]);
            modified[i] = !taken[i] && (forced[i] || forwarded[12*i+5 +: 7] != sent[7*i +: 7]);
            refresh[i]  = !taken[i] && due[i];
        end

    // The first lane of the next word comes after the second one of the last word, the second one after the first.
    wire                 any;
    wire                 another;
    wire [LANE_BITS-1:0] first_next;
    wire [LANE_BITS-1:0] second_next;
    reg  [LANES-1:0]     others;
    always @*
        for (i = 0; i < LANES; i = i + 1)
            others[i] = (first_next != i[LANE_BITS-1:0]);
    link_lane_pick #(.LANES(LANES)) pick_first (
        .urgent (modified), .relaxed (refresh), .last (take ? second : last), .any (any), .index (first_next)
    );
    link_lane_pick #(.LANES(LANES)) pick_second (
        .urgent (modified & others), .relaxed (refresh & others), .last (first_next), .any (another),
        .index (second_next)
    );

    // the word itself, from the counts of this clock
    wire [13:0]  first_bits  = {{7-LANE_BITS{1'b0}}, first, forwarded[12*first + 5 +: 7]};
    wire [13:0]  second_bits = {{7-LANE_BITS{1'b0}}, second, forwarded[12*second + 5 +: 7]};
    assign word = {1'b1, ^first_bits, first_bits, 1'b1, ^second_bits, second_bits};

    assign busy = refresh_now || request;

    always @(posedge clk)
        if (rst) begin
            sent          <= {7*LANES{1'b0}};
            forced        <= {LANES{1'b1}};
            due           <= {LANES{1'b0}};
            first         <= {LANE_BITS{1'b0}};
            second        <= {LANE_BITS{1'b0}};
            last          <= {LANE_BITS{1'b0}};
            request       <= 1'b0;
        end else begin
            for (i = 0; i < LANES; i = i + 1)
                if (taken[i])
                    sent[7*i +: 7] <= forwarded[12*i+5 +: 7];
            forced        <= (forced & ~taken) | repaired;
            due           <= (due & ~taken) | {LANES{refresh_now}};
            request       <= any;
            first         <= first_next;
            second        <= another ? second_next : first_next;
            if (take)
                last      <= second;
        end

    wire probe_busy       = request;
    wire probe_stall_link = request && !take;
    wire probe_start      = take;
    wire probe_done       = take;
endmodule
`default_nettype wire
