// Words on their way to external memory, of all VOQs in one queue, in the order of the pieces they belong to.
//
// A piece is a run of words of one VOQ; it was reserved before, ends with `in_piece_end`, and the next one may follow
// in the next clock. Words become visible to the reader when committed; `in_rollback` drops uncommitted words of this
// piece (a word of the same clock too), and so does the end of the piece. Every piece leaves exactly one entry with
// `head_end`: its last word, if the end comes with it, else an entry without a word (`head_word` = 0) that takes the
// place of one of the words reserved. The reader counts pieces by them.
//
//     in_valid      _/ 0 \/ 1 \/ 2 \___________        piece of three words, the end later: 4 entries; with word 2: 3
//                                                      entries
//     in_commit     _____________/  \__________
//     in_piece_end  ______________________/  \_
//
// One block RAM of 2**LOG2_DEPTH entries with a registered read. A word committed in clock n shows in clock n + 2; one
// entry per clock in and out.
`default_nettype none
module voq_staging #(
    // bits of a VOQ number, 1..4
    parameter LOG2_VOQS = 3,
    // log2 of the entries, 10..12
    parameter LOG2_DEPTH = 10
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire                 clear,          // drops everything, reservations too

    // ---- words
    input  wire                 in_valid,
    input  wire [66:0]          in_data,        // [64] HEADER and [66] ABORT never both
    input  wire [LOG2_VOQS-1:0] in_voq,         // valid with in_valid and in_piece_end
    input  wire                 in_commit,
    input  wire                 in_rollback,    // wins over in_commit
    input  wire                 in_piece_end,
    input  wire [10:0]          in_piece_words, // reserved for the piece: more than its words, or as many if its end
                                                // comes with the last one

    // ---- reservations
    input  wire                 reserve,
    input  wire [10:0]          reserve_words,
    output wire [LOG2_DEPTH:0]  space,          // entries neither used nor reserved, from the clock after `reserve`

    // ---- oldest entry
    output reg                  head_valid,
    output wire                 head_word,      // it holds a word
    output wire                 head_end,       // the last entry of its piece
    output wire [LOG2_VOQS-1:0] head_voq,
    output wire [66:0]          head_data,
    input  wire                 pop,            // only with head_valid

    output wire                 half_full,
    output reg                  overflow        // a word finds no place
);
    localparam WIDTH = 68 + LOG2_VOQS;
    localparam [LOG2_DEPTH:0] ONE      = {{LOG2_DEPTH{1'b0}}, 1'b1};
    localparam [LOG2_DEPTH:0] CAPACITY = {1'b1, {LOG2_DEPTH{1'b0}}};

    initial
        if (LOG2_DEPTH < 10 || LOG2_DEPTH > 12 || LOG2_VOQS < 1 || LOG2_VOQS > 4) begin
            $display("%m: LOG2_DEPTH must be 10..12 and LOG2_VOQS 1..4, are %0d and %0d", LOG2_DEPTH, LOG2_VOQS);
            $finish;
        end

    reg [WIDTH-1:0] memory [0:(1 << LOG2_DEPTH)-1];
    reg [WIDTH-1:0] head;

    // Pointers have one bit more than an address, so differences are numbers of entries.
    reg [LOG2_DEPTH:0] written;                 // next entry
    reg [LOG2_DEPTH:0] committed;               // first one that the reader does not see
    reg [LOG2_DEPTH:0] piece;                   // first one of this piece
    reg [LOG2_DEPTH:0] read;                    // next one to fetch into `head`
    reg [LOG2_DEPTH:0] unreserved;              // CAPACITY less the words of pieces that have not ended

    wire [LOG2_DEPTH:0] occupied = written - read;
    wire full   = occupied[LOG2_DEPTH];
    wire back   = in_rollback || (in_piece_end && !in_commit);
    wire word   = in_valid && !back;
    wire write  = word || in_piece_end;
    wire accept = write && !full;
    wire fetch  = (read != committed) && (!head_valid || pop);

    wire [LOG2_DEPTH:0] place        = back ? committed : written;
    wire [LOG2_DEPTH:0] written_next = place + {{LOG2_DEPTH{1'b0}}, accept};
    wire [LOG2_DEPTH:0] reserving    = {{LOG2_DEPTH-10{1'b0}}, reserve_words & {11{reserve}}};
    wire [LOG2_DEPTH:0] goes         = {{LOG2_DEPTH-10{1'b0}}, in_piece_words & {11{in_piece_end}}};

    assign space     = unreserved + (read - piece);
    assign head_data = head[66:0];
    assign head_end  = head[67];
    assign head_voq  = head[WIDTH-1:68];
    assign head_word = !(head[64] && head[66]);
    assign half_full = full || occupied[LOG2_DEPTH-1];

    always @(posedge clk)
        if (accept)
            memory[place[LOG2_DEPTH-1:0]] <= {in_voq, in_piece_end, in_data[66] || !word, in_data[65], in_data[64]
                                              || !word, in_data[63:0]};

    always @(posedge clk)
        if (fetch)
            head <= memory[read[LOG2_DEPTH-1:0]];

    always @(posedge clk)
        if (rst || clear) begin
            written    <= {LOG2_DEPTH+1{1'b0}};
            committed  <= {LOG2_DEPTH+1{1'b0}};
            piece      <= {LOG2_DEPTH+1{1'b0}};
            read       <= {LOG2_DEPTH+1{1'b0}};
            unreserved <= CAPACITY;
            head_valid <= 1'b0;
            overflow   <= 1'b0;
        end else begin
            written <= written_next;
            if (in_piece_end || in_commit) committed <= written_next;
            if (in_piece_end) piece <= written_next;
            if (fetch)        read  <= read + ONE;
            head_valid <= fetch || (head_valid && !pop);
            unreserved <= unreserved - reserving + goes;
            overflow   <= write && full;
        end

    // ---- measuring
    wire                probe_busy        = head_valid || (written != read);
    wire                probe_stall_taker = head_valid && !pop;
    wire [LOG2_DEPTH:0] probe_level       = occupied;
    wire                probe_start       = accept && word;
    wire                probe_done        = pop && head_word;
endmodule
`default_nettype wire
