// The DMA request queues: QUEUES circular queues of 1024 / QUEUES transfer descriptors, written by the host through the
// PCI-X target (BAR1 + 0x4000), taken in order by the outgoing engine. Queue q serves destination q (S1 3.1.3, S2 2.2,
// design.md 3).
//
// A descriptor is 16 bytes: word 0 the source bus address, word 1 flags, length and destination. Its four 32-bit words
// may be written in any order and width (32 or 64 bits, single or burst): each has a written bit. A slot is complete
// when all four are set. The engine takes slots in order, up to and including the last complete one with the start flag
// (clustering).
//
//   * Writing a 32-bit word of a slot whose written bit is set, i.e. that is not served yet, is rejected (`overwrite`).
//   * Writing less than 32 bits of a word is ignored (`partial`): a descriptor is never put together from bytes.
//
// Written bits are not cleared by the consumer: a bit is "set" when it differs from the parity of the queue's current
// pass over the slot, and serving a slot flips that parity by moving the head past it. So only the bus writes flags.
//
// Pointers have one bit more than a slot number (the parity of the pass):
//     head   slot being served (S1): the oldest not yet served
//     taken  next slot that the engine takes; head <= taken <= tail
//     tail   next free: all slots from head up to it are complete
// A bus write is in the memory, and a slot it completes `ready`, two clocks later. Slots completed out of order are
// found by a scan of one queue per clock.
//
// After reset and after `queue_reset` the flag memory is swept, one slot per clock; writes in that time are rejected.
// `queue_reset` drops descriptors that have not been taken. Taken ones go on; each will be reported as served. So head
// becomes minus their number: it reaches 0 with the last of them, and never passes a descriptor that is not served.
// Until then as many slots at the end of the queue are closed. The pointers change in the first clock after
// `queue_reset` in which nothing is served.
//
// With SYNC a counter can release a queue (rtl/sync; S2 2.2): complete descriptors may then be taken without a start
// flag, up to and including one with the end flag (word 1 [50]), or until none waits. Up to 7 releases add up; one that
// finds no descriptor waiting does nothing.
//
// With `stamp` (S2 5.3) the time at which a descriptor becomes complete replaces the high half of its source address.
`default_nettype none
module request_queues #(
    // queues, 8 or 16
    parameter QUEUES = 8,
    // 1: with releases; 0: without
    parameter SYNC = 0
) (
    input  wire                      clk,
    input  wire                      rst,
    input  wire [7:0]                slept,           // clock_gate: clocks missed
    input  wire                      queue_reset,     // one clock

    // bus side: any burst, one 64-bit word per clock; reads answered two clocks later
    input  wire                      wr_valid,
    input  wire [13:3]               wr_addr,
    input  wire [63:0]               wr_data,
    input  wire [7:0]                wr_be,           // bytes that are written
    input  wire [13:3]               rd_addr,
    output reg  [63:0]               rd_data,

    // time stamps
    input  wire                      stamp,           // level
    input  wire [31:0]               now,             // the time

    // releases; 0 without SYNC
    input  wire [QUEUES-1:0]         release_mask,    // one clock: the cluster at the head of the queue may leave
    output wire [QUEUES-1:0]         prepared,        // level: descriptors wait

    // engine side: `ready` queues have a descriptor that may be taken; take one, its words are there one clock later
    output wire [QUEUES-1:0]         ready,           // has a descriptor that may be taken
    input  wire                      take,            // one clock
    input  wire [$clog2(QUEUES)-1:0] take_queue,
    output wire [127:0]              take_descriptor, // word 1, word 0; one clock after `take`
    output reg  [3:0]                take_number,     // with it: the descriptor's place in its queue, modulo 16
    input  wire                      served,          // one clock: the oldest taken descriptor of the queue is done
    input  wire [$clog2(QUEUES)-1:0] served_queue,

    // status for software
    output reg  [QUEUES*7-1:0]       heads,           // oldest slot not served, 7 bits per queue
    output reg  [QUEUES*7-1:0]       tails,           // next slot free, 7 bits per queue
    output reg  [QUEUES-1:0]         fulls,           // head = tail, and not because it is empty
    output wire                      resetting,       // level: the flags are being swept, writes are rejected
    output reg                       overwrite,       // one clock per rejected 32-bit word (two in one clock are one)
    output reg                       partial          // one clock per ignored write
);
    localparam LOG2_QUEUES = $clog2(QUEUES);
    localparam LOG2_DEPTH  = 10 - LOG2_QUEUES;   // of the descriptors in a queue
    localparam POINTER     = LOG2_DEPTH + 1;
    localparam [POINTER-1:0] ONE = {{LOG2_DEPTH{1'b0}}, 1'b1};

    initial begin
        if (QUEUES != 8 && QUEUES != 16) begin
            $display("%m: QUEUES must be 8 or 16, is %0d", QUEUES);
            $finish;
        end
    end

    // ---- descriptor memory: four banks of 32 bits, so that the engine reads a whole descriptor at once
    reg [31:0] bank0 [0:1023];
    reg [31:0] bank1 [0:1023];
    reg [31:0] bank2 [0:1023];
    reg [31:0] bank3 [0:1023];

    // ---- flag memory, twice (one reader each): {start flag, written bits}; the start bit is valid with written bit 3
    reg [4:0] flags_for_write [0:1023];
    reg [4:0] flags_for_scan  [0:1023];

    reg  [QUEUES-1:0]         head_pass, tail_pass;   // the parities that belong to `heads` and `tails`
    reg  [QUEUES*POINTER-1:0] taken;
    reg  [QUEUES-1:0]         waiting;                // taken != tail
    reg  [QUEUES*POINTER-1:0] starts;                 // complete slots with the start flag, not yet taken
    reg  [QUEUES-1:0]         started;                // starts != 0

    // ---- sweep of the flags
    reg        sweeping;
    reg        rebase;           // the pointers are still the old ones
    reg        sweeping_before;  // the flags read in that clock may be from before the sweep
    reg  [9:0] sweep_slot;
    wire       blocked = sweeping || sweeping_before;
    assign     resetting = blocked;

    // ---- stage A: the write arrives, its slot's flags are read; stage B: accept, write back
    reg         b_valid;
    reg  [13:3] b_addr;
    reg  [63:0] b_data;
    reg  [7:0]  b_be;
    reg  [4:0]  b_flags_read;
    reg         b_forward;       // the write before was to the same slot: its result is newer than the memory's
    reg  [4:0]  last_flags;

    wire [9:0]             b_slot  = b_addr[13:4];
    wire [LOG2_QUEUES-1:0] b_queue = b_slot[9:LOG2_DEPTH];
    wire [POINTER-1:0]     b_head  = {head_pass[b_queue], heads[b_queue*7 +: LOG2_DEPTH]};
    wire [4:0]             b_flags = b_forward ? last_flags : b_flags_read;
    // parity of the pass in which this slot will be served next
    wire                   b_parity = (b_slot[LOG2_DEPTH-1:0] >= b_head[LOG2_DEPTH-1:0]) ? b_head[LOG2_DEPTH]
                                      : !b_head[LOG2_DEPTH];
    wire [3:0]             b_set    = b_flags[3:0] ^ {4{b_parity}};
    wire [1:0]             b_full   = {&b_be[7:4], &b_be[3:0]};
    wire [1:0]             b_some   = {|b_be[7:4], |b_be[3:0]};
    wire [1:0]             b_busy   = b_addr[3] ? b_set[3:2] : b_set[1:0];
    wire [1:0]             b_take   = b_full & ~b_busy & {2{b_valid && !blocked}};
    wire [3:0]             b_new    = b_addr[3] ? {b_take, 2'b00} : {2'b00, b_take};
    wire [3:0]             b_set_after   = b_set | b_new;
    wire                   b_start_after = b_new[3] ? b_data[59] : b_flags[4];
    wire [4:0]             b_flags_after = {b_start_after, b_set_after ^ {4{b_parity}}};
    wire                   b_completes   = (|b_new) && (&b_set_after);

    always @(posedge clk) begin
        b_flags_read <= flags_for_write[wr_addr[13:4]];
        b_addr       <= wr_addr;
        b_data       <= wr_data;
        b_be         <= wr_be;
        last_flags   <= b_flags_after;
    end

    always @(posedge clk)
        if (rst) begin
            b_valid   <= 1'b0;
            b_forward <= 1'b0;
            overwrite <= 1'b0;
            partial   <= 1'b0;
        end else begin
            b_valid   <= wr_valid;
            b_forward <= b_valid && !blocked && (wr_addr[13:4] == b_slot);
            overwrite <= b_valid && (|(b_full & (b_busy | {2{blocked}})));
            partial   <= b_valid && (|(b_some & ~b_full));
        end

    wire stamped = stamp && b_completes;

    always @(posedge clk) begin
        if (b_new[0]) bank0[b_slot] <= b_data[31:0];
        if (b_new[1] || stamped) bank1[b_slot] <= stamped ? now : b_data[63:32];
        if (b_new[2]) bank2[b_slot] <= b_data[31:0];
        if (b_new[3]) bank3[b_slot] <= b_data[63:32];
    end

    wire       flag_write      = sweeping || (|b_new);
    wire [9:0] flag_write_slot = sweeping ? sweep_slot : b_slot;
    wire [4:0] flag_write_data = sweeping ? 5'd0 : b_flags_after;

    always @(posedge clk)
        if (flag_write) begin
            flags_for_write[flag_write_slot] <= flag_write_data;
            flags_for_scan[flag_write_slot]  <= flag_write_data;
        end

    always @(posedge clk)
        if (rst) begin
            sweeping_before <= 1'b1;
            rebase          <= 1'b0;
        end else begin
            sweeping_before <= sweeping;
            rebase          <= queue_reset || (rebase && served);
        end

    always @(posedge clk)
        if (rst || queue_reset) begin
            sweeping   <= 1'b1;
            sweep_slot <= 10'd0;
        end else if (sweeping) begin
            sweep_slot <= sweep_slot + 10'd1;
            sweeping   <= (sweep_slot != 10'd1023);
        end

    // ---- reading back over the bus: two clocks
    reg [31:0] back0, back1, back2, back3;
    reg        back_second;

    always @(posedge clk) begin
        back0       <= bank0[rd_addr[13:4]];
        back1       <= bank1[rd_addr[13:4]];
        back2       <= bank2[rd_addr[13:4]];
        back3       <= bank3[rd_addr[13:4]];
        back_second <= rd_addr[3];
        rd_data     <= back_second ? {back3, back2} : {back1, back0};
    end

    // ---- reading by the engine: one clock
    reg [31:0] fetch0, fetch1, fetch2, fetch3;
    wire [POINTER-1:0] take_pointer = taken[take_queue*POINTER +: POINTER];
    wire [9:0] take_slot = {take_queue, take_pointer[LOG2_DEPTH-1:0]};

    always @(posedge clk) begin
        fetch0 <= bank0[take_slot];
        fetch1 <= bank1[take_slot];
        fetch2 <= bank2[take_slot];
        fetch3 <= bank3[take_slot];
    end

    assign take_descriptor = {fetch3, fetch2, fetch1, fetch0};

    // the start flag of a taken slot is known one clock later
    reg                   took;
    reg [LOG2_QUEUES-1:0] took_queue;

    always @(posedge clk) begin
        took        <= take && !rst && !queue_reset;
        took_queue  <= take_queue;
        take_number <= take_pointer[3:0];
    end

    wire took_start = took && fetch3[27];

    // ---- scan for slots completed out of order: the tail of one queue per clock
    reg  [LOG2_QUEUES-1:0] scan_queue, scanned_queue;
    reg  [POINTER-1:0]     scanned_tail;
    reg  [4:0]             scanned_flags;
    wire [POINTER-1:0]     scan_tail = {tail_pass[scan_queue], tails[scan_queue*7 +: LOG2_DEPTH]};
    wire                   scanned_bit_set = &(scanned_flags[3:0] ^ {4{scanned_tail[LOG2_DEPTH]}});

    always @(posedge clk) begin
        scanned_flags <= flags_for_scan[{scan_queue, scan_tail[LOG2_DEPTH-1:0]}];
        scanned_queue <= scan_queue;
        scanned_tail  <= scan_tail;
    end

    always @(posedge clk)
        if (rst) scan_queue <= {LOG2_QUEUES{1'b0}};
        else     scan_queue <= scan_queue + slept[LOG2_QUEUES-1:0] + {{LOG2_QUEUES-1{1'b0}}, 1'b1};

    // ---- pointers: evaluated only in clocks in which one of them moves
    wire scan_hits = scanned_bit_set && !sweeping;
    wire moves     = b_completes || scan_hits || take || served || took_start;

    wire [QUEUES-1:0] released;
    genvar r;

    assign prepared = waiting;

    generate
        if (SYNC != 0) begin : releases
            wire took_end = took && fetch3[18];

            for (r = 0; r < QUEUES; r = r + 1) begin : of_queue
                localparam [LOG2_QUEUES-1:0] ME = r;
                reg  [2:0] count;
                wire       more  = release_mask[r] && (count != 3'd7);
                wire       fewer = took_end && (took_queue == ME) && (count != 3'd0);

                assign released[r] = (count != 3'd0);

                always @(posedge clk)
                    if (rst || queue_reset || rebase || !waiting[r]) count <= 3'd0;
                    else if (more != fewer)                          count <= more ? count + 3'd1 : count - 3'd1;
            end
        end else begin : no_releases
            wire unused_releases = &{1'b0, release_mask};
            assign released = {QUEUES{1'b0}};
        end
    endgenerate

    // a taken start flag is known one clock after `take`: until then the queue is not ready
    assign ready = waiting & (started | released) & ~({{QUEUES-1{1'b0}}, took} << took_queue) & {QUEUES{!sweeping}};

    reg [QUEUES*7-1:0]       next_heads, next_tails;
    reg [QUEUES*POINTER-1:0] next_taken, next_starts;
    reg [QUEUES-1:0]         next_head_pass, next_tail_pass, next_fulls, next_waiting, next_started;
    reg [POINTER-1:0]        h, k, t, n;   // of one queue: head, taken, tail, starts
    reg                      writes, grows, takes, gives, more, fewer;
    integer                  i, j;

    always @* begin
        {next_head_pass, next_heads} = {head_pass, heads};
        {next_tail_pass, next_tails} = {tail_pass, tails};
        next_taken   = taken;
        next_starts  = starts;
        next_fulls   = fulls;
        next_waiting = waiting;
        next_started = started;
        {h, k, t, n} = {4*POINTER{1'b0}};
        {writes, grows, takes, gives, more, fewer} = 6'd0;
        i            = 0;
        if (moves)
            for (i = 0; i < QUEUES; i = i + 1) begin
                h      = {head_pass[i], heads[i*7 +: LOG2_DEPTH]};
                k      = taken[i*POINTER +: POINTER];
                t      = {tail_pass[i], tails[i*7 +: LOG2_DEPTH]};
                n      = starts[i*POINTER +: POINTER];
                writes = b_completes && (b_queue == i[LOG2_QUEUES-1:0]);
                grows  = !fulls[i] && ((writes && b_slot[LOG2_DEPTH-1:0] == t[LOG2_DEPTH-1:0])
                                       || (scan_hits && scanned_queue == i[LOG2_QUEUES-1:0] && scanned_tail == t));
                takes  = take && (take_queue == i[LOG2_QUEUES-1:0]);
                gives  = served && (served_queue == i[LOG2_QUEUES-1:0]) && (h != k);
                more   = writes && b_start_after;
                fewer  = took_start && (took_queue == i[LOG2_QUEUES-1:0]);
                if (grows) {next_tail_pass[i], next_tails[i*7 +: LOG2_DEPTH]} = t + ONE;
                if (takes) next_taken[i*POINTER +: POINTER] = k + ONE;
                if (gives) {next_head_pass[i], next_heads[i*7 +: LOG2_DEPTH]} = h + ONE;
                if (more != fewer) begin
                    next_starts[i*POINTER +: POINTER] = more ? n + ONE : n - ONE;
                    next_started[i]                   = more || (n != ONE);
                end
                if (takes != grows) next_waiting[i] = grows || (k + ONE != t);
                if (gives != grows) next_fulls[i]   = grows && (t + ONE == {!h[LOG2_DEPTH], h[LOG2_DEPTH-1:0]});
            end
    end

    always @(posedge clk)
        if (rst) begin
            {head_pass, heads, fulls}                                   <= {QUEUES*9{1'b0}};
            {tail_pass, tails, taken, waiting, starts, started}         <= {QUEUES*(10+2*POINTER){1'b0}};
        end else if (rebase && !served) begin
            for (j = 0; j < QUEUES; j = j + 1)
                {head_pass[j], heads[j*7 +: LOG2_DEPTH]} <= {head_pass[j], heads[j*7 +: LOG2_DEPTH]}
                                                            - taken[j*POINTER +: POINTER];
            fulls                                                       <= fulls & ~waiting;
            {tail_pass, tails, taken, waiting, starts, started}         <= {QUEUES*(10+2*POINTER){1'b0}};
        end else if (moves) begin
            {head_pass, heads, fulls}                           <= {next_head_pass, next_heads, next_fulls};
            {tail_pass, tails, taken, waiting, starts, started} <= {next_tail_pass, next_tails, next_taken,
                                                                    next_waiting, next_starts, next_started};
        end

    wire unused = &{1'b0, take_pointer[LOG2_DEPTH], scanned_flags[4], slept};

    // ---- measuring
    wire probe_busy        = b_valid || take;
    wire probe_stall_reset = b_valid && blocked;
    wire probe_start       = b_completes;
    wire probe_done        = take;
endmodule
`default_nettype wire
