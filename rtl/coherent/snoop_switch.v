// Interconnect of the coherent node: a switch that acts like a snooping bus (S2 4). Agents 0 and 1 are caches, 2 is the
// network interface; vectors have one field for each, agent 0 lowest. Protocol: README.md; ports: interconnect.md.
//
// One broadcast at a time: pick, snoop, look up, resolve. What it moves from an agent (a supplied line, a line or words
// that are written) follows on bus P. Lines read from memory come later on bus F, beside broadcasts and bus P: two
// transfers at a time.
//
//     clock     0       1           2        3        4 ...
//               pick    broadcast   caches   answers  words on bus P: `out_take`, one clock later `in_valid` and the
//                       `snoop_`    look up           memory's queue; next pick: clock 4 if there are none
//
// A line that is being read from memory is not broadcast until it has arrived (snoop_fills), so no line changes hands
// half filled. `result_data` says that the asker's own words move or that the line comes.
`default_nettype none
module snoop_switch #(
    // bits of a line's number, >= 2
    parameter LINE_BITS = 23,
    // log2 of the words in a line, >= 1
    parameter LOG2_WORDS = 2,
    // bytes of a word, >= 1
    parameter BYTES = 8,
    // log2 of the places in each of the memory's queues, >= 2
    parameter LOG2_QUEUE = 4
) (
    input  wire                             clk,
    input  wire                             rst,

    // requests
    input  wire [2:0]                       req_valid,
    input  wire [8:0]                       req_kind,
    input  wire [3*LINE_BITS-1:0]           req_line,
    input  wire [3*LOG2_WORDS-1:0]          req_word,     // the first
    input  wire [3*LOG2_WORDS-1:0]          req_last,     // words less one, of UPDATE and INVALIDATE_WRITE
    input  wire [2:0]                       req_tag,
    input  wire [2:0]                       req_full,     // all bytes of the line are written
    input  wire [2:0]                       req_allocate,
    input  wire [2:0]                       req_cache,    // with it: where
    output wire [2:0]                       req_taken,
    output reg  [2:0]                       result_valid,
    output reg                              result_shared,
    output reg                              result_data,

    // broadcast
    output reg                              snoop_valid,
    output reg  [2:0]                       snoop_kind,
    output reg  [LINE_BITS-1:0]             snoop_line,
    output reg  [1:0]                       snoop_source,
    output reg                              snoop_full,
    output reg                              snoop_allocate,
    output reg                              snoop_cache,
    output wire                             snoop_done,
    input  wire [2:0]                       answer_has,
    input  wire [1:0]                       answer_supplies,
    input  wire [1:0]                       answer_dirty,
    input  wire [1:0]                       answer_takes,
    output reg  [1:0]                       hint_valid,

    // words out of agents
    output wire [2:0]                       out_take,
    output wire                             out_own,
    output wire [LOG2_WORDS-1:0]            out_word,
    input  wire [24*BYTES-1:0]              out_data,
    input  wire [3*BYTES-1:0]               out_mask,

    // words into agents
    output wire [2:0]                       in_valid,
    output wire [2:0]                       in_own,
    output wire [2:0]                       in_last,
    output wire [3*LOG2_WORDS-1:0]          in_word,
    output wire [24*BYTES-1:0]              in_data,
    output wire [BYTES-1:0]                 in_mask,      // of words that are merged
    output wire [2:0]                       in_tag,

    // memory: as that of nic.v, without its tag byte
    output wire                             mem_valid,
    input  wire                             mem_ready,
    output wire                             mem_we,
    output wire [LINE_BITS+LOG2_WORDS-1:0]  mem_addr,
    output wire [8*BYTES-1:0]               mem_wdata,
    output wire [BYTES-1:0]                 mem_be,
    input  wire                             mem_rvalid,
    input  wire [8*BYTES-1:0]               mem_rdata,

    output wire                             overflow,     // error: a queue of the memory has lost a word
    output wire                             underflow     // error: the memory has answered what was not asked
);
    localparam [2:0] READ = 3'd0, READ_EXCLUSIVE = 3'd1, UPGRADE = 3'd2, WRITEBACK = 3'd3, UPDATE = 3'd4,
                     INVALIDATE_WRITE = 3'd5, READ_ONCE = 3'd6;
    localparam W = 8 * BYTES;
    localparam [LOG2_WORDS-1:0] LAST_WORD = {LOG2_WORDS{1'b1}}, NO_WORD = {LOG2_WORDS{1'b0}},
                                ONE_WORD = {{LOG2_WORDS-1{1'b0}}, 1'b1};

    initial
        if (LINE_BITS < 2 || LOG2_WORDS < 1 || BYTES < 1 || LOG2_QUEUE < 2) begin
            $display("%m: LINE_BITS must be >= 2, LOG2_WORDS and BYTES >= 1, LOG2_QUEUE >= 2; are %0d, %0d, %0d, %0d",
                     LINE_BITS, LOG2_WORDS, BYTES, LOG2_QUEUE);
            $finish;
        end

    // ---- pick
    reg                   look, resolve;           // clocks 2 and 3
    reg                   moving;                  // words are taken
    reg                   carries, last;           // bus P has a word, the last one of the transfer
    reg                   fills;                   // an agent writes a tag after it
    reg  [LOG2_WORDS-1:0] first, words;
    reg                   tag;
    wire                  any;
    wire [2:0]            allowed;
    wire [1:0]            winner;
    wire                  free = !snoop_valid && !look && !resolve && !moving && !(carries && fills);
    wire                  pick = free && any;

    snoop_arbiter arbiter (
        .clk (clk), .rst (rst), .request (req_valid), .allowed (allowed), .free (free), .any (any), .winner (winner)
    );

    assign req_taken = snoop_valid ? 3'd1 << snoop_source : 3'd0;

    always @(posedge clk) begin
        snoop_valid <= pick && !rst;
        look        <= snoop_valid && !rst;
        resolve     <= look && !rst;
        if (pick) begin
            snoop_source   <= winner;
            snoop_kind     <= req_kind[3*winner +: 3];
            snoop_line     <= req_line[LINE_BITS*winner +: LINE_BITS];
            snoop_full     <= req_full[winner];
            snoop_allocate <= req_allocate[winner];
            snoop_cache    <= req_cache[winner];
            first          <= req_word[LOG2_WORDS*winner +: LOG2_WORDS];
            words          <= req_last[LOG2_WORDS*winner +: LOG2_WORDS];
            tag            <= req_tag[winner];
        end
    end

    // ---- resolve
    wire [2:0] asker    = 3'd1 << snoop_source;
    wire [1:0] supplier = answer_supplies & ~asker[1:0];
    wire       has      = |(answer_has & asker);
    wire       dirty    = |answer_dirty;
    wire       reads    = snoop_kind == READ || snoop_kind == READ_EXCLUSIVE || snoop_kind == READ_ONCE ||
                          (snoop_kind == UPGRADE && !has);
    wire       fetches  = reads && supplier == 2'd0;
    wire       updates  = snoop_kind == UPDATE;
    wire       writes   = updates || snoop_kind == INVALIDATE_WRITE || (snoop_kind == WRITEBACK && has && dirty);
    wire       places   = updates && snoop_allocate && answer_has == 3'd0;
    wire [1:0] target   = places ? 2'd1 << snoop_cache : 2'd0;
    wire       rescues  = snoop_kind == INVALIDATE_WRITE && dirty && !snoop_full; // the rest of an M line goes first

    // ---- words move: `step` takes one, in the next clock it is on bus P
    reg  [2:0]            from, to, part;          // agents: source, sinks, both of the whole transfer
    reg                   own;                     // words of the asker's own request
    reg                   stores, fetching, rescuing;
    reg  [LOG2_WORDS-1:0] next, left;
    reg  [2:0]            source;
    reg  [LOG2_WORDS-1:0] word;
    reg                   fetched;                 // bus P carries no word, but the request of one to the memory
    reg                   done;                    // nothing moves
    wire                  room;
    wire                  step    = moving && (room || !(stores || fetching));
    wire                  at_last = left == NO_WORD;

    always @(posedge clk)
        if (rst) begin
            result_valid <= 3'd0;
            hint_valid   <= 2'd0;
            moving       <= 1'b0;
            carries      <= 1'b0;
            last         <= 1'b0;
            fetched      <= 1'b0;
            done         <= 1'b0;
        end else begin
            result_valid <= resolve ? asker : 3'd0;
            hint_valid   <= resolve ? target & ~answer_takes : 2'd0;
            done         <= resolve && !reads && !writes;
            carries      <= step && !fetching;
            fetched      <= step && fetching;
            last         <= step && at_last && !rescuing;
            if (resolve)                           moving <= reads || writes;
            else if (step && at_last && !rescuing) moving <= 1'b0;
        end

    always @(posedge clk) begin
        source <= from;
        word   <= next;
        if (resolve) begin
            result_shared <= |(answer_has & ~asker);
            result_data   <= reads || writes;
            from          <= (reads || rescues) ? {1'b0, supplier} : asker;
            to            <= reads ? asker : updates ? {1'b0, answer_has[1:0] | (target & answer_takes)} : 3'd0;
            part          <= asker | {1'b0, supplier} | {1'b0, updates ? answer_has[1:0] | target : 2'd0};
            own           <= writes && !rescues;
            stores        <= reads ? snoop_kind == READ && dirty : !(updates && dirty);
            fetching      <= fetches;
            rescuing      <= rescues;
            fills         <= reads || places;
            next          <= rescues ? NO_WORD : first;
            left          <= (reads || rescues || snoop_kind == WRITEBACK) ? LAST_WORD : words;
        end else if (step && at_last && rescuing) begin
            from     <= asker;
            own      <= 1'b1;
            rescuing <= 1'b0;
            next     <= first;
            left     <= words;
        end else if (step) begin
            next <= next + ONE_WORD;
            left <= left - ONE_WORD;
        end
    end

    assign snoop_done = done || last;
    assign out_take   = (step && !fetching) ? from : 3'd0;
    assign out_own    = own;
    assign out_word   = next;

    // ---- bus P
    wire [W-1:0]     p_data = (out_data[W-1:0]       & {W{source[0]}}) | (out_data[2*W-1:W]       & {W{source[1]}}) |
                              (out_data[3*W-1:2*W]   & {W{source[2]}});
    wire [BYTES-1:0] p_mask = (out_mask[BYTES-1:0]   & {BYTES{source[0]}}) |
                              (out_mask[2*BYTES-1:BYTES]   & {BYTES{source[1]}}) |
                              (out_mask[3*BYTES-1:2*BYTES] & {BYTES{source[2]}});
    wire             p_fill = snoop_kind != UPDATE;   // to the asker

    // ---- lines that come from memory, on bus F
    wire                  f_valid, f_last, f_tag, f_overflow, f_underflow;
    wire [2:0]            f_agent;
    wire [LOG2_WORDS-1:0] f_word;
    wire [W-1:0]          f_data;
    wire                  f_go = f_valid && !resolve && !((moving || carries) && (f_agent & part) != 3'd0);

    snoop_fills #(.LINE_BITS(LINE_BITS), .LOG2_WORDS(LOG2_WORDS), .BYTES(BYTES), .LOG2_QUEUE(LOG2_QUEUE)) reading (
        .clk (clk), .rst (rst), .req_line (req_line),
        .reads (req_kind[8:6] == READ || req_kind[8:6] == READ_ONCE), .allowed (allowed),
        .add (resolve && fetches), .add_line (snoop_line), .add_agent (asker), .add_word (first), .add_tag (tag),
        .mem_rvalid (mem_rvalid), .mem_rdata (mem_rdata), .valid (f_valid), .agent (f_agent), .word (f_word),
        .last (f_last), .tag (f_tag), .data (f_data), .go (f_go), .overflow (f_overflow), .underflow (f_underflow)
    );

    assign in_mask = p_mask;
    genvar i;
    generate
        for (i = 0; i < 3; i = i + 1) begin : agent
            wire f = f_go && f_agent[i];
            assign in_valid[i] = f || (carries && to[i]);
            assign in_own[i]   = f || p_fill;
            assign in_last[i]  = f ? f_last : last;
            assign in_tag[i]   = f ? f_tag : tag;
            assign in_word[LOG2_WORDS*i +: LOG2_WORDS] = f ? f_word : word;
            assign in_data[W*i +: W]                   = f ? f_data : p_data;
        end
    endgenerate

    // ---- to the memory
    localparam QUEUE_BITS = 1 + LINE_BITS + LOG2_WORDS + W + BYTES;
    wire [LOG2_QUEUE:0] queued;
    wire                q_overflow, q_underflow, unused_full;

    assign room = !queued[LOG2_QUEUE] && queued[LOG2_QUEUE-1:0] != {LOG2_QUEUE{1'b1}};

    fifo_sync #(.WIDTH(QUEUE_BITS), .LOG2_DEPTH(LOG2_QUEUE)) accesses (
        .clk (clk), .rst (rst), .wr_valid (fetched || (carries && stores && p_mask != {BYTES{1'b0}})),
        .wr_data ({!fetched, snoop_line, word, p_data, p_mask}), .full (unused_full),
        .rd_data ({mem_we, mem_addr, mem_wdata, mem_be}), .rd_valid (mem_valid), .rd_pop (mem_ready && mem_valid),
        .count (queued), .overflow (q_overflow), .underflow (q_underflow)
    );

    assign overflow  = q_overflow || f_overflow;
    assign underflow = q_underflow || f_underflow;

    wire unused = unused_full;

    // ---- measuring
    wire probe_busy  = !free;
    wire probe_start = pick;
    wire probe_stall = free && req_valid != 3'd0 && !any;
endmodule
`default_nettype wire
