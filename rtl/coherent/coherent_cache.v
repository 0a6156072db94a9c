// Data cache of one processor of the coherent node: write-back, allocates on store misses, snoops the interconnect.
// States and requests: README.md; ports of the interconnect: interconnect.md; coherent_plb is the other neighbour.
//
//     clock    0          1                      2
//              access     tags and states:       a load that has hit is done in clock 1, a store too; one clock later
//              shown      hit? `cpu_done`        if it meets a change of its set
//
// Accesses of the processor look tags up at one port, snoops at the other; neither waits for the other. States are in
// LUT memory and change in the clock in which they are looked at (cache_states), so every access and every snoop is one
// point in time. Words of a line that move behind that point (it is supplied, an UPDATE is merged) are the `action`,
// one at a time: the interconnect broadcasts nothing before it has ended. Meanwhile accesses to this line
// wait, but for loads while it is supplied, and loads of a word that has been merged already: what is not merged yet
// cannot be seen behind it. So a line is seen before or after, never half.
//
// One miss at a time (cache_miss); hits go on beside it. The word that the processor waits for comes first and is
// passed on in the clock in which it is written; a store or an atomic load is done in the same clock in the line that
// comes: a line that was fetched for it cannot be lost before.
//
// Words have two ports: the processor's, and one for fills, merges and what is supplied. No word is written at one and
// used at the other in the same clock:
//     supplied, merged    accesses to the line wait until 2 clocks after (a word that is read was not just written);
//                         loads of a merged word likewise, from its own write on
//     filled              the line is I until `note`, no earlier than its last word; a look-up in the clock of `note`
//                         is repeated (`stale`)
//     stored              no snoop of the line in this clock, no action: words are read 2 clocks later at the earliest
//
// After reset the states are swept for 2**LOG2_SETS clocks; accesses wait, snoops find nothing. So lines start as I
// whatever the memories hold.
`default_nettype none
module coherent_cache #(
    // its number among the agents, 0 or 1
    parameter CACHE = 0,
    // bits of a line's number, more than LOG2_SETS
    parameter LINE_BITS = 23,
    // log2 of the sets, >= 1; 16 KB in two ways: 8
    parameter LOG2_SETS = 8,
    // 1 or 2
    parameter WAYS = 2,
    // log2 of the words in a line, >= 1
    parameter LOG2_WORDS = 2,
    // bytes of a word, >= 1
    parameter BYTES = 8
) (
    input  wire                   clk,
    input  wire                   rst,

    // ranges whose stores update: range 0, range 1
    input  wire [1:0]             range_enable,
    input  wire [2*LINE_BITS-1:0] range_base,
    input  wire [2*LINE_BITS-1:0] range_last,

    // accesses of the processor
    input  wire                   cpu_valid,
    output wire                   cpu_ready,      // taken if `cpu_valid`
    input  wire                   cpu_write,
    input  wire [1:0]             cpu_atomic,     // a load that is 1: test-and-set, 2: fetch-and-increment
    input  wire [LINE_BITS-1:0]   cpu_line,
    input  wire [LOG2_WORDS-1:0]  cpu_word,
    input  wire [BYTES-1:0]       cpu_be,
    input  wire [8*BYTES-1:0]     cpu_wdata,
    output wire                   cpu_done,       // one clock: performed
    output wire [8*BYTES-1:0]     cpu_rdata,      // with it

    // requests
    output wire                   req_valid,
    output wire [2:0]             req_kind,
    output wire [LINE_BITS-1:0]   req_line,
    output wire [LOG2_WORDS-1:0]  req_word,
    input  wire                   req_taken,
    input  wire                   result_valid,
    input  wire                   result_shared,
    input  wire                   result_data,

    // snoops
    input  wire                   snoop_valid,
    input  wire [2:0]             snoop_kind,
    input  wire [LINE_BITS-1:0]   snoop_line,
    input  wire [1:0]             snoop_source,
    input  wire                   snoop_full,
    input  wire                   snoop_allocate,
    input  wire                   snoop_cache,
    input  wire                   snoop_done,
    output reg                    answer_has,
    output reg                    answer_supplies,
    output reg                    answer_dirty,
    output reg                    answer_takes,
    input  wire                   hint_valid,

    // words
    input  wire                   out_own,
    input  wire [LOG2_WORDS-1:0]  out_word,
    output wire [8*BYTES-1:0]     out_data,
    output wire [BYTES-1:0]       out_mask,
    input  wire                   in_valid,
    input  wire                   in_own,
    input  wire                   in_last,
    input  wire [LOG2_WORDS-1:0]  in_word,
    input  wire [8*BYTES-1:0]     in_data,
    input  wire [BYTES-1:0]       in_mask,

    // one clock each, for statistics, from bit 0: an access hits; a request is started; a snoop finds the line; an
    // UPDATE has been merged; ALLOCATE has put a line here
    output wire [4:0]             events
);
    localparam [2:0] READ = 3'd0, READ_EXCLUSIVE = 3'd1, UPGRADE = 3'd2, WRITEBACK = 3'd3, UPDATE = 3'd4,
                     INVALIDATE_WRITE = 3'd5, READ_ONCE = 3'd6;
    localparam W = 8 * BYTES, TAG_BITS = LINE_BITS - LOG2_SETS, INDEX = LOG2_SETS + LOG2_WORDS;
    localparam [WAYS-1:0]      NO_WAY  = {WAYS{1'b0}};
    localparam [LOG2_SETS-1:0] ONE_SET = {{LOG2_SETS-1{1'b0}}, 1'b1};

    initial
        if ((CACHE != 0 && CACHE != 1) || LOG2_SETS < 1 || LINE_BITS <= LOG2_SETS || (WAYS != 1 && WAYS != 2) ||
            LOG2_WORDS < 1 || BYTES < 1) begin
            $display("%m: CACHE must be 0 or 1, is %0d; LOG2_SETS 1..LINE_BITS-1, is %0d; WAYS 1 or 2, is %0d", CACHE,
                     LOG2_SETS, WAYS);
            $finish;
        end

    // One of the ways, none: the lowest of those that are wanted.
    function [WAYS-1:0] lowest(input [WAYS-1:0] wanted);
        lowest = wanted & -wanted;
    endfunction

    // ---- sweep after reset
    reg                 sweeping;
    reg [LOG2_SETS-1:0] sweep;
    always @(posedge clk)
        if (rst) begin
            sweeping <= 1'b1;
            sweep    <= {LOG2_SETS{1'b0}};
        end else if (sweeping) begin
            sweeping <= sweep != {LOG2_SETS{1'b1}};
            sweep    <= sweep + ONE_SET;
        end

    // ---- the access
    reg                   a_valid, a_write, a_hint, a_waits, a_again;
    reg  [1:0]            a_atomic;
    reg  [LINE_BITS-1:0]  a_line;
    reg  [LOG2_WORDS-1:0] a_word;
    reg  [BYTES-1:0]      a_be;
    reg  [W-1:0]          a_wdata;
    reg                   hint;                // a line that ALLOCATE wants here
    reg  [LINE_BITS-1:0]  hint_line;
    wire                  a_leaves;            // a hint that has started, or tries again later
    wire                  load_done, stores;
    wire                  idle;
    wire                  take      = cpu_valid && cpu_ready;
    wire                  take_hint = hint && idle && !a_valid && !cpu_valid && !sweeping;
    wire [LOG2_SETS-1:0]  a_set     = sweeping ? sweep : a_line[LOG2_SETS-1:0];
    wire                  modifies  = a_write || a_atomic != 2'd0;

    reg                   looks;               // a snoop is looked up in this clock
    wire [LOG2_SETS-1:0]  snoop_set = snoop_line[LOG2_SETS-1:0];

    assign cpu_ready = !sweeping && (!a_valid || (cpu_done && !stores));

    // the address that the memories see in this clock
    wire [LINE_BITS-1:0]  port_line = !(cpu_ready || !a_valid) ? a_line : cpu_valid ? cpu_line : hint_line;
    wire [LOG2_WORDS-1:0] port_word = cpu_ready ? cpu_word : a_word;

    always @(posedge clk)
        if (rst) a_valid <= 1'b0;
        else if (take || take_hint)   a_valid <= 1'b1;
        else if (cpu_done || a_leaves) a_valid <= 1'b0;

    always @(posedge clk)
        if (take || take_hint) begin
            a_write  <= take && cpu_write;
            a_atomic <= (take && !cpu_write) ? cpu_atomic : 2'd0;
            a_hint   <= !take;
            a_line   <= port_line;
            a_word   <= cpu_word;
            a_be     <= cpu_be;
            a_wdata  <= cpu_wdata;
        end

    // ---- memories
    wire [WAYS-1:0]          a_match, s_match, a_valid_ways, a_exclusive, s_valid, s_exclusive, s_dirty, d_dirty;
    wire [WAYS*TAG_BITS-1:0] a_tags;
    wire [WAYS*W-1:0]        a_words, b_words;
    wire                     a_recent, s_recent;
    reg  [WAYS-1:0]          s_write, d_write;
    reg                      s_to_valid, s_to_exclusive, d_to_dirty;
    reg  [LOG2_SETS-1:0]     s_set, d_set;
    wire                     notes;            // a tag is written
    wire [WAYS-1:0]          note_way;
    wire [LINE_BITS-1:0]     note_line;
    wire                     a_use;
    wire [WAYS-1:0]          a_used;
    wire [W-1:0]             b_wdata, modified;
    wire [INDEX-1:0]         b_index;
    wire [WAYS-1:0]          a_store, b_store;
    wire [BYTES-1:0]         b_be;

    cache_states #(.LOG2_SETS(LOG2_SETS), .WAYS(WAYS)) states (
        .clk (clk), .s_set (s_set), .s_valid (s_valid), .s_exclusive (s_exclusive), .s_dirty (s_dirty),
        .s_recent (s_recent), .s_write (s_write), .s_to_valid (s_to_valid), .s_to_exclusive (s_to_exclusive),
        .a_set (a_set), .a_valid (a_valid_ways), .a_exclusive (a_exclusive), .a_recent (a_recent),
        .a_use (a_use || sweeping), .a_way (a_used[WAYS-1] && !sweeping), .d_set (d_set), .d_dirty (d_dirty),
        .d_write (d_write), .d_to_dirty (d_to_dirty)
    );

    genvar i;
    generate
        for (i = 0; i < WAYS; i = i + 1) begin : way
            wire [TAG_BITS-1:0] s_tag;
            cache_tags #(.LOG2_SETS(LOG2_SETS), .TAG_BITS(TAG_BITS)) tags (
                .clk (clk), .write (notes && note_way[i]), .write_set (note_line[LOG2_SETS-1:0]),
                .write_tag (note_line[LINE_BITS-1:LOG2_SETS]), .a_set (port_line[LOG2_SETS-1:0]),
                .a_tag (a_tags[TAG_BITS*i +: TAG_BITS]), .b_set (snoop_set), .b_tag (s_tag)
            );
            cache_words #(.LOG2_DEPTH(INDEX), .BYTES(BYTES)) words (
                .clk (clk), .a_index ({port_line[LOG2_SETS-1:0], port_word}), .a_write (a_be & {BYTES{a_store[i]}}),
                .a_wdata (modified), .a_rdata (a_words[W*i +: W]), .b_index (b_index),
                .b_write (b_be & {BYTES{b_store[i]}}), .b_wdata (b_wdata), .b_rdata (b_words[W*i +: W])
            );
            assign a_match[i] = a_valid_ways[i] && a_tags[TAG_BITS*i +: TAG_BITS] == a_line[LINE_BITS-1:LOG2_SETS];
            assign s_match[i] = s_valid[i] && s_tag == snoop_line[LINE_BITS-1:LOG2_SETS];
        end
    endgenerate

    function [W-1:0] selected(input [WAYS*W-1:0] words, input [WAYS-1:0] which);
        integer n;
        begin
            selected = {W{1'b0}};
            for (n = 0; n < WAYS; n = n + 1) selected = selected | (words[W*n +: W] & {W{which[n]}});
        end
    endfunction

    // ---- action: words of a line that a snoop has made move
    reg                  act, act_merges, act_allocates, ended, ended_before;
    reg  [LINE_BITS-1:0] act_line;
    reg  [WAYS-1:0]      act_way;
    reg                  merged;               // a word has been, in the clock before
    reg  [LOG2_WORDS-1:0] merged_word;
    reg  [(1<<LOG2_WORDS)-1:0] act_merged;     // words that are new, and can be read
    reg                  act_unclean;          // dirty of the line that ALLOCATE puts here is not cleared yet
    wire                 same_set  = snoop_set == a_line[LOG2_SETS-1:0];
    wire                 same_line = same_set && snoop_line[LINE_BITS-1:LOG2_SETS] == a_line[LINE_BITS-1:LOG2_SETS];
    wire                 acts_here = act && act_line == a_line;

    // ---- look-up of the access
    reg                   stale;               // tags of a set have been written in the clock before
    reg  [LOG2_SETS-1:0]  stale_set;
    wire                  miss_exclusive, miss_sends, granted, alone, answered, sent, note, note_exclusive;
    wire [LINE_BITS-1:0]  miss_line;
    wire [WAYS-1:0]       miss_way;
    reg                   line_again;          // of this store's READ: look again when the line is there
    reg                   unclean;             // dirty of a hint's line is not cleared yet
    wire                  inside;
    wire                  hit     = a_match != NO_WAY;
    wire                  fresh   = a_valid && !a_waits && !(stale && stale_set == a_line[LOG2_SETS-1:0]);
    wire                  owned   = (a_match & a_exclusive) != NO_WAY;
    wire                  apart   = !(looks && (same_line || (snoop_allocate && same_set))) && !acts_here;
    wire                  loads   = fresh && hit && !modifies &&
                                    !(acts_here && act_merges && !act_merged[a_word]);
    wire                  commits = fresh && owned && modifies && apart;
    wire                  wants   = fresh && !(modifies ? owned : hit);
    wire                  cleans  = unclean || act_unclean;
    wire                  start   = wants && idle && !looks && !acts_here && !(act && act_allocates) && !cleans &&
                                    !sweeping;
    wire                  updates = a_write && inside;

    // the victim: an empty way, else the one that was not used last
    wire [1:0]      order  = {!a_recent, a_recent};
    wire [WAYS-1:0] older  = order[WAYS-1:0];
    wire [WAYS-1:0] empty  = ~a_valid_ways;
    wire [WAYS-1:0] victim = (empty != NO_WAY) ? lowest(empty) : older;
    wire            misses = !hit;
    wire            brings = misses && !(updates && a_again);  // a line
    wire [2:0]      kind   = !modifies ? READ : !updates ? (misses ? READ_EXCLUSIVE : UPGRADE) :
                             brings ? READ : UPDATE;
    wire            victim_valid = (victim & a_valid_ways) != NO_WAY;
    wire            victim_dirty = (victim & a_valid_ways & a_exclusive & d_dirty) != NO_WAY;

    cache_ranges #(.LINE_BITS(LINE_BITS)) ranges (
        .line (a_line), .enable (range_enable), .base (range_base), .last (range_last), .inside (inside)
    );

    wire [TAG_BITS-1:0] victim_tag = (WAYS == 2 && victim[WAYS-1]) ? a_tags[WAYS*TAG_BITS-1 -: TAG_BITS] :
                                     a_tags[TAG_BITS-1:0];

    cache_miss #(.LINE_BITS(LINE_BITS), .LOG2_WORDS(LOG2_WORDS), .WAYS(WAYS)) miss (
        .clk (clk), .rst (rst), .start (start), .start_kind (kind), .start_line (a_line), .start_word (a_word),
        .start_way (misses ? victim : a_match), .start_dirty (brings && victim_dirty),
        .start_victim ({victim_tag, a_line[LOG2_SETS-1:0]}), .idle (idle), .line (miss_line), .way (miss_way),
        .exclusive (miss_exclusive), .sends (miss_sends), .granted (granted), .alone (alone), .answered (answered),
        .sent (sent), .note (note), .note_exclusive (note_exclusive), .quiet (!looks && !snoop_valid),
        .req_valid (req_valid), .req_kind (req_kind), .req_line (req_line), .req_word (req_word),
        .req_taken (req_taken), .result_valid (result_valid), .result_shared (result_shared),
        .result_data (result_data), .snoop_done (snoop_done), .in_last (in_valid && in_own && in_last)
    );

    // ---- a word that comes, one clock later: it is written
    reg                   q_valid, q_own, q_last, q_first, began;
    reg  [LOG2_WORDS-1:0] q_word;
    reg  [W-1:0]          q_data;
    reg  [BYTES-1:0]      q_mask;
    wire                  first  = q_valid && q_own && q_first && a_waits && !line_again;   // what the access waits for
    wire                  filled = q_valid && !q_own && q_last && act && act_allocates;

    always @(posedge clk) begin
        q_valid <= in_valid && !rst;
        q_own   <= in_own;
        q_last  <= in_last;
        q_word  <= in_word;
        q_data  <= in_data;
        q_mask  <= in_mask;
        q_first <= !began;
        if (answered || rst)          began <= 1'b0;
        else if (in_valid && in_own)  began <= 1'b1;
    end

    wire [W-1:0] old = first ? q_data : selected(a_words, a_match);

    cache_modify #(.BYTES(BYTES)) change (
        .old (old), .data (a_wdata), .mask (a_be), .atomic (a_atomic), .word (modified)
    );

    assign b_wdata   = (first && modifies) ? modified : q_data;
    assign b_be      = q_own ? {BYTES{1'b1}} : q_mask;
    assign b_store   = !q_valid ? NO_WAY : q_own ? miss_way : act_way;
    assign b_index   = !q_valid ? {act_line[LOG2_SETS-1:0], out_word} :
                       {q_own ? miss_line[LOG2_SETS-1:0] : act_line[LOG2_SETS-1:0], q_word};

    // ---- the access ends
    wire grants = granted && a_waits;
    assign stores    = commits || grants;
    assign a_store   = (stores && !a_hint) ? a_match : NO_WAY;
    assign load_done = loads && !a_hint;
    assign cpu_done  = load_done || stores || first || (sent && a_waits);
    assign cpu_rdata = old;
    assign a_leaves  = a_hint && !a_waits;
    assign a_use     = ((loads || commits) || start) && !a_hint;
    assign a_used    = start && misses ? victim : a_match;

    always @(posedge clk)
        if (rst || take || take_hint) begin
            a_waits    <= 1'b0;
            a_again    <= 1'b0;
            line_again <= 1'b0;
        end else if (start && !a_hint) begin
            a_waits    <= 1'b1;
            line_again <= updates && brings;
        end else if (note && line_again) begin
            a_waits    <= 1'b0;
            a_again    <= 1'b1;
            line_again <= 1'b0;
        end else if (cpu_done) a_waits <= 1'b0;

    always @(posedge clk)
        if (rst) hint <= 1'b0;
        else if (hint_valid) hint <= 1'b1;
        else if (a_valid && a_hint && (start || (fresh && hit))) hint <= 1'b0;

    always @(posedge clk)
        if (hint_valid && !hint) hint_line <= snoop_line;

    // ---- snoops
    wire            own       = snoop_source == CACHE;
    wire            found     = looks && !sweeping && s_match != NO_WAY;
    wire            owner     = (s_match & s_exclusive) != NO_WAY;
    wire            soiled    = (s_match & s_exclusive & s_dirty) != NO_WAY;
    // UPGRADE of another while this cache owns the line: it has become READ_EXCLUSIVE
    wire            reads     = snoop_kind == READ || snoop_kind == READ_EXCLUSIVE || snoop_kind == UPGRADE ||
                                snoop_kind == READ_ONCE;
    wire            takes_out = snoop_kind == READ_EXCLUSIVE || snoop_kind == UPGRADE ||
                                snoop_kind == INVALIDATE_WRITE;
    wire            merges    = snoop_kind == UPDATE;
    wire            supplies  = (!own && owner && reads) || (soiled && (own ? snoop_kind == WRITEBACK :
                                                                     snoop_kind == INVALIDATE_WRITE && !snoop_full));
    // where ALLOCATE would put the line: an empty way, else the older one or the other one, if not dirty
    wire            wanted    = looks && !sweeping && merges && snoop_allocate && snoop_full &&
                                snoop_cache == CACHE[0] && s_match == NO_WAY &&
                                (idle || miss_line[LOG2_SETS-1:0] != snoop_set);
    wire [WAYS-1:0] clean     = ~(s_valid & s_exclusive & s_dirty);
    wire [1:0]      s_order   = {!s_recent, s_recent};
    wire [WAYS-1:0] s_older   = s_order[WAYS-1:0];
    wire [WAYS-1:0] s_empty   = ~s_valid;
    wire [WAYS-1:0] place     = (s_empty != NO_WAY) ? lowest(s_empty) :
                                ((s_older & clean) != NO_WAY) ? s_older : lowest(clean);
    wire            takes     = wanted && place != NO_WAY;

    always @(posedge clk) begin
        looks           <= snoop_valid && !rst;
        answer_has      <= found;
        answer_supplies <= found && owner;
        answer_dirty    <= found && soiled;
        answer_takes    <= takes;
        ended           <= snoop_done;
        ended_before    <= ended;
        if (rst)                                             act <= 1'b0;
        else if ((found && (supplies || merges)) || takes)   act <= 1'b1;
        else if (ended_before || filled)                     act <= 1'b0;
        merged      <= q_valid && !q_own;
        merged_word <= q_word;
        if (looks && (found || takes)) act_merged <= {1<<LOG2_WORDS{1'b0}};
        else if (merged)               act_merged[merged_word] <= 1'b1;
        if (looks && (found || takes)) begin
            act_line      <= snoop_line;
            act_way       <= takes ? place : s_match;
            act_merges    <= merges;
            act_allocates <= takes;
        end
    end

    // ---- states and tags that change
    assign notes     = note || filled;
    assign note_way  = filled ? act_way : miss_way;
    assign note_line = filled ? act_line : miss_line;

    always @(posedge clk) begin
        stale     <= notes;
        stale_set <= note_line[LOG2_SETS-1:0];
    end

    always @* begin
        s_set          = looks ? snoop_set : a_line[LOG2_SETS-1:0];
        s_write        = NO_WAY;
        s_to_valid     = 1'b1;
        s_to_exclusive = 1'b1;
        if (sweeping) begin
            s_set      = sweep;
            s_write    = {WAYS{1'b1}};
            s_to_valid = 1'b0;
        end else if (looks) begin
            s_to_valid     = !(own ? snoop_kind == WRITEBACK : takes_out) && !takes;
            s_to_exclusive = 1'b0;
            if (takes) s_write = place;
            else if (own ? snoop_kind == WRITEBACK : snoop_kind == READ || takes_out) s_write = s_match;
        end else if (notes) begin
            s_set          = note_line[LOG2_SETS-1:0];
            s_write        = note_way;
            s_to_exclusive = filled || note_exclusive;
        end else if (start && brings && victim_valid && !victim_dirty) begin
            s_write    = victim;
            s_to_valid = 1'b0;
        end else if ((grants || alone) && a_waits)
            s_write = a_match;
    end

    // dirty: set with a store; for a line that comes with the result; later, if a hit of the processor is in the way
    always @* begin
        d_set      = a_set;
        d_write    = NO_WAY;
        d_to_dirty = 1'b1;
        if (sweeping) begin
            d_write    = {WAYS{1'b1}};
            d_to_dirty = 1'b0;
        end else if (commits || grants) d_write = a_match;
        else if (answered && a_waits) begin
            d_write    = miss_sends ? a_match : miss_way;
            d_to_dirty = miss_exclusive;
        end else if (act_unclean) begin
            d_set      = act_line[LOG2_SETS-1:0];
            d_write    = act_way;
            d_to_dirty = 1'b0;
        end else if (unclean) begin
            d_set      = miss_line[LOG2_SETS-1:0];
            d_write    = miss_way;
            d_to_dirty = 1'b0;
        end
    end

    wire writes_dirty = commits || grants || (answered && a_waits);
    always @(posedge clk)
        if (rst) begin
            act_unclean <= 1'b0;
            unclean     <= 1'b0;
        end else begin
            if (takes)                           act_unclean <= 1'b1;
            else if (!writes_dirty)              act_unclean <= 1'b0;
            if (answered && !a_waits)                   unclean <= 1'b1;
            else if (!writes_dirty && !act_unclean)     unclean <= 1'b0;
        end

    // ---- words that leave
    reg o_sends;
    always @(posedge clk) o_sends <= out_own && miss_sends;
    assign out_data = o_sends ? a_wdata : selected(b_words, act_way);
    assign out_mask = o_sends ? a_be : {BYTES{1'b1}};

    assign events = {filled, q_valid && !q_own && q_last, found && !own, start, loads || commits};

    wire unused = &{1'b0, order, s_order};

    // ---- measuring
    wire probe_busy  = a_valid || !idle;
    wire probe_start = take;
    wire probe_done  = cpu_done;
    wire probe_stall = a_valid && !cpu_done;
endmodule
`default_nettype wire
