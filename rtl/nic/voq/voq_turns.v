// Arbitration of the external memory: words written out, or words fetched. One segment after the other.
//
//     IDLE   no work
//     WRITE  entries of the staging are written, up to SEGMENT_WORDS words; ends early when there are none
//     SIZE   one clock: the length of the segment to fetch becomes known
//     READ   that many words are requested
//
// Fetching goes first for a ring that runs low, writing when the staging is half full or more, else they alternate.
// They also alternate while a ring that runs low has all its other words in the staging. After 7 segments fetched in a
// row writing goes first in any case: the words of a queue in the staging do not wait until the bodies of all others
// are back. A READ that waits because the ring refuses words lets writes pass. The clock after the last word of a
// segment chooses the next: a segment of n words costs n + 1 clocks to write, n + 2 to fetch.
`default_nettype none
module voq_turns #(
    // longest segment [words], 16..512
    parameter SEGMENT_WORDS = 128
) (
    input  wire       clk,
    input  wire       rst,
    input  wire       clear,

    // ---- to write
    input  wire       head_valid,      // the staging shows an entry
    input  wire       head_word,       // it holds a word
    input  wire       staging_full,    // half or more
    input  wire       staging_urgent,  // a ring that runs low waits for words in it

    // ---- to fetch
    input  wire       fetch_ready,
    input  wire       fetch_urgent,
    output wire       fetch_pick,
    input  wire       fetch_none,      // for the VOQ picked, valid in the clock after: there is nothing to fetch,
    input  wire [9:0] fetch_words,     // else this many words
    input  wire       returns_room,    // a word read now has a place
    input  wire       returns_blocked, // words have arrived and the ring does not take them

    output wire       sizing,          // that clock

    // ---- accesses
    output wire       fetching,        // the address is that of the fetch
    output wire       write_try,       // the word of the staging is offered for writing
    output wire       read_try,
    input  wire       write_done,
    input  wire       read_done,
    output wire       skip,            // an entry without a word leaves the staging

    output wire       begins,          // the first clock of a segment fetched, with `left` its words
    output reg  [9:0] left,
    output wire [1:0] state
);
    localparam [1:0] IDLE = 2'd0, WRITE = 2'd1, SIZE = 2'd2, READ = 2'd3;
    localparam [31:0] SEGMENT = SEGMENT_WORDS;

    reg [1:0] fsm;
    reg       first;
    reg       wrote_last;      // the last segment was written out
    reg [2:0] in_row;          // segments fetched since then, 7 or more

    reg  stuck;                // a clock ago the ring did not take words, and no more could be requested
    wire over       = (left == 10'd0);
    wire pass       = (fsm == READ) && stuck;       // a write in a READ
    wire turn_write = (fsm == WRITE) && !over || pass;

    assign sizing    = (fsm == SIZE);
    assign fetching  = (fsm == SIZE) || ((fsm == READ) && !stuck);
    assign write_try = turn_write && head_valid && head_word;
    assign skip      = turn_write && head_valid && !head_word;
    assign read_try  = (fsm == READ) && !stuck && !over && returns_room;
    assign begins    = first;
    assign state     = fsm;

    wire choose     = (fsm == IDLE) || (fsm == WRITE && (over || !head_valid)) || (fsm == READ && over);
    wire reads_next = (fsm != READ) && (wrote_last || fsm == WRITE);      // when nothing else decides
    wire must_write = (&in_row) || (staging_urgent && (|in_row));
    wire fetch_wins = fetch_ready && (!head_valid || (!must_write && (fetch_urgent || (!staging_full && reads_next))));

    assign fetch_pick = choose && fetch_wins;

    always @(posedge clk)
        if (rst || clear) begin
            fsm        <= IDLE;
            first      <= 1'b0;
            stuck      <= 1'b0;
            wrote_last <= 1'b0;
            in_row     <= 3'd0;
        end else begin
            first <= 1'b0;
            stuck <= !returns_room && returns_blocked;
            if (choose)
                fsm <= fetch_wins ? SIZE : head_valid ? WRITE : IDLE;
            else if (fsm == SIZE) begin
                fsm   <= fetch_none ? IDLE : READ;
                first <= !fetch_none;
            end
            if (fsm == WRITE)     wrote_last <= 1'b1;
            else if (fsm == READ) wrote_last <= 1'b0;
            if (fsm == WRITE)             in_row <= 3'd0;
            else if (first && !(&in_row)) in_row <= in_row + 3'd1;
        end

    always @(posedge clk)
        if (fsm == SIZE)
            left <= fetch_words;
        else if (choose)
            left <= SEGMENT[9:0];
        else if ((fsm == WRITE) ? write_done : read_done)
            left <= left - 10'd1;

    wire unused = &{1'b0, SEGMENT[31:10]};

    // ---- measuring
    wire       probe_busy        = (fsm != IDLE);
    wire       probe_stall_write = write_try && !write_done;
    wire       probe_stall_read  = (fsm == READ) && !read_done;
    wire [1:0] probe_state       = fsm;
endmodule
`default_nettype wire
