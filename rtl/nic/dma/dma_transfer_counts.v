// Counts of transfers of each request queue: departed, skipped (both for software), and moved into and out of the
// output queue (the difference is what a software reset drops).
//
// The counts are in small memories, since 16 counters of 32 bits in flip-flops would be a quarter of the NIC's. Each
// memory has one writer that adds to one queue per clock, and reads at once (LUT memory). After `rst` they are cleared,
// one queue per clock; no event may occur in that time (`clearing`).
//
// `forget` (software reset): all transfers still inside count as skipped, one queue per clock; `forgotten` when that is
// done. No transfer may be served or move in that time.
//
// Software reads in pairs: the queues 2 x view_pair and 2 x view_pair + 1 share a 64-bit word of the register map. The
// values belong to the view_pair of the same clock.
`default_nettype none
module dma_transfer_counts #(
    // request queues, 2..16
    parameter QUEUES = 8,
    // bits of a count of transfers inside an output queue and its body, 12..31
    parameter INSIDE_BITS = 18
) (
    input  wire                      clk,
    input  wire                      rst,
    output wire                      clearing,       // level: after reset, no event may occur

    // events
    input  wire                      served,         // a descriptor is finished; never in two consecutive clocks
    input  wire [$clog2(QUEUES)-1:0] served_queue,
    input  wire                      served_left,    // its transfer is inside its output queue; else it was skipped
    input  wire                      moved,          // a transfer has left its output queue for the link
    input  wire                      moved_lost,     // ... or dropped: it is skipped; never in two consecutive clocks
    input  wire [$clog2(QUEUES)-1:0] moved_queue,
    input  wire                      departed,       // ... and has been sent
    input  wire [$clog2(QUEUES)-1:0] departed_queue,
    input  wire                      sunk_valid,     // level: ... lost behind its output queue: counts as skipped
    input  wire [$clog2(QUEUES)-1:0] sunk_queue,
    output wire                      sunk_taken,     // one clock: counted
    output wire [31:0]               departed_count, // of that queue; a departure of this clock not included
    input  wire                      forget,         // level
    output wire                      forgotten,      // one clock: done

    // status for software
    input  wire [$clog2(QUEUES)-2:0] view_pair,      // the counts of queues 2 x view_pair and, high, 2 x view_pair + 1
    output wire [63:0]               view_departed,  // [31:0] even queue, [63:32] odd queue
    output wire [63:0]               view_skipped
);
    localparam LOG2_QUEUES = $clog2(QUEUES);
    localparam [LOG2_QUEUES-1:0] ONE = {{LOG2_QUEUES-1{1'b0}}, 1'b1};

    initial
        if (INSIDE_BITS < 12 || INSIDE_BITS > 31) begin
            $display("%m: INSIDE_BITS must be 12..31, is %0d", INSIDE_BITS);
            $finish;
        end

    // ---- one queue after the other: clearing after reset, forgetting
    reg                    clear;
    reg                    done;
    reg  [LOG2_QUEUES-1:0] sweep;
    wire                   sweeping = clear || (forget && !done);

    assign clearing  = clear;
    assign forgotten = done;

    always @(posedge clk)
        if (rst) begin
            clear <= 1'b1;
            done  <= 1'b0;
            sweep <= {LOG2_QUEUES{1'b0}};
        end else begin
            clear <= clear && !(&sweep);
            done  <= forget && !clear && (done || (&sweep));
            if (sweeping) sweep <= sweep + ONE;
        end

    // ---- inside: went in, went out; both restart after a reset
    (* ram_style = "distributed" *) reg [INSIDE_BITS-1:0] entered [0:QUEUES-1];
    (* ram_style = "distributed" *) reg [INSIDE_BITS-1:0] left    [0:QUEUES-1];
    wire [LOG2_QUEUES-1:0] enter_at     = sweeping ? sweep : served_queue;
    wire [LOG2_QUEUES-1:0] leave_at     = sweeping ? sweep : moved_queue;
    wire [INSIDE_BITS-1:0] entered_here = entered[enter_at];
    wire [INSIDE_BITS-1:0] left_here    = left[leave_at];
    wire [INSIDE_BITS-1:0] inside       = entered_here - left_here;
    wire [INSIDE_BITS-1:0] step         = {{INSIDE_BITS-1{1'b0}}, !sweeping};

    always @(posedge clk)
        if (sweeping || (served && served_left)) entered[enter_at] <= (entered_here & {INSIDE_BITS{!sweeping}}) + step;

    always @(posedge clk)
        if (sweeping || moved) left[leave_at] <= (left_here & {INSIDE_BITS{!sweeping}}) + step;

    // ---- a lost transfer is counted as skipped when no other one is. It waits for one clock at most, since nothing is
    // served, and none is lost, in two consecutive clocks: so one place is enough
    reg                    lost;
    reg  [LOG2_QUEUES-1:0] lost_queue;
    wire                   skip_served = served && !served_left;
    wire                   skip_lost   = lost && !skip_served && !sweeping;

    assign sunk_taken = sunk_valid && !lost && !skip_served && !sweeping;

    always @(posedge clk)
        if (rst) lost <= 1'b0;
        else     lost <= (moved && moved_lost) || (lost && !skip_lost);

    always @(posedge clk)
        if (moved && moved_lost) lost_queue <= moved_queue;

    // ---- status for software
    (* ram_style = "distributed" *) reg [31:0] departures [0:QUEUES-1];
    (* ram_style = "distributed" *) reg [31:0] skips      [0:QUEUES-1];
    wire [LOG2_QUEUES-1:0] depart_at  = clear ? sweep : departed_queue;
    wire [LOG2_QUEUES-1:0] skip_at    = skip_lost ? lost_queue : sunk_taken ? sunk_queue : enter_at;
    wire [31:0]            skips_here = skips[skip_at];
    wire [31:0]            skips_more = {{32-INSIDE_BITS{1'b0}}, sweeping ? inside & {INSIDE_BITS{!clear}}
                                                                          : {{INSIDE_BITS-1{1'b0}}, 1'b1}};

    assign departed_count = departures[depart_at];
    assign view_departed  = {departures[{view_pair, 1'b1}], departures[{view_pair, 1'b0}]};
    assign view_skipped   = {skips[{view_pair, 1'b1}], skips[{view_pair, 1'b0}]};

    always @(posedge clk)
        if (clear || departed) departures[depart_at] <= (departed_count & {32{!clear}}) + {31'd0, !clear};

    always @(posedge clk)
        if (sweeping || skip_served || skip_lost || sunk_taken)
            skips[skip_at] <= (skips_here & {32{!clear}}) + skips_more;

    // ---- measuring
    wire probe_busy       = sweeping || served || moved || departed;
    wire probe_stall_turn = lost && !skip_lost;
endmodule
`default_nettype wire
