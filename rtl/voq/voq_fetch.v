// Which body comes back next, and how much of it at once: a segment of at most SEGMENT_WORDS.
//
// Fetched is for a VOQ that has blocks outside and whose ring is less than half full (`urgent`, first of all) or has room for a segment
// worth its start: WORTH words, so that a nearly full ring does not ask for single words. Round robin among equals. The choice is
// registered, so it is one clock old when it is picked. In the clocks after `pick` the VOQ picked is `voq`, and `words` the length of its
// segment: what is outside, at most SEGMENT_WORDS, or WORTH or 16 if the ring has not room for so many; `none` if the choice was too old.
//
// A ring must have room for its largest packet and WORTH words, else its VOQ can wait for ever.
`default_nettype none
module voq_fetch #(
    // 1..16
    parameter VOQS = 8,
    // bits of a VOQ number, >= 1
    parameter LOG2_VOQS = 3,
    // longest segment [words], 16..512
    parameter SEGMENT_WORDS = 128
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire [VOQS-1:0]      present,       // has blocks outside
    input  wire [VOQS*12-1:0]   ring_free,     // words that its ring takes
    input  wire [VOQS-1:0]      ring_low,

    output reg                  ready,         // there is a choice
    output reg                  urgent,
    input  wire                 pick,          // it is taken

    output reg  [LOG2_VOQS-1:0] voq,           // the VOQ picked last
    input  wire                 outside_any,   // it has words outside:
    input  wire                 outside_many,  // more than 512,
    input  wire [9:0]           outside,       // or so many
    output wire                 none,
    output wire [9:0]           words          // of its segment
);
    // words, as powers of two: WORTH = 64 or less; a ring with 2**LOG2_ALL words free takes any segment
    localparam LOG2_WORTH = (SEGMENT_WORDS >= 64) ? 6 : (SEGMENT_WORDS >= 32) ? 5 : 4;
    localparam LOG2_ALL   = (SEGMENT_WORDS > 256) ? 9 : (SEGMENT_WORDS > 128) ? 8 : (SEGMENT_WORDS > 64) ? 7 : (SEGMENT_WORDS > 32) ? 6 :
                            (SEGMENT_WORDS > 16) ? 5 : 4;
    localparam [31:0] SEGMENT = SEGMENT_WORDS;
    localparam [31:0] WORTH   = 1 << LOG2_WORTH;

    initial
        if (SEGMENT_WORDS < 16 || SEGMENT_WORDS > 512) begin
            $display("%m: SEGMENT_WORDS must be 16..512, is %0d", SEGMENT_WORDS);
            $finish;
        end

    reg [VOQS-1:0] low, worth, takes_all, takes_worth, takes_some;
    integer i;
    always @*
        for (i = 0; i < VOQS; i = i + 1) begin
            takes_all[i]   = |ring_free[12*i+LOG2_ALL +: 12-LOG2_ALL];
            takes_worth[i] = |ring_free[12*i+LOG2_WORTH +: 12-LOG2_WORTH];
            takes_some[i]  = |ring_free[12*i+4 +: 8];
            low[i]         = present[i] && ring_low[i] && takes_some[i];
            worth[i]       = present[i] && takes_worth[i];
        end

    wire                 any;
    wire [LOG2_VOQS-1:0] index;
    reg  [LOG2_VOQS-1:0] choice;
    wire [VOQS-1:0] request = (|low) ? low : worth;
    generate
        if (VOQS == 1) begin : single
            assign any   = request[0];
            assign index = {LOG2_VOQS{1'b0}};
        end else begin : many
            wire [VOQS-1:0] grant;
            round_robin #(.N (VOQS), .LOG2_N (LOG2_VOQS))
                turn (.request (request), .last (voq), .any (any), .grant (grant), .index (index));
            wire unused = &{1'b0, grant};
        end
    endgenerate

    always @(posedge clk)
        if (rst) begin
            ready  <= 1'b0;
            urgent <= 1'b0;
            choice <= {LOG2_VOQS{1'b0}};
            voq    <= {LOG2_VOQS{1'b0}};
        end else begin
            ready  <= any;
            urgent <= |low;
            choice <= index;
            if (pick)
                voq <= choice;
        end

    // ---- the segment
    wire [9:0] most = takes_all[voq] ? SEGMENT[9:0] : takes_worth[voq] ? WORTH[9:0] : 10'd16;
    assign words = (outside_many || outside > most) ? most : outside;
    assign none  = !outside_any || !takes_some[voq];

    wire unused_bits = &{1'b0, SEGMENT[31:10], WORTH[31:10]};

    // ---- measuring
    wire probe_busy  = |present;
    wire probe_stall = (|present) && !any;
    wire probe_start = pick;
endmodule
`default_nettype wire
