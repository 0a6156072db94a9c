// Departure: takes the packet that the scheduler has chosen out of its VOQ, writes it into the link FIFO, and keeps the
// contexts filled.
//
// A transfer in a VOQ is a header and a stream of words; packets are made of it here, each with a header of its own:
// address and length of its part, sequence number, the notification flags in the last one only (design.md 3).
//
//     clock      0      1      2      3   ...  n      n+1    n+2
//     take     /~~~~~\______________________________________/~~~~     the choice, combinational from registered bits
//     out      |hdr  |      |w0    |w1    ...       |w n-1|hdr
//     rd_valid _______/~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\_______
//     counted  _______/~~~~~\_______________________________         context stepped, units and number counted
//
// So a packet of n words takes n + 2 clocks, one more when a header is loaded for another queue meanwhile, or the next
// packet is of the same queue. With several paths it takes n + 3 at least: the clock behind the header and the one
// behind the last word are left free for CRCs (voq_crc), so path_scheduler has the four clocks that it needs. A packet
// starts with at most START words in the link FIFO and pauses while it holds STOP or more: a word already read still
// follows, and a CRC behind it.
//
// Loads: the header at the head of a ring goes into the context of its queue. It is read as soon as a data word has
// been read before it, and arrives a clock later. An ABORT in its place leaves a gap in the sequence numbers, and so
// does a header read back damaged from external memory: its transfer is dropped (voq_discard).
//
// With SYNC the answers of the hardware (operations 14 and 15, rtl/sync) are no transfers of a request queue: they are
// not reported, here or by the link ([66] of their header is 0). With `cfg_groups` headers carry a group instead of a
// number.
//
// `halt` (software reset): no packet starts, the current one is finished; `idle` when it is. If the link FIFO takes no
// word of it for 256 clocks (the link is down) the remainder is dropped: the link, once it is up, pads it with zeros
// and corrupts the body CRC. It is still counted as sent, because its header is already in the FIFO. If its words
// cannot arrive any more (it was eager, and they are not committed) they are sent with bit [67] set, so that the link
// corrupts its body. So is a damaged word, and one that is no data.
`default_nettype none
`include "slots.vh"
module voq_departure #(
    // queues, 1..16
    parameter VOQS = 8,
    // log2 of the destinations, 1..4
    parameter LOG2_QUEUES = 3,
    // log2 of the words of a ring, 8..12
    parameter LOG2_VOQ_WORDS = 10,
    // links with packets of their own, 1..4, and log2 of the words of the FIFO of each, 6..10
    parameter PATHS = 1,
    parameter LOG2_OUT = 6,
    // 1: with operations and groups (rtl/sync), for one path and several queues; 0: without
    parameter SYNC = 0
) (
    input  wire                                   clk,
    input  wire                                   rst,
    input  wire [7:0]                             slept,          // clock_gate: clocks missed
    input  wire                                   clear,          // all queues are empty from now on
    input  wire                                   clear_numbers,  // with clear: lane `clear_lane` is reset
    input  wire [LOG2_QUEUES-1:0]                 clear_lane,
    input  wire [1:0]                             clear_path,     // ... on this path
    input  wire                                   halt,
    output wire                                   idle,           // no packet is in progress
    input  wire                                   skip_valid,     // with halt: a transfer to this destination dropped
    input  wire [LOG2_QUEUES-1:0]                 skip_lane,
    input  wire [$clog2(VOQS > 1 ? VOQS : 2)-1:0] skip_voq,       // with halt: queue asked for
    output wire                                   skip_used,      // ... it holds words

    input  wire                                   cfg_direct,     // level: all queues share one lane (virtual channel)
    input  wire                                   cfg_sequence_zero, // level: sequence numbers are all 0
    input  wire                                   cfg_groups,      // level: packets carry groups
    input  wire [11:0]                            cfg_tx_capacity, // buffer behind each lane [units]

    // words being written on chip
    input  wire                                   put_look,       // a header is being written
    input  wire                                   put_empty,      // ... and its ring is empty
    output wire                                   put_header,     // ... so it goes into the context instead of the ring
    input  wire                                   put_eager,
    input  wire                                   put_commit,
    input  wire                                   put_rollback,
    input  wire [$clog2(VOQS > 1 ? VOQS : 2)-1:0] put_voq,
    input  wire [63:0]                            put_data,

    // rings
    input  wire                                   shown_valid,
    input  wire [$clog2(VOQS > 1 ? VOQS : 2)-1:0] shown_voq,
    input  wire                                   shown_abort,    // ... by an ABORT
    output wire [$clog2(VOQS > 1 ? VOQS : 2)-1:0] look_voq,
    input  wire [LOG2_VOQ_WORDS-1:0]              look_words,     // visible words
    output wire                                   rd_valid,       // rd_data shows the word in the next clock
    output wire                                   rd_keep,        // with it: the word stays
    output wire [$clog2(VOQS > 1 ? VOQS : 2)-1:0] rd_voq,
    input  wire [67:0]                            rd_data,

    input  wire [VOQS*12-1:0]                     level,          // of the queues, see voq_scheduler

    // credits
    input  wire                                   credit_valid,
    input  wire [6:0]                             credit_lane,
    input  wire [6:0]                             credit_value,   // counter bits [11:5]
    input  wire [1:0]                             credit_path,    // the link by which it arrived
    output wire                                   credit_taken,   // credit_* is held until then

    // several paths
    input  wire [PATHS-1:0]                       path_up,        // level: this link is up
    input  wire [PATHS-1:0]                       path_dead,      // level: long down: its packets are no longer awaited
    input  wire [(PATHS << LOG2_QUEUES)-1:0]      cfg_paths,      // paths in use to destination d in [PATHS*d +: PATHS]
    input  wire [9:0]                             cfg_ahead,      // see voq_ahead

    // link FIFO
    output wire                                   out_valid,
    output wire [67:0]                            out_data,
    input  wire [PATHS*(LOG2_OUT+1)-1:0]          out_count,      // words in it, of each path
    output wire [1:0]                             out_path,       // with out_valid: into that of this path
    input  wire                                   out_hold,       // level: no packet may start
    output wire                                   out_quiet,      // no packet is on its way there
    output wire                                   moved_valid,    // a transfer has left as a whole,
    output wire                                   moved_lost,     // ... or has been dropped
    output wire [LOG2_QUEUES-1:0]                 moved_queue,

    output wire [VOQS-1:0]                        blocked,        // its packet has no credit
    output wire                                   backpressure,   // packets are ready, no credit, none is in progress
    output wire                                   ev_stray,       // a word out of place: a bug
    output wire [2:0]                             state
);
    localparam LOG2_VOQS = $clog2(VOQS > 1 ? VOQS : 2);
    // Words in the link FIFO up to which another packet may start. The longer FIFO of a bundle is filled in time for
    // its faster link. With several paths one link sends while another one's packet is written, so it needs more words
    // in its FIFO: a packet of 62 with its CRCs.
    localparam [LOG2_OUT:0] START = (LOG2_OUT == 6) ? 16 : (PATHS == 1) ? 48 : 66;
    localparam [LOG2_OUT:0] STOP  = (1 << LOG2_OUT) - 4;

    // ---- the current packet
    reg                    reading;       // words are still to be read
    reg  [9:0]             left;
    reg                    out_word;      // a word of it is on rd_data
    reg                    out_last;
    reg                    uncounted;     // its context has not been stepped
    reg  [LOG2_VOQS-1:0]   cur;
    reg                    cur_ends;      // last packet of its transfer
    reg                    cur_eager;     // started before all its words were committed
    reg                    eager;         // such words are being put
    reg  [LOG2_QUEUES-1:0] cur_dest;      // its destination
    reg  [7:0]             patience;      // halted: clocks without a word
    reg                    cut;           // ... too many: its remainder is dropped

    wire                   load_valid, load_keep;
    wire [LOG2_VOQS-1:0]   load_voq;
    reg                    load_done;
    reg                    load_kept;
    wire                   any;
    wire [VOQS-1:0]        grant, eligible, waiting;
    wire [LOG2_VOQS-1:0]   index;
    wire [9:0]             head_size;
    wire                   head_last;
    wire [31:0]            head_address;
    wire [2:0]             head_flags;
    wire [5:0]             head_group;
    wire                   head_answer = (SYNC != 0) && head_address[0] && (&head_address[19:17]);
    reg                    cur_answer;

    wire crc_free;                        // several paths: the clock behind the last word, which is left free
    wire quiet    = !reading && !out_word && !uncounted && !crc_free;
    wire [PATHS-1:0]       path_open;     // a packet may start by this path
    wire                   cur_stops;     // the FIFO that it goes into is full
    wire path_open_now, may_start;
    wire take     = any && may_start && quiet && path_open_now && !halt;
    wire may_read = reading && (!cur_stops || cut);
    wire load     = load_valid && (out_word || !may_read);   // loads never cost two clocks without a word
    wire read     = may_read && !load;
    wire counted  = uncounted && !load_done;
    wire poisoned = cur_eager && halt;

    assign rd_valid = load || read;
    assign rd_keep  = load && load_keep;
    assign rd_voq   = load ? load_voq : cur;
    assign out_quiet = quiet && !take;
    assign idle     = quiet && !load_valid && !load_done;

    always @(posedge clk)
        if (rst) begin
            reading   <= 1'b0;
            out_word  <= 1'b0;
            uncounted <= 1'b0;
            load_done <= 1'b0;
            eager     <= 1'b0;
            cur_eager <= 1'b0;
        end else begin
            if (take)                       reading <= 1'b1;
            else if (read && left == 10'd1) reading <= 1'b0;
            out_word  <= read;
            uncounted <= take || (uncounted && load_done);
            load_done <= load;
            if (put_commit || put_rollback || clear) eager <= 1'b0;
            else if (put_header)                     eager <= put_eager;
            if (put_commit || clear) cur_eager <= 1'b0;
            else if (take)           cur_eager <= eager && (index == put_voq);
        end

    always @(posedge clk)
        if (rst || !reading || !halt) begin
            patience <= 8'd0;
            cut      <= 1'b0;
        end else begin
            patience <= read ? 8'd0 : patience + 8'd1;
            cut      <= cut || (&patience);
        end

    always @(posedge clk) begin
        out_last  <= (left == 10'd1);
        load_kept <= load_keep;
        if (take) begin
            cur           <= index;
            cur_ends      <= head_last;
            cur_answer    <= head_answer;
            left          <= head_size;
        end else if (read)
            left          <= left - 10'd1;
    end

    // ---- which queues may start
    wire                   credit_changed, credit_lower, step_last;
    wire [PATHS-1:0]       look_fits, take_paths;
    wire [9:0]             put_size, look_size, fits_size, step_size;
    wire                   put_free, look_used;
    wire [LOG2_QUEUES-1:0] put_lane, look_lane, step_lane, head_lane;
    wire                   load_abort  = rd_data[66];
    wire                   load_header;
    wire                   shared      = (VOQS == 1) || cfg_direct;
    wire [LOG2_VOQS-1:0]   look;

    // One context is written at a time: a header that arrives while one is loaded or a packet counted goes into the
    // ring.
    assign put_header = put_look && put_empty && put_free && !load_done && !uncounted && !put_rollback && !halt;
    assign look_voq   = look;
    assign skip_used  = look_used;

    voq_ready #(.VOQS(VOQS), .PATHS(PATHS), .LOG2_VOQ_WORDS(LOG2_VOQ_WORDS)) bits (
        .clk (clk), .rst (rst), .slept (slept), .clear (clear), .halt (halt), .halt_voq (skip_voq), .shared (shared),
        .put_look (put_look), .put_header (put_header), .put_eager (put_eager), .put_commit (put_commit),
        .put_rollback (put_rollback), .put_voq (put_voq), .put_size (put_size), .put_free (put_free),
        .shown_valid (shown_valid), .shown_voq (shown_voq), .shown_abort (shown_abort),
        .credit_changed (credit_changed), .credit_lower (credit_lower),
        .credit_voq ((VOQS == 1) ? {LOG2_VOQS{1'b0}} : credit_lane[LOG2_VOQS-1:0]),
        .look_voq (look), .look_words (look_words), .look_size (look_size), .fits_size (fits_size),
        .look_fits (look_fits), .take (take), .take_grant ({{(1 << LOG2_VOQS)-VOQS{1'b0}}, grant}), .take_voq (index),
        .path_open (path_open), .take_paths (take_paths),
        .cur_voq (cur), .cur_reading (reading), .cur_counted (counted), .cur_last (step_last),
        .cur_waits (uncounted), .cur_read (read && left == 10'd1),
        .load_valid (load_valid), .load_keep (load_keep), .load_voq (load_voq), .load_issue (load),
        .load_done (load_done), .load_abort (load_abort), .load_header (load_header),
        .waiting (waiting), .eligible (eligible), .may_start (may_start), .blocked (blocked), .look_used (look_used)
    );

    voq_context #(.LOG2_VOQS(LOG2_VOQS), .LOG2_QUEUES(LOG2_QUEUES), .SYNC(SYNC)) contexts (
        .clk (clk),
        .load (load_done && !load_kept && load_header), .load_voq (load_voq), .load_header (rd_data[63:0]),
        .put (put_header), .put_voq (put_voq), .put_header (put_data), .put_size (put_size), .put_lane (put_lane),
        .step (counted), .step_voq (cur), .step_size (step_size), .step_last (step_last), .step_lane (step_lane),
        .look_voq (look), .look_size (look_size), .look_lane (look_lane),
        .head_voq (index), .head_size (head_size), .head_last (head_last), .head_address (head_address),
        .head_flags (head_flags), .head_lane (head_lane), .head_group (head_group)
    );

    `VOQ_SCHEDULER #(.VOQS(VOQS)) scheduler (
        .clk (clk), .rst (rst), .eligible (eligible), .waiting (waiting), .level (level), .take (take),
        .take_words (head_size), .any (any), .grant (grant), .index (index)
    );

    // ---- credits and numbers: a lane for each destination, lane 0 for all in DIRECT mode
    localparam [LOG2_QUEUES-1:0] ZERO = {LOG2_QUEUES{1'b0}};
    wire [LOG2_QUEUES-1:0] put_to, look_to, head_to, cur_to, gone_to;

    generate
        if (VOQS == 1) begin : single
            assign put_to  = put_lane;
            assign look_to = look_lane;
            assign head_to = head_lane;
            assign cur_to  = step_lane;
            // Written three times by voq: of a damaged word two are right.
            wire [3:0] to_1 = rd_data[55:52];
            wire [3:0] to_2 = rd_data[59:56];
            wire [3:0] to_3 = {rd_data[63], rd_data[2:0]};
            wire [3:0] vote = (to_1 & to_2) | (to_1 & to_3) | (to_2 & to_3);
            assign gone_to = vote[LOG2_QUEUES-1:0];
            wire unused_single = &{1'b0, vote};
        end else begin : several
            assign put_to  = put_voq;
            assign look_to = look;
            assign head_to = index;
            assign cur_to  = cur;
            assign gone_to = load_voq;
            wire unused_several = &{1'b0, put_lane, look_lane, head_lane, step_lane};
        end
    endgenerate

    // ---- words that become no packet
    wire gone, lost, load_stray;
    wire [LOG2_QUEUES-1:0] lost_to;

    voq_discard #(.VOQS(VOQS), .LOG2_QUEUES(LOG2_QUEUES)) refuse (
        .clk (clk), .clear (clear), .clear_voq (skip_voq),
        .word_valid (load_done && !load_kept), .word_voq (load_voq), .word_lane (gone_to), .word_kind (rd_data[67:64]),
        .header (load_header), .gone (gone), .lost (lost), .lost_lane (lost_to), .stray (load_stray)
    );

    // ---- choice of the path: see path_scheduler
    wire [LOG2_QUEUES-1:0] look_at_lane = cfg_direct ? ZERO : put_look && !halt ? put_to : look_to;
    wire [LOG2_QUEUES-1:0] sent_lane    = cfg_direct ? ZERO : cur_to;
    wire [LOG2_QUEUES-1:0] head_at      = cfg_direct ? ZERO : head_to;
    wire                   step         = counted || gone || skip_valid;
    wire [LOG2_QUEUES-1:0] step_at      = cfg_direct ? ZERO : counted ? cur_to : gone ? gone_to : skip_lane;
    wire [PATHS-1:0]       fits;
    wire [9:0]             number;
    wire                   first;          // several paths: the packet that may start is the first one of its transfer
    wire [1:0]             path;           // of the packet that may start
    reg  [1:0]             cur_path;       // of the current one
    genvar p;

    assign out_path       = out_word ? cur_path : path;

    generate
        if (PATHS == 1) begin : one_path
            wire [8:0] in_turn;

            voq_credit #(.LANES(1 << LOG2_QUEUES)) credits (
                .clk (clk), .clear (clear && clear_numbers), .clear_lane (clear_lane),
                .credit_valid (credit_valid), .credit_lane (credit_lane), .credit_value (credit_value),
                .cfg_capacity (cfg_tx_capacity), .changed (credit_changed), .lower (credit_lower),
                .look_lane (look_at_lane), .look_words (fits_size), .look_fits (fits),
                .sent_valid (counted), .sent_lane (sent_lane), .sent_words (step_size)
            );

            voq_sequence #(.LANES(1 << LOG2_QUEUES)) numbers (
                .clk (clk), .clear (clear && clear_numbers), .clear_lane (clear_lane),
                .look_lane (head_at), .look_number (in_turn), .step (step), .step_lane (step_at)
            );

            assign look_fits     = fits;
            assign number        = {1'b1, cfg_sequence_zero ? 9'd0 : in_turn};
            assign first         = 1'b0;
            assign path          = 2'd0;
            assign path_open     = 1'b1;
            assign path_open_now = (out_count <= START);
            assign cur_stops     = !(out_count < STOP);
            assign crc_free      = 1'b0;
            assign credit_taken  = !(clear && clear_numbers);

            wire unused_paths = &{1'b0, clear_path, take_paths, cur_path, credit_path, path_up, path_dead,
                                  cfg_paths, cfg_ahead, out_hold};
        end else begin : several_paths
            wire [PATHS-1:0] in_use, may_go, path_grant, stops;
            wire             path_any;
            wire [3:0]       credit_uses;         // paths in use for the lane of the credit
            wire [3:0]       stops_wide = {{4-PATHS{1'b0}}, stops};
            wire [PATHS-1:0] idle_paths;
            wire [10:0]      units, units_sent;
            wire             hold;

            for (p = 0; p < PATHS; p = p + 1) begin : fifo
                wire [LOG2_OUT:0] words = out_count[(LOG2_OUT+1)*p +: LOG2_OUT+1];
                assign path_open[p] = path_up[p] && (words <= START) && !out_hold;
                assign stops[p]     = !(words < STOP);
            end

            reg              behind_word;

            always @(posedge clk)
                behind_word <= out_word && !rst;

            assign crc_free      = behind_word;
            assign cur_stops     = stops_wide[cur_path];
            assign path_open_now = !hold;
            assign look_fits     = fits & may_go;
            assign in_use        = cfg_paths[PATHS*look_at_lane +: PATHS] & ~path_dead;
            assign credit_uses   = {{4-PATHS{1'b0}}, cfg_paths[PATHS*credit_lane[LOG2_QUEUES-1:0] +: PATHS]};

            // per queue: paths in use for it, as read last
            (* ram_style = "distributed" *) reg [PATHS-1:0] used [0:(1 << LOG2_VOQS)-1];

            always @(posedge clk)
                used[look] <= in_use;

            voq_path_credit #(.LANES(1 << LOG2_QUEUES), .PATHS(PATHS)) credits (
                .clk (clk), .clear (clear && clear_numbers), .clear_lane (clear_lane), .clear_path (clear_path),
                .credit_valid (credit_valid), .credit_lane (credit_lane), .credit_path (credit_path),
                .credit_value (credit_value), .credit_taken (credit_taken), .cfg_capacity (cfg_tx_capacity),
                .changed (credit_changed), .lower (credit_lower), .look_lane (look_at_lane), .look_words (fits_size),
                .look_fits (fits), .look_idle (idle_paths), .sent_valid (counted), .sent_lane (sent_lane),
                .sent_path (cur_path), .sent_words (step_size), .units (units), .units_sent (units_sent)
            );

            voq_ahead #(.LANES(1 << LOG2_QUEUES), .PATHS(PATHS)) ahead (
                .clk (clk), .clear (clear && clear_numbers), .clear_lane (clear_lane), .cfg_ahead (cfg_ahead),
                .dead (path_dead), .next_lane (head_at), .next_number (number), .step (step), .step_lane (step_at),
                .hold (hold),
                .look_lane (look_at_lane), .look_in_use (in_use), .look_idle (idle_paths), .look_open (may_go),
                .sent_valid (counted), .sent_lane (sent_lane), .sent_path (cur_path), .sent_units (units_sent),
                .credit_valid (credit_changed), .credit_lane (credit_lane[LOG2_QUEUES-1:0]), .credit_path (credit_path),
                .credit_value (credit_value), .credit_units (units),
                .credit_in_use (credit_uses[credit_path])
            );

            `PATH_SCHEDULER #(.PATHS(PATHS), .LOG2_LANES(LOG2_QUEUES)) path_choice (
                .clk (clk), .rst (rst), .lane (head_at), .eligible (take_paths), .in_use (used[index] & path_up),
                .take (take), .take_words (head_size), .any (path_any), .grant (path_grant), .index (path)
            );

            // per queue: a packet of the transfer in its context has been sent. A bit of the header that the link does
            // not get reports it
            (* ram_style = "distributed" *) reg begun [0:(1 << LOG2_VOQS)-1];
            wire [LOG2_VOQS-1:0] begun_at = counted ? cur : load_done ? load_voq : put_voq;

            always @(posedge clk)
                if (counted || load_done || put_header) begun[begun_at] <= counted;

            assign first = !begun[index];

            wire unused_paths = &{1'b0, path_any, path_grant, cfg_sequence_zero, stops_wide};
        end
    endgenerate

    always @(posedge clk)
        if (take) cur_path <= path;

    // ---- the words for the link
    wire [6:0]  flow        = {{7-LOG2_QUEUES{1'b0}}, head_to};
    wire [9:0]  marks       = (cfg_groups && SYNC != 0) ? {4'b1000, head_group} : number;
    wire [67:0] header      = {1'b0, head_last && !head_answer, first, 1'b1, 1'b0, flow, 1'b0,
                               head_flags & {3{head_last}}, marks, head_size, head_address};

    wire        misplaced   = rd_data[66] || rd_data[64];

    assign out_valid    = take || (out_word && !cut);
    assign out_data     = out_word ? {poisoned || rd_data[67] || misplaced, 1'b0, out_last, 1'b0, rd_data[63:0]}
                          : header;
    assign moved_valid  = (out_word && out_last && cur_ends && !cur_answer && !poisoned) || lost;
    assign moved_lost   = lost;
    assign moved_queue  = lost ? lost_to : cur_dest;
    assign backpressure = (|blocked) && !(any && may_start) && quiet;
    assign ev_stray     = (out_word && !poisoned && misplaced) || load_stray;
    assign state        = {load_valid || load_done, uncounted, reading};

    always @(posedge clk)
        if (take)
            cur_dest <= head_to;

    wire unused = &{1'b0, rd_data[65], credit_lane, cfg_groups, head_group};

    // ---- measuring
    wire probe_busy        = |waiting || !quiet;
    wire probe_stall_words = reading && !read;
    wire probe_stall_link  = any && quiet && !take;
    wire probe_start       = take;
    wire probe_done        = out_word && out_last;
endmodule
`default_nettype wire
