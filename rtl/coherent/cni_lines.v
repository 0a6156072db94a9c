// Lines that the coherent NI writes: collects words into lines of 32 bytes and writes each with one request on the
// interconnect, in the order in which the lines were closed. Words of a line arrive one after the other, lowest first.
//
// Clients, the lower number first: 0 receiver, 1 part A, 2 reports and local notifications. A client whose line is open
// keeps the port until it is closed.
//
//     word_valid  /w4 X w5 X w6 X w7 X w8 \_______/first\______________       a message of 8 words in a slot
//                                                                             (w1..w3 before)
//     request     ____________________/line 1 ....\/line 2 ..\/line 0 ..
//
// A line is closed by its word 3 or by `last`. Words with `keep` are those of a slot's first line; its word 0 comes
// last. In mode memory they wait in a place of their own, while later lines go, until word 0 completes the line: the
// whole of it is written by one request after all others, so a reader that polls it loses it once. `start` begins such
// a line and forgets an incomplete one, whose message was bad. In modes update and allocate they are written as any
// others, and word 0 by a request of one word, which a reader that polls the line sees earliest.
//
// The receive mode (cni.md) is that of the word's queue if that has one of its own, else of the first window with the
// line, else cfg_other. Words in mode uncached go to receive memory instead.
//
// Latency: a line's last word taken at word_valid to req_valid: 2 clocks. Three lines may wait; then word_ready falls.
// `fence`, one clock: all words taken before it are to be in memory or caches; `fence_done` follows then. Of several
// that wait the answers may be merged.
`default_nettype none
module cni_lines #(
    // log2 of the 64-bit words of receive memory, 3..12
    parameter LOG2_UNCACHED = 9
) (
    input  wire         clk,
    input  wire         rst,

    // words; client c has the bits from c x width on
    input  wire [2:0]   word_valid,
    output wire [2:0]   word_ready,
    input  wire [74:0]  word_address,  // [27:3] of coherent memory
    input  wire [191:0] word_data,
    input  wire [2:0]   word_last,
    input  wire [1:0]   word_keep,     // clients 0 and 1
    input  wire [1:0]   word_start,
    input  wire [1:0]   word_of_queue, // ... of a slot of this queue:
    input  wire [7:0]   word_queue,
    input  wire [1:0]   fence,         // of two kinds
    output reg  [1:0]   fence_done,

    // receive modes
    input  wire [63:0]  cfg_queues,    // of queue n in [4 n + 3 : 4 n]: {use it, cache, mode}
    input  wire [2:0]   cfg_other,     // {cache, mode}
    input  wire [1:0]   cfg_enable,    // windows
    input  wire [45:0]  cfg_base,      // [27:5] each
    input  wire [45:0]  cfg_last,
    input  wire [5:0]   cfg_mode,      // {cache, mode} each

    // agent of snoop_switch (rtl/coherent/README.md)
    output wire         req_valid,
    output wire         req_invalidate, // InvalidateWrite; else Update
    output wire [27:5]  req_line,
    output wire [1:0]   req_word,
    output wire [1:0]   req_last,
    output wire         req_full,
    output wire         req_allocate,
    output wire         req_cache,
    input  wire         req_taken,
    input  wire         out_take,       // of the own request
    input  wire [1:0]   out_word,
    output reg  [63:0]  out_data,
    output reg  [7:0]   out_mask,
    input  wire         snoop_done,

    // receive memory, read side
    input  wire [LOG2_UNCACHED-1:0] uncached_word,
    output reg  [63:0]  uncached_data, // a clock later

    output wire         idle,
    output wire         ev_line
);
    localparam [1:0] UNCACHED = 2'd3, ALLOCATE = 2'd2, MEMORY = 2'd0;
    localparam [1:0] KEPT = 2'd3;      // place of the line that is kept; others are 0..2

    initial
        if (LOG2_UNCACHED < 3 || LOG2_UNCACHED > 12) begin
            $display("%m: LOG2_UNCACHED must be 3..12, is %0d", LOG2_UNCACHED);
            $finish;
        end

    // ---- first stage: choice of the client
    reg          clearing;              // receive memory is being cleared
    reg          locked;                // a line of client `owner` is open
    reg  [1:0]   owner;
    wire [1:0]   client = locked ? owner : word_valid[0] ? 2'd0 : word_valid[1] ? 2'd1 : 2'd2;
    wire         room;                  // the second stage takes its word
    reg          full;                  // second stage: a word:
    reg  [27:3]  address;
    reg  [63:0]  data;
    reg          last, keep, start;
    reg          of_queue;
    reg  [3:0]   queue;
    reg  [24:0]  in_address;
    reg  [63:0]  in_data;
    reg          some, in_last, in_keep, in_start, in_of_queue;
    reg  [3:0]   in_queue;
    wire         open_in = (!full || room) && !clearing;
    wire         take   = some && open_in;

    assign word_ready = (3'd1 << client) & {3{open_in}};

    always @* begin
        some       = word_valid[0];
        in_address = word_address[24:0];
        in_data    = word_data[63:0];
        in_last    = word_last[0];
        in_keep    = word_keep[0];
        in_start   = word_start[0];
        in_of_queue = word_of_queue[0];
        in_queue   = word_queue[3:0];
        if (client == 2'd1) begin
            some       = word_valid[1];
            in_address = word_address[49:25];
            in_data    = word_data[127:64];
            in_last    = word_last[1];
            in_keep    = word_keep[1];
            in_start   = word_start[1];
            in_of_queue = word_of_queue[1];
            in_queue   = word_queue[7:4];
        end
        if (client[1]) begin
            some       = word_valid[2];
            in_address = word_address[74:50];
            in_data    = word_data[191:128];
            in_last    = word_last[2];
            in_keep    = 1'b0;
            in_start   = 1'b0;
            in_of_queue = 1'b0;
        end
    end

    always @(posedge clk)
        if (rst) begin
            locked <= 1'b0;
            full   <= 1'b0;
        end else begin
            if (take) locked <= !in_last && (in_address[1:0] != 2'd3);
            full <= take || (full && !room);
        end

    always @(posedge clk)
        if (rst)       data <= 64'd0;   // what receive memory is cleared with
        else if (take) data <= in_data;

    always @(posedge clk)
        if (take) begin
            owner      <= client;
            address    <= in_address;
            last       <= in_last;
            of_queue   <= in_of_queue;
            queue      <= in_queue;
            keep       <= in_keep;
            start      <= in_start;
        end

    // ---- second stage: mode and place
    wire [1:0]  inside;
    genvar w;
    generate
        for (w = 0; w < 2; w = w + 1) begin : of_window
            assign inside[w] = cfg_enable[w] && (address[27:5] >= cfg_base[23*w +: 23])
                               && (address[27:5] <= cfg_last[23*w +: 23]);
        end
    endgenerate

    wire [3:0]  of_its_queue = cfg_queues[4*queue +: 4];
    wire [2:0]  mode     = (of_queue && of_its_queue[3]) ? of_its_queue[2:0]
                           : inside[0] ? cfg_mode[2:0] : inside[1] ? cfg_mode[5:3] : cfg_other;
    wire        to_memory = (mode[1:0] != UNCACHED);

    reg  [3:0]  mask [0:3];             // words of the line in each place
    reg  [22:0] lines [0:3];
    reg  [2:0]  modes [0:3];            // {cache, mode}
    (* ram_style = "block" *) reg [63:0] words [0:15];

    reg  [1:0]  next_place;             // where the line that is open, or the next one, is
    reg         opened;                 // it has words
    reg  [1:0]  waiting;                // lines closed, not written: 0..3 and the kept one
    reg  [2:0]  order_count;
    reg  [7:0]  order;                  // their places, the oldest in [1:0]
    reg         pending;                // the oldest one's request has been taken, its data move
    reg  [1:0]  pending_place;

    wire        kept     = keep && (mode[1:0] == MEMORY);
    wire [1:0]  place    = kept ? KEPT : next_place;
    wire        closes   = kept ? (address[4:3] == 2'd0) : (last || address[4:3] == 2'd3);
    wire        finished = pending && snoop_done;
    reg         kept_waits;             // the kept line is in the order, or its data move
    assign room = !to_memory || (kept ? !kept_waits : (opened || waiting != 2'd3));
    wire        put      = full && room && to_memory;
    wire        close    = put && closes;

    always @(posedge clk)
        if (rst) begin
            next_place  <= 2'd0;
            opened      <= 1'b0;
            waiting     <= 2'd0;
            order_count <= 3'd0;
            kept_waits  <= 1'b0;
        end else begin
            if (put && !kept) begin
                opened <= !closes;
                if (closes) next_place <= (next_place == 2'd2) ? 2'd0 : next_place + 2'd1;
            end
            waiting     <= waiting + {1'b0, close && !kept} - {1'b0, finished && pending_place != KEPT};
            order_count <= order_count + {2'd0, close} - {2'd0, req_taken};
            if (close && kept)                             kept_waits <= 1'b1;
            else if (finished && pending_place == KEPT)    kept_waits <= 1'b0;
        end

    wire [1:0] order_left = order_count[1:0] - {1'b0, req_taken};    // 4 only if one is taken
    wire [7:0] order_rest = req_taken ? {2'd0, order[7:2]} : order;

    always @(posedge clk) begin
        order <= order_rest;
        if (close)
            case (order_left)
                2'd0:    order[1:0] <= place;
                2'd1:    order[3:2] <= place;
                2'd2:    order[5:4] <= place;
                default: order[7:6] <= place;
            endcase

        if (put) begin
            words[{place, address[4:3]}] <= data;
            mask[place]  <= ((kept ? start : !opened) ? 4'd0 : mask[place]) | (4'd1 << address[4:3]);
            lines[place] <= address[27:5];
            modes[place] <= mode;
        end
    end

    // ---- requests
    wire [1:0]  head      = order[1:0];
    wire [3:0]  head_mask = mask[head];
    wire [2:0]  head_mode = modes[head];
    wire [1:0]  first     = head_mask[0] ? 2'd0 : head_mask[1] ? 2'd1 : head_mask[2] ? 2'd2 : 2'd3;
    wire [1:0]  final     = head_mask[3] ? 2'd3 : head_mask[2] ? 2'd2 : head_mask[1] ? 2'd1 : 2'd0;

    assign req_valid      = (order_count != 3'd0);
    assign req_invalidate = (head_mode[1:0] == MEMORY);
    assign req_line       = lines[head];
    assign req_word       = first;
    assign req_last       = final - first;
    assign req_full       = &head_mask;
    assign req_allocate   = (head_mode[1:0] == ALLOCATE);
    assign req_cache      = head_mode[2];
    assign idle           = !full && !opened && (order_count == 3'd0) && !pending;
    assign ev_line        = req_taken;

    always @(posedge clk)
        if (rst)             pending <= 1'b0;
        else if (req_taken)  pending <= 1'b1;
        else if (snoop_done) pending <= 1'b0;

    // ---- fences: count the lines that were on their way when the last word before it had its place
    reg  [1:0] asked, awaited;
    reg  [2:0] lines_left;
    wire [2:0] lines_now = order_count + {2'd0, pending} - {2'd0, finished};

    always @(posedge clk)
        if (rst) begin
            asked      <= 2'd0;
            awaited    <= 2'd0;
            fence_done <= 2'd0;
        end else begin
            asked      <= fence | (asked & {2{awaited != 2'd0 || full}});
            if (awaited == 2'd0) begin
                if (!full) awaited <= asked;
            end else if (lines_left == 3'd0) awaited <= 2'd0;
            fence_done <= awaited & {2{lines_left == 3'd0}};
        end

    always @(posedge clk)
        if (awaited == 2'd0) lines_left <= lines_now;
        else if (finished)   lines_left <= lines_left - 3'd1;

    wire [3:0] mask_moving = mask[pending_place];

    always @(posedge clk) begin
        if (req_taken) begin
            pending_place <= head;
        end
        out_data <= words[{pending_place, out_word}];
        out_mask <= {8{out_take && mask_moving[out_word]}};
    end

    // ---- receive memory, cleared after reset; until then no word is taken, so `data` is 0
    reg [63:0] uncached [0:(1 << LOG2_UNCACHED)-1];
    reg  [LOG2_UNCACHED-1:0] clear_word;
    wire [LOG2_UNCACHED-1:0] uncached_at = clearing ? clear_word : address[LOG2_UNCACHED+2:3];

    always @(posedge clk)
        if (rst) begin
            clearing   <= 1'b1;
            clear_word <= {LOG2_UNCACHED{1'b0}};
        end else begin
            if (&clear_word) clearing <= 1'b0;
            clear_word <= clear_word + {{LOG2_UNCACHED-1{1'b0}}, clearing};
        end

    always @(posedge clk) begin
        if (clearing || (full && !to_memory)) uncached[uncached_at] <= data;
        uncached_data <= uncached[uncached_word];
    end

    // ---- measuring
    wire probe_busy      = !idle;
    wire probe_stall_bus = full && !room;
    wire probe_start     = req_taken;
    wire probe_done      = finished;
endmodule
`default_nettype wire
