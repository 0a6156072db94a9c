// Several links by packet: transfers depart in the order of their queue, whatever the order in which the links send
// their packets. A transfer departs when its last packet and all before it in its queue have left. Queues do not wait
// for each other.
//
//     put     a packet enters the FIFO of a link. It gets the next place of its queue, and the link's list records that
//             place
//     gone    the oldest packet of that link has left (its last body CRC word is on the port), or was dropped there
//             (gone_lost): its place records it
//
// The oldest place of a queue is read when it has changed, or the one before it is done: one queue per clock.
//
//     clock        0      1      2      3
//     gone_valid  /~~~~~\______________________     taken, the list is read
//     write       _______/~~~~~\_______________     the place is written
//     look        ______________/~~~~~\________     the place is read
//     departed    _____________________/~~~~~\_
//
// A transfer with a dropped packet does not depart: `lost_valid` stays high until lost_taken. A transfer that ends
// without a last packet (a software reset has dropped the remainder, or a read of it has failed) is forgotten with the
// first packet of the next one.
//
// `full`: a queue has reached the most packets that are tracked here, and has not fallen below that since. voq_ahead
// keeps a queue below; only a link that is taken out of use while it is down for less than DEAD_CLOCKS leads to it. A
// put in the three clocks after it has risen still has space.
`default_nettype none
module dma_departures #(
    // request queues, 2..16, a power of two
    parameter QUEUES = 8,
    // links, 2..4
    parameter PATHS = 2
) (
    input  wire                      clk,
    input  wire                      rst,
    input  wire                      put_valid,
    input  wire [1:0]                put_path,
    input  wire [$clog2(QUEUES)-1:0] put_queue,
    input  wire                      put_first,      // the first packet of its transfer
    input  wire                      put_ends,       // the last one,
    input  wire                      put_local,      // ... which wants a local notification
    output wire                      full,           // high for QUEUES clocks after rst (4 at least), too

    input  wire [PATHS-1:0]          gone_valid,     // of each link; stable until popped
    input  wire [PATHS-1:0]          gone_lost,
    output wire [PATHS-1:0]          gone_pop,

    output wire                      departed_valid, // one clock
    output wire [$clog2(QUEUES)-1:0] departed_queue,
    output wire                      departed_local,
    output wire                      lost_valid,
    output wire [$clog2(QUEUES)-1:0] lost_queue,
    input  wire                      lost_taken,
    output wire                      busy,
    output reg                       ev_overflow     // a bug: a packet has no place, or left twice
);
    localparam BITS  = $clog2(QUEUES);
    localparam SWEEP = (BITS > 2) ? BITS : 2;
    // log2 of the places of a queue: more than run ahead (448 + 24, voq_ahead). Log2 of the packets in the FIFO of a
    // link, in the link, and on the way here: 34 are in that FIFO at most (proof h2n-paths), 5 have left it (proof
    // gone-each).
    localparam LOG2_PLACES = 9;
    localparam LOG2_SENT   = 7;
    localparam [LOG2_PLACES-1:0] MANY = 480;
    localparam [LOG2_PLACES-1:0] ONE  = 1;

    initial
        if (QUEUES < 2 || QUEUES > 16 || (QUEUES & (QUEUES - 1)) != 0 || PATHS < 2 || PATHS > 4) begin
            $display("%m: QUEUES must be 2, 4, 8 or 16, is %0d; PATHS 2..4, is %0d", QUEUES, PATHS);
            $finish;
        end

    // ---- content of a place
    localparam [1:0] WAITS = 2'd0, LEFT = 2'd1, LEFT_LOCAL = 2'd2, LOST = 2'd3;

    reg [3:0]           places [0:(QUEUES << LOG2_PLACES)-1];            // {one of these, ends, first}
    reg [3:0]           shown;
    reg [BITS+LOG2_PLACES+2:0] sent [0:(4 << LOG2_SENT)-1];              // per link: {queue, place, ends, first, local}
    reg [BITS+LOG2_PLACES+2:0] entry;

    (* ram_style = "distributed" *) reg [LOG2_PLACES-1:0] tails [0:QUEUES-1];    // place of the next packet,
    (* ram_style = "distributed" *) reg [LOG2_PLACES-1:0] heads [0:QUEUES-1];    // ... and of the oldest one

    reg                 sweeping;
    reg  [SWEEP-1:0]    sweep;
    reg  [QUEUES-1:0]   crowded;         // the queue has reached MANY packets
    reg  [QUEUES-1:0]   changed;         // the oldest place of this queue must be read
    reg  [QUEUES-1:0]   some_lost;       // a packet of the queue's current transfer was dropped
    reg                 entry_valid;
    reg                 entry_lost;
    reg                 deciding;
    reg  [BITS-1:0]     at;

    // ---- put
    wire [BITS-1:0]        put_at    = sweeping ? sweep[BITS-1:0] : put_queue;
    wire [LOG2_PLACES-1:0] put_place = tails[put_at];
    wire [LOG2_PLACES-1:0] put_level = put_place - heads[put_at];
    wire                   put_many  = (put_level >= MANY);

    always @(posedge clk)
        if (sweeping || put_valid)
            tails[put_at] <= (put_place + ONE) & {LOG2_PLACES{!sweeping}};

    assign full = sweeping || (|crowded);

    // ---- gone: of the lowest link with an entry
    wire [PATHS-1:0]   oldest    = gone_valid & (~gone_valid + {{PATHS-1{1'b0}}, 1'b1});
    wire [3:0]         wide      = {{4-PATHS{1'b0}}, gone_valid};
    wire [3:0]         lost_wide = {{4-PATHS{1'b0}}, gone_lost};
    wire [1:0]         gone_path = {wide[1:0] == 2'd0, wide[0] ? 1'b0 : wide[1] ? 1'b1 : !wide[2]};
    wire               entry_write = entry_valid && !put_valid;
    wire               take        = (|gone_valid) && (!entry_valid || entry_write) && !sweeping;

    // how many packets of each link were put, and how many are gone
    (* ram_style = "distributed" *) reg [LOG2_SENT-1:0] puts  [0:3];
    (* ram_style = "distributed" *) reg [LOG2_SENT-1:0] gones [0:3];
    wire [1:0]           puts_at  = sweeping ? sweep[1:0] : put_path;
    wire [1:0]           gones_at = sweeping ? sweep[1:0] : gone_path;
    wire [LOG2_SENT-1:0] puts_now  = puts[puts_at];
    wire [LOG2_SENT-1:0] gones_now = gones[gones_at];
    wire                 none      = (puts[gones_at] == gones_now);     // the list of that link is empty

    assign gone_pop = oldest & {PATHS{take}};

    always @(posedge clk) begin
        if (sweeping || put_valid) puts[puts_at]   <= (puts_now + 1'b1) & {LOG2_SENT{!sweeping}};
        if (sweeping || take)      gones[gones_at] <= (gones_now + 1'b1) & {LOG2_SENT{!sweeping}};
    end

    always @(posedge clk) begin
        if (put_valid)
            sent[{put_path, puts_now}] <= {put_queue, put_place, put_ends, put_first, put_local};
        if (take) begin
            entry      <= sent[{gone_path, gones_now}];
            entry_lost <= lost_wide[gone_path];
        end
    end

    wire [BITS-1:0]        entry_queue = entry[LOG2_PLACES+3 +: BITS];
    wire [LOG2_PLACES-1:0] entry_place = entry[3 +: LOG2_PLACES];
    wire                   entry_head  = entry_write && (entry_place == heads[entry_queue]);
    wire [1:0]             entry_state = entry_lost ? LOST : entry[0] ? LEFT_LOCAL : LEFT;

    // ---- look: a place that is written in the same clock is read again
    wire [QUEUES-1:0] one       = {{QUEUES-1{1'b0}}, 1'b1};
    wire [QUEUES-1:0] at_one    = (one << at) & {QUEUES{deciding}};
    wire [QUEUES-1:0] entry_one = (one << entry_queue) & {QUEUES{entry_head}};
    wire [QUEUES-1:0] asking    = changed & ~at_one & ~entry_one;
    wire [QUEUES-1:0] grant;
    wire [BITS-1:0]   pick;
    wire              any;
    wire              stalled   = lost_valid && !lost_taken;
    wire              look      = any && !stalled;

    round_robin #(.N(QUEUES)) turn (.request (asking), .last (at), .any (any), .grant (grant), .index (pick));

    wire [BITS+LOG2_PLACES-1:0] write_at = put_valid ? {put_queue, put_place} : {entry_queue, entry_place};

    always @(posedge clk) begin
        if (put_valid || entry_write)
            places[write_at] <= put_valid ? {WAITS, 2'b00} : {entry_state, entry[2:1]};
        if (look) begin
            shown <= places[{pick, heads[pick]}];
            at    <= pick;
        end
        if (rst) at <= {BITS{1'b0}};
    end

    // ---- decide: does the transfer depart?
    wire                   ends    = shown[1];
    wire                   lost    = (shown[3:2] == LOST) || (some_lost[at] && !shown[0]);
    wire                   over    = deciding && (shown[3:2] != WAITS);
    wire                   pass    = over && !stalled;
    wire [BITS-1:0]        head_at = sweeping ? sweep[BITS-1:0] : at;
    wire [LOG2_PLACES-1:0] next    = heads[head_at] + ONE;
    wire [LOG2_PLACES-1:0] level   = tails[at] - heads[head_at];
    wire [QUEUES-1:0]      relaxed = at_one & {QUEUES{pass && level < MANY}};

    always @(posedge clk)
        if (sweeping || pass)
            heads[head_at] <= next & {LOG2_PLACES{!sweeping}};

    assign departed_valid = over && ends && !lost;
    assign departed_queue = at;
    assign departed_local = (shown[3:2] == LEFT_LOCAL);
    assign lost_valid     = over && ends && lost;
    assign lost_queue     = at;
    assign busy           = sweeping || entry_valid || deciding || (|changed);

    always @(posedge clk)
        if (rst) begin
            sweeping      <= 1'b1;
            sweep         <= {SWEEP{1'b0}};
            crowded       <= {QUEUES{1'b0}};
            changed       <= {QUEUES{1'b0}};
            some_lost     <= {QUEUES{1'b0}};
            entry_valid   <= 1'b0;
            deciding      <= 1'b0;
            ev_overflow   <= 1'b0;
        end else begin
            sweep       <= sweep + 1'b1;
            sweeping    <= sweeping && !(&sweep);
            entry_valid <= take || (entry_valid && !entry_write);
            deciding    <= look || stalled;
            changed     <= (changed & ~(grant & {QUEUES{look}})) | entry_one
                           | (at_one & {QUEUES{pass && next != tails[at]}});
            if (pass) some_lost <= (lost && !ends) ? some_lost | at_one : some_lost & ~at_one;

            crowded  <= (crowded & ~relaxed) | ((one << put_queue) & {QUEUES{put_valid && put_many}});
            ev_overflow <= (put_valid && (&put_level)) || (take && none);
        end

    wire unused = &{1'b0, wide};

    // ---- measuring
    wire probe_busy       = busy;
    wire probe_stall_full = |crowded;
    wire probe_start      = put_valid;
    wire probe_done       = pass;
endmodule
`default_nettype wire
