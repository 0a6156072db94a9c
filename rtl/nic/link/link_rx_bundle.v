// Parses the frames of a bundle, as link_rx_frame does those of one link: credit word, header, header CRC, body, body
// CRC. Words have 32 x LINKS bits here; a frame is its bytes in order, with zero bytes behind the last one.
//
//     LINKS = 2     SOP  [credit]  header  CRC|p0 hi  p0 lo|p1 hi ...  p(n-1) lo|CRC            p0: first payload word
//     LINKS = 4     SOP  [credit]  header|CRC|p0 hi  p0 lo|p1|p2 hi ...  p(n-2) lo|p(n-1)|CRC   n even
//                                                                   ...  p(n-1) lo|CRC|0 0      n odd
//
// The rules for bad packets are those of link_rx_frame, with one difference: a clock without data ends the frame,
// because the links are then no longer aligned with each other (link_deskew).
//
// Credits wait for the end of their frame, as there. `header_good`, `record_good`, `ev_header_crc` are one clock after
// the word that completes header and CRC (LINKS = 4) or with it (LINKS = 2); outputs of the body one clock after its
// word. Word i of `body_data` is in [64*i +: 64], the first one in word 0. `body_end` is high with the last word.
`default_nettype none
`include "slots.vh"
module link_rx_bundle #(
    // links, 2 or 4
    parameter LINKS = 2,
    // 64-bit words per clock, LINKS / 2
    parameter WORDS = LINKS / 2
) (
    input  wire                clk,
    input  wire                rst,

    // words of the bundle, see link_deskew
    input  wire [32*LINKS-1:0] word,
    input  wire                word_valid,
    input  wire                word_sop,
    input  wire                word_k,
    input  wire                word_error,

    // packets
    output wire                header_good,    // pulse: `header` had a right CRC, its length is not 0
    output reg  [63:0]         header,         // until the next header
    output reg  [WORDS-1:0]    body_word,      // pulse: payload words, word 0 first
    output reg  [64*WORDS-1:0] body_data,
    output reg                 body_end,       // pulse: these were the last ones, and the body CRC is complete
    output wire                body_bad,       // ... and it is wrong
    output reg                 body_abort,     // pulse: the packet ended too early

    // check records (pulse; the record is `header`)
    output wire                record_good,

    // credit words
    output reg                 credit_valid,   // pulse: the frame of `credit_word` has ended
    output reg                 credit_bad,     // ... and a code error was in it
    output reg  [32*LINKS-1:0] credit_word,

    // events and status
    output wire                ev_cycle,       // level: SOP or a word of a frame
    output wire                ev_header_crc,
    output wire                ev_alignment,
    output wire [2:0]          fsm_state
);
    localparam [2:0] HUNT       = 3'd0;   // outside of frames, or discarding up to the next K
    localparam [2:0] FIRST      = 3'd1;   // first word after the SOP
    localparam [2:0] SECOND     = 3'd2;   // after a credit word: header or end of frame
    localparam [2:0] HEADER_CRC = 3'd3;   // the word behind the header
    localparam [2:0] BODY       = 3'd4;

    localparam       BITS     = 32 * LINKS;
    localparam [9:0] PER_WORD = WORDS[9:0];

    initial
        if ((LINKS != 2 && LINKS != 4) || WORDS != LINKS / 2) begin
            $display("%m: LINKS must be 2 or 4, is %0d; WORDS LINKS / 2, is %0d", LINKS, WORDS);
            $finish;
        end

    reg  [2:0]  state;
    reg         excused;        // HUNT: the words here have been counted already
    reg  [31:0] half;           // high half of the payload word that this word completes
    reg  [9:0]  words_left;     // payload words still to arrive
    reg         credit_held;    // credit_word waits for the end of its frame
    reg         frame_error;

    wire in_frame = (state != HUNT);
    wire data     = word_valid && !word_k;
    wire broken   = !word_valid;
    wire ended    = word_k || broken;

    assign fsm_state = state;
    assign ev_cycle  = (word_valid && word_sop) || (in_frame && data);

    // ---- header
    wire        header_here = data && (state == FIRST || state == SECOND) && !word[BITS-1];
    wire [15:0] header_crc;
    wire [31:0] crc_came;       // of the header, in state HEADER_CRC
    wire        crc_here;
    wire        body_begins;    // the word in state HEADER_CRC is one of the body

    `NIC_HEADER_CRC header_check (
        .clk (clk), .rst (rst), .first (1'b1), .step (header_here), .data (word[BITS-1 -: 64]), .crc (header_crc)
    );

    generate
        if (LINKS == 4) begin : crc_with_header
            reg [31:0] kept;
            always @(posedge clk) if (header_here) kept <= word[63:32];
            assign crc_came    = kept;
            assign crc_here    = 1'b1;
            assign body_begins = header_good;
        end else begin : crc_behind_header
            assign crc_came    = word[BITS-1 -: 32];
            assign crc_here    = data;
            assign body_begins = 1'b0;
        end
    endgenerate

    wire        header_checked = (state == HEADER_CRC) && crc_here;
    wire        header_right   = (crc_came == {16'd0, header_crc});
    wire        empty          = (header[41:32] == 10'd0);
    assign header_good   = header_checked && header_right && !empty;
    assign record_good   = header_checked && header_right && empty;
    assign ev_header_crc = header_checked && !header_right;

    // ---- body
    wire        in_body   = (state == BODY) || body_begins;
    wire        body_here = in_body && data;
    wire [9:0]  left      = (state == BODY) ? words_left : header[41:32];
    wire        last      = (left <= PER_WORD);
    wire [31:0] body_crc, body_crc_here;
    reg  [31:0] body_crc_came;
    wire [WORDS-1:0]    words_here;
    wire [64*WORDS-1:0] data_here;

    generate
        if (WORDS == 2) begin : two_words
            wire single = (left == 10'd1);
            assign words_here    = {!single, 1'b1};
            assign data_here     = {word[95:32], half, word[127:96]};
            assign body_crc_here = single ? word[95:64] : word[31:0];
            crc32_word128 body_check (
                .clk (clk), .rst (rst), .first (left == header[41:32]), .step (body_here), .two (!single),
                .data (single ? {64'd0, data_here[63:0]} : {data_here[63:0], data_here[127:64]}), .crc (body_crc)
            );
        end else begin : one_word
            assign words_here    = 1'b1;
            assign data_here     = {half, word[63:32]};
            assign body_crc_here = word[31:0];
            `NIC_BODY_CRC body_check (
                .clk (clk), .rst (rst), .first (left == header[41:32]), .step (body_here), .data (data_here),
                .crc (body_crc)
            );
        end
    endgenerate

    assign body_bad = (body_crc_came != body_crc);

    always @(posedge clk)
        if (rst) begin
            body_word     <= {WORDS{1'b0}};
            body_data     <= {64*WORDS{1'b0}};
            body_end      <= 1'b0;
            body_abort    <= 1'b0;
            body_crc_came <= 32'd0;
        end else begin
            body_word  <= body_here ? words_here : {WORDS{1'b0}};
            body_end   <= body_here && last;
            body_abort <= in_body && ended;
            if (body_here) begin
                body_data     <= data_here;
                body_crc_came <= body_crc_here;
            end
        end

    // ---- where a frame ends
    wire over      = record_good && (LINKS == 4);                      // the record ended with its header: no body due
    wire malformed = (state == SECOND) && data && word[BITS-1];        // a second credit word
    wire stray     = ((state == HUNT) && data && !excused) || (over && data);
    wire early     = ended && in_frame && (state != SECOND) && !over && !ev_header_crc;
    assign ev_alignment = malformed || stray || early;

    always @(posedge clk)
        if (rst) begin
            state      <= HUNT;
            excused    <= 1'b1;
            half       <= 32'd0;
            words_left <= 10'd0;
            header     <= 64'd0;
        end else begin
            if (word_valid && word_k)
                excused <= in_frame && !word_sop && early;
            else if (broken || stray || malformed || ev_header_crc)
                excused <= 1'b1;

            if (broken)
                state <= HUNT;
            else if (word_sop)
                state <= FIRST;
            else if (word_k)
                state <= HUNT;
            else
                case (state)
                    FIRST:      state <= word[BITS-1] ? SECOND : HEADER_CRC;
                    SECOND:     state <= word[BITS-1] ? HUNT : HEADER_CRC;
                    HEADER_CRC: state <= (header_good && !(body_begins && last)) ? BODY : HUNT;
                    BODY:       state <= last ? HUNT : BODY;
                    default:    state <= HUNT;
                endcase
            if (header_here)
                header <= word[BITS-1 -: 64];
            if (state == HEADER_CRC || state == BODY)
                words_left <= (in_body ? left - PER_WORD : left);
            half <= word[31:0];
        end

    always @(posedge clk)
        if (rst) begin
            credit_held  <= 1'b0;
            credit_valid <= 1'b0;
            credit_bad   <= 1'b0;
            credit_word  <= {BITS{1'b0}};
            frame_error  <= 1'b0;
        end else begin
            frame_error  <= (word_valid && word_sop) ? word_error : frame_error || word_error || !word_valid;
            credit_valid <= credit_held && ended;
            credit_bad   <= frame_error || word_error || broken;
            if (state == FIRST && data && word[BITS-1]) begin
                credit_held <= 1'b1;
                credit_word <= word;
            end else if (ended)
                credit_held <= 1'b0;
        end

    wire       probe_busy  = in_frame;
    wire       probe_start = header_good;
    wire       probe_done  = body_end || body_abort;
    wire [2:0] probe_state = state;
endmodule
`default_nettype wire
