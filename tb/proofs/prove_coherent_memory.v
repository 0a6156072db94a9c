// Proof of the coherent memory: two coherent_cache of one line and snoop_switch, with two processors, a network
// interface and a memory that do as they like, on two lines that share a set; of each line the lowest bit of word 0 is
// followed. `bad` is never high; CLAIM chooses a part of it:
//
//     1 value     a load, an atomic load, a word that the interface reads give the newest value; a write takes effect
//                 when the store is done, or when the interface's word moves. So none is lost
//     2 owner     a line that is E or M in a cache is not in the other one, and the interface does not share it
//     3 answered  an access is done, and a request of the interface broadcast, within WAIT clocks, if the memory takes
//                 a word in every other clock
//     4 room      the queues of the memory neither over- nor underflow
//
// With BUDGET runs are longer, and less free. First FIRST[1:0] says what processor 0 does to line 0: 1 a load, 2 a
// store; then [3:2] the same of processor 1, then [4] the interface shares it. From clock 44 to 51 each starts BUDGET
// accesses or requests, whatever and whenever it likes; the memory is always ready, and stores update if RANGE.
//
// Assumed: a memory takes accesses in order and gives words in the clock after; the interface asks for no third read,
// shows a request until it is taken, and shares a line that it has read until another one stores to it or it likes.
`default_nettype none
module prove_coherent_memory #(
    parameter CLAIM = 0,      // 0: all of them
    parameter WAIT  = 64,
    parameter BUDGET = 0,
    parameter FIRST  = 0,
    parameter RANGE  = 0
) (
    input  wire        clk,
    input  wire [1:0]  any_valid,
    input  wire [1:0]  any_write,
    input  wire [3:0]  any_atomic,
    input  wire [1:0]  any_line,
    input  wire [1:0]  any_enable,
    input  wire [1:0]  any_data,
    input  wire        any_request,
    input  wire [2:0]  any_kind,
    input  wire        any_target,
    input  wire        any_full,
    input  wire        any_allocate,
    input  wire        any_cache,
    input  wire        any_word,
    input  wire        any_mask,
    input  wire        any_leave,
    input  wire        any_ready,
    output wire        bad
);
    localparam [2:0] READ = 3'd0, READ_EXCLUSIVE = 3'd1, UPGRADE = 3'd2, UPDATE = 3'd4, INVALIDATE_WRITE = 3'd5,
                     READ_ONCE = 3'd6;

    reg running;                // 0 in the first clock
    initial running = 1'b0;
    always @(posedge clk) running <= 1'b1;

    // ---- the blocks
    reg         range;          // free, and constant: stores update
    wire        ready_often;
    wire [1:0]  cpu_ready, cpu_done, req_valid, hint_valid;
    wire [15:0] cpu_rdata;
    wire [5:0]  req_kind;
    wire [3:0]  req_line;
    wire [1:0]  req_word;
    wire [2:0]  req_taken, result_valid, snoop_kind, out_take, in_valid, in_own, in_last, in_word, in_tag;
    wire [1:0]  answer_has, answer_supplies, answer_dirty, answer_takes, snoop_source, snoop_line;
    wire        result_shared, result_data, snoop_valid, snoop_full, snoop_allocate, snoop_cache, snoop_done, out_own;
    wire        out_word, mem_valid, mem_we, overflow, underflow;
    wire [15:0] out_data;
    wire [1:0]  out_mask;
    wire [23:0] in_data;
    wire        in_mask;
    wire [2:0]  mem_addr;
    wire [7:0]  mem_wdata;
    wire        mem_be;
    reg         mem_rvalid;
    reg  [7:0]  mem_rdata;
    reg  [6:0]  clock;
    wire        free  = BUDGET == 0 || clock >= 7'd44;
    wire        late  = clock == 7'd52;
    reg  [1:0]  left0, left1, left2;       // of the budgets
    wire        all   = BUDGET == 0;
    wire [1:0]  may   = {all || (!late && left1 != 2'd0), all || (!late && left0 != 2'd0)};
    wire [1:0]  valid = {2{running}} & (free ? any_valid & may : {clock == 7'd18 && FIRST[3:2] != 0,
                                                                  clock == 7'd4 && FIRST[1:0] != 0});
    wire [1:0]  write  = free ? any_write : {FIRST[3], FIRST[1]};
    wire [3:0]  atomic = free ? any_atomic : 4'd0;
    wire [1:0]  line   = free ? any_line : 2'd0;
    wire [1:0]  enable = free ? any_enable : 2'd3;
    wire        may_ask = free ? any_request && (all || (!late && left2 != 2'd0)) : clock == 7'd32 && FIRST[4];
    wire        asks_now;

    always @(posedge clk) begin
        clock <= !running ? 7'd1 : late ? clock : clock + 7'd1;
        left0 <= !free ? BUDGET[1:0] : left0 - {1'b0, valid[0] && cpu_ready[0] && !all};
        left1 <= !free ? BUDGET[1:0] : left1 - {1'b0, valid[1] && cpu_ready[1] && !all};
        left2 <= !free ? BUDGET[1:0] : left2 - {1'b0, asks_now && !all};
    end
    wire [4:0]  unused_events0, unused_events1;

    always @(posedge clk) range <= (BUDGET == 0) ? range : RANGE != 0;

    coherent_cache #(.CACHE(0), .LINE_BITS(2), .LOG2_SETS(1), .WAYS(1), .LOG2_WORDS(1), .BYTES(1)) cache0 (
        .clk (clk), .rst (!running), .range_enable ({1'b0, range}), .range_base (4'd0), .range_last (4'b1010),
        .cpu_valid (valid[0]), .cpu_ready (cpu_ready[0]), .cpu_write (write[0]), .cpu_atomic (atomic[1:0]),
        .cpu_line ({line[0], 1'b0}), .cpu_word (1'b0), .cpu_be (enable[0]),
        .cpu_wdata ({7'd0, any_data[0]}), .cpu_done (cpu_done[0]), .cpu_rdata (cpu_rdata[7:0]),
        .req_valid (req_valid[0]), .req_kind (req_kind[2:0]), .req_line (req_line[1:0]), .req_word (req_word[0]),
        .req_taken (req_taken[0]), .result_valid (result_valid[0]), .result_shared (result_shared),
        .result_data (result_data), .snoop_valid (snoop_valid), .snoop_kind (snoop_kind), .snoop_line (snoop_line),
        .snoop_source (snoop_source), .snoop_full (snoop_full), .snoop_allocate (snoop_allocate),
        .snoop_cache (snoop_cache), .snoop_done (snoop_done), .answer_has (answer_has[0]),
        .answer_supplies (answer_supplies[0]), .answer_dirty (answer_dirty[0]), .answer_takes (answer_takes[0]),
        .hint_valid (hint_valid[0]), .out_own (out_own), .out_word (out_word), .out_data (out_data[7:0]),
        .out_mask (out_mask[0]), .in_valid (in_valid[0]), .in_own (in_own[0]), .in_last (in_last[0]),
        .in_word (in_word[0]), .in_data (in_data[7:0]), .in_mask (in_mask), .events (unused_events0)
    );
    coherent_cache #(.CACHE(1), .LINE_BITS(2), .LOG2_SETS(1), .WAYS(1), .LOG2_WORDS(1), .BYTES(1)) cache1 (
        .clk (clk), .rst (!running), .range_enable ({1'b0, range}), .range_base (4'd0), .range_last (4'b1010),
        .cpu_valid (valid[1]), .cpu_ready (cpu_ready[1]), .cpu_write (write[1]), .cpu_atomic (atomic[3:2]),
        .cpu_line ({line[1], 1'b0}), .cpu_word (1'b0), .cpu_be (enable[1]),
        .cpu_wdata ({7'd0, any_data[1]}), .cpu_done (cpu_done[1]), .cpu_rdata (cpu_rdata[15:8]),
        .req_valid (req_valid[1]), .req_kind (req_kind[5:3]), .req_line (req_line[3:2]), .req_word (req_word[1]),
        .req_taken (req_taken[1]), .result_valid (result_valid[1]), .result_shared (result_shared),
        .result_data (result_data), .snoop_valid (snoop_valid), .snoop_kind (snoop_kind), .snoop_line (snoop_line),
        .snoop_source (snoop_source), .snoop_full (snoop_full), .snoop_allocate (snoop_allocate),
        .snoop_cache (snoop_cache), .snoop_done (snoop_done), .answer_has (answer_has[1]),
        .answer_supplies (answer_supplies[1]), .answer_dirty (answer_dirty[1]), .answer_takes (answer_takes[1]),
        .hint_valid (hint_valid[1]), .out_own (out_own), .out_word (out_word), .out_data (out_data[15:8]),
        .out_mask (out_mask[1]), .in_valid (in_valid[1]), .in_own (in_own[1]), .in_last (in_last[1]),
        .in_word (in_word[1]), .in_data (in_data[15:8]), .in_mask (in_mask), .events (unused_events1)
    );

    // ---- network interface: the request that it shows, lines that it shares, reads that are open
    reg        shows, tag;
    reg  [2:0] kind;
    reg        target, full, allocate, into, word;
    reg  [1:0] shares, open, reads_line;
    reg        looks, answers;
    reg        takes;             // a word of its own moves in this clock
    reg        takes_word;
    wire [2:0] now_kind   = free ? any_kind : READ;
    wire       asks       = now_kind == READ || now_kind == READ_ONCE;
    wire       valid_kind = asks || now_kind == UPDATE || now_kind == INVALIDATE_WRITE;
    reg        moves_full;        // of the request whose words move
    wire       mask  = moves_full || any_mask;

    assign     asks_now = !shows && may_ask && valid_kind && !(asks && open[tag]);

    always @(posedge clk)
        if (!running) begin
            shows   <= 1'b0;
            tag     <= 1'b0;
            open    <= 2'd0;
            shares  <= 2'd0;
            looks   <= 1'b0;
            takes   <= 1'b0;
        end else begin
            if (!shows) begin
                shows    <= asks_now;
                kind     <= now_kind;
                target   <= free && any_target;
                full     <= any_full;
                allocate <= any_allocate && now_kind == UPDATE;
                into     <= any_cache;
                word     <= any_word;
            end else if (req_taken[2]) begin
                shows      <= 1'b0;
                moves_full <= full;
                if (kind == READ || kind == READ_ONCE) begin
                    open[tag]       <= 1'b1;
                    reads_line[tag] <= target;
                    tag             <= !tag;
                end
            end
            if (in_valid[2] && in_last[2]) open[in_tag[2]] <= 1'b0;
            looks <= snoop_valid;
            if (looks) begin
                answers <= shares[snoop_line[1]];
                if (snoop_kind == READ_EXCLUSIVE || snoop_kind == UPGRADE || snoop_kind == INVALIDATE_WRITE)
                    shares[snoop_line[1]] <= 1'b0;
                if (snoop_kind == READ && snoop_source == 2'd2) shares[snoop_line[1]] <= 1'b1;
            end else if (any_leave && all) shares <= 2'd0;
            takes      <= out_take[2];
            takes_word <= out_word;
        end

    snoop_switch #(.LINE_BITS(2), .LOG2_WORDS(1), .BYTES(1), .LOG2_QUEUE(3)) interconnect (
        .clk (clk), .rst (!running), .req_valid ({shows, req_valid}), .req_kind ({kind, req_kind}),
        .req_line ({target, 1'b0, req_line}), .req_word ({word && !full, req_word}),
        .req_last ({full, 2'd0}), .req_tag ({tag, 2'd0}), .req_full ({full, 2'd0}),
        .req_allocate ({allocate, 2'd0}), .req_cache ({into, 2'd0}), .req_taken (req_taken),
        .result_valid (result_valid), .result_shared (result_shared), .result_data (result_data),
        .snoop_valid (snoop_valid), .snoop_kind (snoop_kind), .snoop_line (snoop_line), .snoop_source (snoop_source),
        .snoop_full (snoop_full), .snoop_allocate (snoop_allocate), .snoop_cache (snoop_cache),
        .snoop_done (snoop_done), .answer_has ({answers, answer_has}), .answer_supplies (answer_supplies),
        .answer_dirty (answer_dirty), .answer_takes (answer_takes), .hint_valid (hint_valid), .out_take (out_take),
        .out_own (out_own), .out_word (out_word), .out_data ({7'd0, any_data[0], out_data}),
        .out_mask ({mask, out_mask}), .in_valid (in_valid), .in_own (in_own), .in_last (in_last), .in_word (in_word),
        .in_data (in_data), .in_mask (in_mask), .in_tag (in_tag), .mem_valid (mem_valid), .mem_ready (ready_often),
        .mem_we (mem_we), .mem_addr (mem_addr), .mem_wdata (mem_wdata), .mem_be (mem_be), .mem_rvalid (mem_rvalid),
        .mem_rdata (mem_rdata), .overflow (overflow), .underflow (underflow)
    );

    // ---- memory
    reg [1:0] memory;           // word 0 of each line, the bit that is followed
    reg       was_ready;
    assign ready_often = any_ready || !was_ready || !all;
    always @(posedge clk) begin
        was_ready  <= ready_often || !running;
        mem_rvalid <= running && mem_valid && ready_often && !mem_we;
        mem_rdata  <= {7'd0, memory[mem_addr[2]]};
        if (running && mem_valid && ready_often && mem_we && mem_be && !mem_addr[0])
            memory[mem_addr[2]] <= mem_wdata[0];
    end

    // ---- the order: what each line has now
    reg  [1:0] newest;
    reg  [1:0] a_line, a_write, a_enable, a_data, waits;
    reg  [3:0] a_atomic;
    reg  [1:0] wrong;           // of a processor's load
    reg  [6:0] waited [0:2];
    integer    i;
    wire [1:0] taken = valid & cpu_ready;
    wire       at    = reads_line[in_tag[2]];
    wire       told_wrong = in_valid[2] && in_own[2] && !in_word[2] && in_data[16] != newest[at];

    always @* for (i = 0; i < 2; i = i + 1)
        wrong[i] = cpu_done[i] && !a_write[i] && cpu_rdata[8*i] != newest[a_line[i]];

    always @(posedge clk)
        if (!running) begin
            newest <= memory;
            waits  <= 2'd0;
        end else begin
            if (takes && !takes_word && mask) newest[snoop_line[1]] <= any_data[0];
            for (i = 0; i < 2; i = i + 1) begin
                if (cpu_done[i] && a_enable[i]) begin
                    if (a_write[i])                         newest[a_line[i]] <= a_data[i];
                    else if (a_atomic[2*i +: 2] == 2'd1)    newest[a_line[i]] <= 1'b1;
                    else if (a_atomic[2*i+1])               newest[a_line[i]] <= !newest[a_line[i]];
                end
                if (taken[i]) begin
                    a_line[i]          <= line[i];
                    a_write[i]         <= write[i];
                    a_enable[i]        <= enable[i];
                    a_data[i]          <= any_data[i];
                    a_atomic[2*i +: 2] <= atomic[2*i +: 2];
                end
                waits[i] <= taken[i] || (waits[i] && !cpu_done[i]);
            end
        end
    always @(posedge clk) for (i = 0; i < 3; i = i + 1)
        waited[i] <= (running && (i < 2 ? waits[i % 2] && !cpu_done[i % 2] : shows)) ? waited[i] + 7'd1 : 7'd0;

    // ---- states: those of set 0, the only one in use; its tag as it has been noted
    (* hierconn *) wire \cache0.sweeping , \cache0.notes , \cache1.notes , \cache0.s_set , \cache1.s_set ;
    (* hierconn *) wire [0:0] \cache0.s_valid , \cache1.s_valid , \cache0.s_exclusive , \cache1.s_exclusive ;
    (* hierconn *) wire [1:0] \cache0.note_line , \cache1.note_line ;
    wire [1:0] v    = {\cache1.s_valid [0] && !\cache1.s_set , \cache0.s_valid [0] && !\cache0.s_set };
    wire [1:0] x    = {\cache1.s_exclusive [0], \cache0.s_exclusive [0]};
    reg  [1:0] t;
    always @(posedge clk) begin
        if (\cache0.notes ) t[0] <= \cache0.note_line [1];
        if (\cache1.notes ) t[1] <= \cache1.note_line [1];
    end
    wire swept = !\cache0.sweeping  && running;
    wire two   = swept && v == 2'd3 && t[0] == t[1] && x != 2'd0;
    wire third = swept && ((v[0] && x[0] && shares[t[0]] && !looks) || (v[1] && x[1] && shares[t[1]] && !looks));

    wire [4:0] bads = {overflow || underflow, waited[0] > WAIT || waited[1] > WAIT || waited[2] > WAIT,
                       two || third, told_wrong || wrong != 2'd0, 1'b0};
    assign bad = running && ((CLAIM == 0) ? bads != 5'd0 : bads[CLAIM]);
endmodule
`default_nettype wire
