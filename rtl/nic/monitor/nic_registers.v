// The NIC's registers in BAR1 (0x0000..0x3FFF): set-up, counters, status. The map is rtl/nic/monitor/registers.map;
// names, offsets and bit positions below are generated from it (nic_registers.vh), and so do the storage of the
// registers, the counters and the read side (nic_register_block.vh, included below: its head lists what it needs and
// defines). Written by hand are the values that the map calls shown=, effects of settings, and actions started by a
// write. PCI clock.
//
// Bits of `events`, `views` and `settings` have names: `NIC_EVENT_.., `NIC_VIEW_.., `NIC_SETTING_.., in nic.v ev_.. and
// view_.. as well.
//
// Reads: the 64-bit word at `rd_addr` is on `rd_data` two clocks later, each half the register at its own offset;
// unused offsets read 0; no read has a side effect. Writes: set-up registers take single bytes; counters take whole
// 32-bit words only. A value set by the hardware in the clock of a write wins over the write (STATUS, counters load
// first).
//
// The network counters are in the network clock; this module has a copy, refreshed one by one (`copy_*`), some hundred
// clocks old; after RST# it is valid when the first round is over.
`default_nettype none
`include "nic_registers.vh"
module nic_registers #(
    // reset values and facts of the build, see nic.v
    parameter QUEUES = 8,
    parameter QUEUE_DEPTH = 128,
    parameter LINKS = 1,
    parameter BOND = 0,
    parameter SPLITS = 1,
    parameter FIFO_WORDS = 1023,
    parameter PAYLOAD_LIMIT = 62,
    parameter CUT_THROUGH = 96,
    // virtual output queues, see voq.v
    parameter VOQS = 8,
    parameter LOG2_VOQ_WORDS = 10,
    parameter SEGMENT_WORDS = 128,
    parameter BLOCK_WORDS = 64,
    parameter LOG2_BLOCKS = 12
) (
    input  wire                 clk,                   // gated while `busy` is low (clock_gate)
    input  wire                 copy_clk,              // for the copy of the network counters, never gated
    input  wire                 rst,

    // bus
    input  wire                 wr_valid,
    input  wire [13:3]          wr_addr,
    input  wire [63:0]          wr_data,
    input  wire [7:0]           wr_be,
    input  wire [13:3]          rd_addr,
    output reg  [63:0]          rd_data,

    // set-up: register values, and signals derived from them
    output wire [`NIC_SETTING_BITS-1:0] settings,
    output reg                  cfg_queue_reset,       // one clock
    input  wire                 queues_resetting,      // level: it is still going on
    output reg                  soft_reset,            // until soft_reset_done
    input  wire                 soft_reset_done,
    output wire [9:0]           cfg_payload_limit,     // 1..512
    output wire [8:0]           cfg_cut_through,       // 0 with STORE_AND_FORWARD
    output wire [63:0]          cfg_remote_notify,
    output wire [63:0]          cfg_local_notify,
    output wire [LOG2_BLOCKS:0] cfg_body_limit,
    input  wire                 direct_held,           // DIRECT may not change now
    output wire                 direct_refused,        // one clock: a write would have changed it
    output wire [9:0]           cfg_path_ahead,        // 8..448, see voq_ahead
    input  wire                 stamps_held,           // the same for TIME_STAMPS
    output wire                 stamps_refused,

    // views, one by one and in arrays
    input  wire [`NIC_VIEW_BITS-1:0] views,
    input  wire [`NIC_MONITORING_BITS-1:0] monitoring, // registers that monitoring.v keeps
    input  wire [QUEUES*7-1:0]  queue_heads,
    input  wire [QUEUES*7-1:0]  queue_tails,
    input  wire [QUEUES-1:0]    queue_fulls,
    output wire [$clog2(QUEUES)-2:0] view_pair,        // the counts below: of queues 2 x this and, high, 2 x this + 1
    input  wire [63:0]          view_departed,         // in the same clock
    input  wire [63:0]          view_skipped,
    input  wire [VOQS*12-1:0]   voq_words,
    input  wire [VOQS*(LOG2_BLOCKS+1)-1:0] voq_blocks,
    input  wire [LOG2_BLOCKS:0] free_blocks,

    // copy of the network counters, numbered as in the map
    input  wire                 copy_update,
    input  wire [5:0]           copy_index,
    input  wire [31:0]          copy_value,
    output reg                  network_clear,         // one clock
    output wire                 busy,                  // clock_gate: the timer runs, or a soft reset is requested

    // events that are counted or set bits of STATUS: clocks in which a bit is high
    input  wire [`NIC_EVENT_COUNT-1:0] events,
    output wire [31:0]          status_set             // bits of STATUS that are being set
);
    // ---- write side: one register stage, then each register looks for its own offset
    reg         w_valid;
    reg  [13:3] w_addr;
    reg  [63:0] w_came;
    reg  [7:0]  w_be;

    always @(posedge clk) begin
        w_addr <= wr_addr;
        w_came <= wr_data;
        w_be   <= wr_be;
    end

    always @(posedge clk)
        if (rst) w_valid <= 1'b0;
        else     w_valid <= wr_valid;

    wire [14:0] w_low  = {1'b0, w_addr, 3'b000};       // offsets of the two registers of that word
    wire [14:0] w_high = {1'b0, w_addr, 3'b100};
    // value written, but a DIRECT or TIME_STAMPS that may not change keeps its old value
    wire        w_direct = w_came[`NIC_CONTROL_DIRECT_BIT];
    wire        w_stamps = w_came[`NIC_CONTROL_TIME_STAMPS_BIT];
    wire [63:0] w_data   = w_came ^ ({63'd0, direct_refused} << `NIC_CONTROL_DIRECT_BIT)
                                  ^ ({63'd0, stamps_refused} << `NIC_CONTROL_TIME_STAMPS_BIT);

    assign direct_refused = w_valid && w_be[0] && (w_low == `NIC_CONTROL) && direct_held
                            && (w_direct != settings[`NIC_SETTING_CONTROL_DIRECT]);
    assign stamps_refused = w_valid && w_be[1] && (w_low == `NIC_CONTROL) && stamps_held
                            && (w_stamps != settings[`NIC_SETTING_CONTROL_TIME_STAMPS]);

    // bits written and, of them, set; 0 without a write
    reg  [63:0] w_mask, w_set;

    always @* begin
        w_mask = 64'd0;
        w_set  = 64'd0;
        if (w_valid) begin
            w_mask = {{8{w_be[7]}}, {8{w_be[6]}}, {8{w_be[5]}}, {8{w_be[4]}},
                      {8{w_be[3]}}, {8{w_be[2]}}, {8{w_be[1]}}, {8{w_be[0]}}};
            w_set  = w_data & w_mask;
        end
    end

    // ---- the cumulative timer
    // the clock of the first REQ# is the first
    reg  timer_armed, timer_runs;
    reg  [31:0] timer_now, timer_shown;
    wire timer_load   = w_valid && w_low == `NIC_CUMULATIVE_TIMER && &w_be[3:0];
    wire timer_counts = timer_runs || (timer_armed && (events[`NIC_EVENT_H2N_ACTIVE] || events[`NIC_EVENT_N2H_ACTIVE]));

    always @(posedge clk)
        if (rst) begin
            timer_armed   <= 1'b0;
            timer_runs    <= 1'b0;
            timer_now     <= 32'd0;
            timer_shown   <= 32'd0;
        end else begin
            if (timer_load) begin
                timer_armed <= 1'b1;
                timer_runs  <= 1'b0;
                timer_now   <= w_data[31:0];
                timer_shown <= w_data[31:0];
            end else begin
                timer_runs <= timer_counts;
                if (timer_counts) timer_now <= timer_now + 32'd1;
                if (timer_counts && (events[`NIC_EVENT_H2N_OP] || events[`NIC_EVENT_N2H_OP])) timer_shown <= timer_now;
            end
        end

    assign busy = timer_runs || soft_reset;

    // ---- what the map calls shown=, and constants of the build
    reg  [13:3] r_addr;

    always @(posedge clk) r_addr <= rd_addr;

    wire [14:0] r_low  = {1'b0, r_addr, 3'b000};       // offsets of the two registers that are read
    wire [14:0] r_high = {1'b0, r_addr, 3'b100};

    // default: a body may take an equal share of the external memory
    localparam [31:0] BODY_LIMIT      = (1 << LOG2_BLOCKS) / VOQS;
    localparam [31:0] BODY_LIMIT_MASK = (2 << LOG2_BLOCKS) - 1;

    // the slower the bus, the more words arrive per clock of it
    localparam [31:0] RATIO_66  = (3 * CUT_THROUGH / 2 > 511) ? 511 : 3 * CUT_THROUGH / 2;
    localparam [31:0] RATIO_100 = CUT_THROUGH;
    localparam [31:0] RATIO_133 = 3 * CUT_THROUGH / 4;
    wire [1:0]  bus_class         = views[`NIC_VIEW_BUS_CLASS_FREQUENCY];
    wire [31:0] cut_through_reset = (bus_class == 2'd1) ? RATIO_66 : (bus_class == 2'd3) ? RATIO_133 : RATIO_100;

    localparam [31:0] BUILD = (QUEUE_DEPTH << `NIC_BUILD_QUEUE_DEPTH_LSB) | (FIFO_WORDS << `NIC_BUILD_FIFO_WORDS_LSB)
                              | (BOND << `NIC_BUILD_BOND_LSB) | (SPLITS << `NIC_BUILD_SPLITS_LSB)
                              | (LINKS << `NIC_BUILD_LINKS_LSB) | (QUEUES << `NIC_BUILD_QUEUES_LSB);

    localparam [31:0] VOQ_BUILD = (SEGMENT_WORDS << `NIC_VOQ_BUILD_SEGMENT_WORDS_LSB)
                                  | (LOG2_BLOCKS << `NIC_VOQ_BUILD_LOG2_BLOCKS_LSB)
                                  | ($clog2(BLOCK_WORDS) << `NIC_VOQ_BUILD_LOG2_BLOCK_WORDS_LSB)
                                  | (LOG2_VOQ_WORDS << `NIC_VOQ_BUILD_LOG2_WORDS_LSB)
                                  | (VOQS << `NIC_VOQ_BUILD_VOQS_LSB);

    // registers that exist with several links by packet only
    localparam         PATHS        = (BOND == 1) ? LINKS : 1;
    localparam [3:0]   EACH         = (PATHS > 1) ? (1 << PATHS) - 1 : 0;
    localparam [31:0]  SEND_LOW     = {8{EACH}};
    localparam [31:0]  SEND_HIGH    = (QUEUES > 8) ? {8{EACH}} : 32'd0;
    localparam [31:0]  TIMEOUT      = (PATHS > 1) ? 200000 : 0;
    localparam [31:0]  TIMEOUT_MASK = (PATHS > 1) ? 32'h00FF_FFFF : 32'd0;
    localparam [31:0]  VIEW_MASK    = (PATHS > 1) ? {24'd0, EACH, 4'd3} : 32'd0;
    wire [9:0]         path_ahead   = cfg_path_ahead;

    // the arrays of the map have 16 places; those of missing queues read 0. Evaluated only when they are read
    localparam EACH_LEVEL = LOG2_BLOCKS + 1;
    reg  [63:0] pointers_shown, levels_shown;          // of two queues
    integer     q;

    always @* begin
        pointers_shown = 64'd0;
        levels_shown   = 64'd0;
        q              = 0;
        if ({r_low[14:6], 6'd0} == `NIC_QUEUE_POINTERS)
            for (q = 0; q < QUEUES; q = q + 1)
                if (r_low[5:3] == q[3:1])
                    pointers_shown[q%2*32 +: 32] = {queue_fulls[q], queue_heads[q*7 +: 7], 1'b0, queue_tails[q*7 +: 7],
                                                    16'd0};
        if ({r_low[14:6], 6'd0} == `NIC_VOQ_LEVEL)
            for (q = 0; q < VOQS; q = q + 1)
                if (r_low[5:3] == q[3:1])
                    levels_shown[q%2*32 +: 32] = {{16-EACH_LEVEL{1'b0}}, voq_blocks[q*EACH_LEVEL +: EACH_LEVEL], 4'd0,
                                                  voq_words[q*12 +: 12]};
    end

    wire        r_is_queue     = ({28'd0, r_low[5:2]} < QUEUES);
    wire [31:0] version        = `NIC_VERSION_RESET;
    wire [31:0] head_tail      = {1'b0, queue_heads[6:0], 1'b0, queue_tails[6:0], 16'd0};
    wire [31:0] body_free      = {{31-LOG2_BLOCKS{1'b0}}, free_blocks};
    wire        queue_reset    = cfg_queue_reset || queues_resetting;
    wire [31:0] pointers_low   = pointers_shown[31:0];
    wire [31:0] pointers_high  = pointers_shown[63:32];
    wire [31:0] departed_low   = r_is_queue ? view_departed[31:0] : 32'd0;
    wire [31:0] departed_high  = r_is_queue ? view_departed[63:32] : 32'd0;
    wire [31:0] skipped_low    = r_is_queue ? view_skipped[31:0] : 32'd0;
    wire [31:0] skipped_high   = r_is_queue ? view_skipped[63:32] : 32'd0;
    wire [31:0] level_low      = levels_shown[31:0];
    wire [31:0] level_high     = levels_shown[63:32];

    wire [31:0] capacity_written;
    wire [31:0] CAPACITY_MASK  = {20'd0, 7'h7F, {5{!(&capacity_written[11:5])}}};     // 4064 at most

    assign view_pair = r_low[$clog2(QUEUES)+1:3];

`include "nic_register_block.vh"

    assign status_set       = set_status;
    assign capacity_written = (stored_tx_capacity & ~w_mask[31:0]) | w_set[31:0];
    wire   unused_capacity  = &{1'b0, capacity_written};

    always @(posedge clk) rd_data <= {high, low};

    // ---- actions of a write, and signals derived from the set-up
    wire w_control         = w_valid && w_low == `NIC_CONTROL;
    wire write_queue_reset = w_control && w_be[3] && w_data[`NIC_CONTROL_QUEUE_RESET_BIT];
    wire write_soft_reset  = w_control && w_be[0] && w_data[`NIC_CONTROL_SOFT_RESET_BIT];

    always @(posedge clk)
        if (rst) begin
            cfg_queue_reset <= 1'b0;
            soft_reset      <= 1'b0;
            network_clear   <= 1'b0;
        end else begin
            cfg_queue_reset <= write_queue_reset;
            soft_reset      <= write_soft_reset || (soft_reset && !soft_reset_done);
            network_clear   <= w_valid && w_low == `NIC_NET_OUT_CYCLES && |w_be[3:0];
        end

    generate
        if (PATHS > 1) begin : several_paths
            reg  [9:0]  ahead;
            wire [31:0] ahead_written = ({22'd0, ahead} & ~w_mask[31:0]) | w_set[31:0];
            wire [9:0]  asked         = ahead_written[9:0];

            assign cfg_path_ahead = ahead;

            always @(posedge clk)
                if (rst) ahead <= 10'd256;
                else if (w_valid && w_low == `NIC_PATH_AHEAD && |w_be[3:0])
                    ahead <= (asked < 10'd8) ? 10'd8 : (asked > 10'd448) ? 10'd448 : asked;

            wire unused_ahead = &{1'b0, ahead_written};
        end else begin : one_path
            assign cfg_path_ahead = 10'd0;
        end
    endgenerate

    // longer ones may never get credit: header, CRC, and up to 15 free words that are not reported, as credits count in
    // steps of 16
    localparam [31:0] FITS      = (FIFO_WORDS - 17 < 512) ? FIFO_WORDS - 17 : 512;
    localparam [9:0]  MOST      = FITS[9:0];
    assign cfg_payload_limit = (stored_payload_limit[9:0] == 10'd0 || stored_payload_limit[9:0] > MOST) ? MOST
                               : stored_payload_limit[9:0];
    assign cfg_cut_through   = stored_control[`NIC_CONTROL_STORE_AND_FORWARD_BIT] ? 9'd0 : stored_cut_through[8:0];
    assign cfg_body_limit    = stored_body_limit[LOG2_BLOCKS:0];
    assign cfg_remote_notify = {stored_remote_notify_high, stored_remote_notify_low[31:3], 3'b000};
    assign cfg_local_notify  = {stored_local_notify_high, stored_local_notify_low[31:3], 3'b000};

    // ---- measuring
    wire probe_busy = w_valid;
endmodule
`default_nettype wire
