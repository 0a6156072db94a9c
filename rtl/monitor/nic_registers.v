// The NIC's registers in BAR1 (0x0000..0x3FFF): set-up, counters, status. The map is rtl/monitor/registers.map; names, offsets
// and bit positions below come from it (nic_registers.vh). PCI clock.
//
// Reads: the 64-bit word at `rd_addr` is on `rd_data` two clocks later, each half the register at its own offset; unused offsets read
// 0; no read has a side effect. Writes: set-up registers take single bytes; counters take whole 32-bit words only. What
// the hardware sets in the clock of a write wins over the write (STATUS, counters load first).
//
// The network counters live in the network clock; here is a copy, refreshed one by one (`copy_*`), some hundred clocks old;
// after RST# it is valid when the first round is over.
`default_nettype none
`include "nic_registers.vh"
module nic_registers #(
    // reset values and facts of the build, see nic.v
    parameter QUEUES = 8,
    parameter LOG2_QUEUES = 3,
    parameter QUEUE_DEPTH = 128,
    parameter LINKS = 1,
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
    input  wire                 clk,
    input  wire                 rst,

    // bus
    input  wire                 wr_valid,
    input  wire [13:3]          wr_addr,
    input  wire [63:0]          wr_data,
    input  wire [7:0]           wr_be,
    input  wire [13:3]          rd_addr,
    output reg  [63:0]          rd_data,

    // set-up
    output wire                 cfg_initiator_enable,
    output wire                 cfg_direct,
    output wire                 cfg_benchmark,
    output wire                 cfg_sequence_zero,
    output wire [1:0]           cfg_loopback,
    output reg                  cfg_queue_reset,       // one clock
    input  wire                 queues_resetting,      // level: it is still going on
    output reg                  soft_reset,            // until soft_reset_done
    input  wire                 soft_reset_done,
    output wire [6:0]           cfg_node_id,
    output wire [9:0]           cfg_payload_limit,     // 1..512
    output wire [11:0]          cfg_tx_capacity,
    output wire [8:0]           cfg_cut_through,       // 0 with STORE_AND_FORWARD
    output wire [3:0]           cfg_view_flow,
    output wire [63:0]          cfg_remote_notify,
    output wire [63:0]          cfg_local_notify,
    output wire [LOG2_BLOCKS:0] cfg_body_limit,

    // views
    input  wire [QUEUES*7-1:0]  queue_heads,
    input  wire [QUEUES*7-1:0]  queue_tails,
    input  wire [QUEUES-1:0]    queue_fulls,
    output wire [LOG2_QUEUES-2:0] view_pair,           // the counts below are those of queues 2 x view_pair and, high, 2 x view_pair + 1
    input  wire [63:0]          view_departed,         // in the same clock
    input  wire [63:0]          view_skipped,
    input  wire [2:0]           link_status,
    input  wire [23:0]          tx_space,              // {transmitted, credit}
    input  wire [23:0]          rx_space,              // {received, forwarded}
    input  wire [31:0]          dma_states,
    input  wire [31:0]          bus_states,
    input  wire [31:0]          link_states,
    input  wire [31:0]          voq_states,
    input  wire [VOQS*12-1:0]   voq_words,
    input  wire [VOQS*(LOG2_BLOCKS+1)-1:0] voq_blocks,
    input  wire [LOG2_BLOCKS:0] free_blocks,

    // copy of the network counters
    input  wire                 copy_update,
    input  wire [4:0]           copy_index,
    input  wire [31:0]          copy_value,
    output reg                  network_clear,         // one clock

    // events and levels of the counters and timers of S1 3.1.4.2
    input  wire                 ev_h2n_op,
    input  wire                 ev_n2h_op,
    input  wire                 ev_h2n_request,
    input  wire                 ev_n2h_request,
    input  wire                 ev_h2n_word,
    input  wire                 ev_n2h_word,
    input  wire                 h2n_requesting,
    input  wire                 n2h_requesting,
    input  wire                 h2n_granted,
    input  wire                 n2h_granted,
    input  wire                 ev_h2n_disconnect,
    input  wire                 ev_n2h_disconnect,
    input  wire                 irq_active,
    input  wire                 ev_irq,
    input  wire                 ev_local_notified,
    input  wire                 ev_remote_notified,
    input  wire                 ev_split,
    input  wire                 ev_first_data,
    input  wire                 ev_bad_body,
    input  wire                 ev_header_step,
    input  wire                 ev_h2n_overflow,
    input  wire                 ev_n2h_overflow,
    input  wire                 ev_migrated,
    input  wire                 ev_fetched,
    input  wire                 body_exhausted,
    input  wire                 ev_damaged,

    // errors
    input  wire                 ev_bad_length,
    input  wire                 ev_bad_address,
    input  wire                 ev_bad_flow,
    input  wire                 ev_overwrite,
    input  wire                 ev_partial,
    input  wire                 ev_read_failed,
    input  wire                 ev_write_error,
    input  wire                 ev_gap,
    input  wire                 ev_flagged,
    input  wire                 ev_packet_dropped,
    input  wire                 ev_credit_rejected,
    input  wire                 ev_fifo_error
);
    // ---- write side: one register stage, then each register looks for its own offset
    reg         w_valid;
    reg  [13:3] w_addr;
    reg  [63:0] w_data;
    reg  [7:0]  w_be;

    always @(posedge clk) begin
        w_addr <= wr_addr;
        w_data <= wr_data;
        w_be   <= wr_be;
    end

    always @(posedge clk)
        if (rst) w_valid <= 1'b0;
        else     w_valid <= wr_valid;

    wire [19:0] w_at = {w_valid, w_addr, w_be};

    // byte enables that the write `at` has for the register at `offset`
    function [3:0] strobes (input [14:0] offset, input [19:0] at);
        strobes = (at[19] && offset[14:3] == {1'b0, at[18:8]} && offset[1:0] == 2'd0) ? (offset[2] ? at[7:4] : at[3:0]) : 4'd0;
    endfunction

    // a counter is loaded by a write of all four bytes
    function load (input [14:0] offset, input [19:0] at);
        load = &strobes(offset, at);
    endfunction

    // the 32 bits of `data` at that offset
    function [31:0] value (input [14:0] offset, input [63:0] data);
        reg unused;
        begin
            unused = &{1'b0, offset};
            value  = offset[2] ? data[63:32] : data[31:0];
        end
    endfunction

    // `old` with the bytes that the write has for it
    function [31:0] merge (input [31:0] old, input [14:0] offset, input [19:0] at, input [63:0] data);
        reg [3:0]  be;
        reg [31:0] new_value;
        begin
            be        = strobes(offset, at);
            new_value = value(offset, data);
            merge     = {be[3] ? new_value[31:24] : old[31:24], be[2] ? new_value[23:16] : old[23:16],
                         be[1] ? new_value[15:8]  : old[15:8],  be[0] ? new_value[7:0]   : old[7:0]};
        end
    endfunction

    // ---- set-up registers. A body may take an equal share of the external memory unless software says otherwise.
    localparam [31:0] BODY_LIMIT = (1 << LOG2_BLOCKS) / VOQS;

    reg [31:0] control, node_id, payload_limit, tx_capacity, cut_through, view_flow, body_limit;
    reg [31:0] remote_low, remote_high, local_low, local_high;

    wire [31:0] control_written = merge(control, `NIC_CONTROL, w_at, w_data);
    wire [3:0]  control_strobes = strobes(`NIC_CONTROL, w_at);

    always @(posedge clk)
        if (rst) begin
            control       <= `NIC_CONTROL_RESET;
            node_id       <= `NIC_NODE_ID_RESET;
            payload_limit <= PAYLOAD_LIMIT;
            tx_capacity   <= `NIC_TX_CAPACITY_RESET;
            cut_through   <= CUT_THROUGH;
            view_flow     <= `NIC_VIEW_FLOW_RESET;
            body_limit    <= BODY_LIMIT;
            remote_low    <= `NIC_REMOTE_NOTIFY_LOW_RESET;
            remote_high   <= `NIC_REMOTE_NOTIFY_HIGH_RESET;
            local_low     <= `NIC_LOCAL_NOTIFY_LOW_RESET;
            local_high    <= `NIC_LOCAL_NOTIFY_HIGH_RESET;
        end else begin
            control       <= control_written & 32'hC000_0163;
            node_id       <= merge(node_id, `NIC_NODE_ID, w_at, w_data) & 32'h0000_007F;
            payload_limit <= merge(payload_limit, `NIC_PAYLOAD_LIMIT, w_at, w_data) & 32'h0000_03FF;
            tx_capacity   <= merge(tx_capacity, `NIC_TX_CAPACITY, w_at, w_data) & 32'h0000_0FFF;
            cut_through   <= merge(cut_through, `NIC_CUT_THROUGH, w_at, w_data) & 32'h0000_01FF;
            view_flow     <= merge(view_flow, `NIC_VIEW_FLOW, w_at, w_data) & 32'h0000_000F;
            body_limit    <= merge(body_limit, `NIC_BODY_LIMIT, w_at, w_data) & {{31-LOG2_BLOCKS{1'b0}}, {LOG2_BLOCKS+1{1'b1}}};
            remote_low    <= merge(remote_low, `NIC_REMOTE_NOTIFY_LOW, w_at, w_data);
            remote_high   <= merge(remote_high, `NIC_REMOTE_NOTIFY_HIGH, w_at, w_data);
            local_low     <= merge(local_low, `NIC_LOCAL_NOTIFY_LOW, w_at, w_data);
            local_high    <= merge(local_high, `NIC_LOCAL_NOTIFY_HIGH, w_at, w_data);
        end

    wire write_queue_reset = control_strobes[3] && control_written[`NIC_CONTROL_QUEUE_RESET_BIT];
    wire write_soft_reset  = control_strobes[0] && control_written[`NIC_CONTROL_SOFT_RESET_BIT];

    always @(posedge clk)
        if (rst) begin
            cfg_queue_reset <= 1'b0;
            soft_reset      <= 1'b0;
            network_clear   <= 1'b0;
        end else begin
            cfg_queue_reset <= write_queue_reset;
            soft_reset      <= write_soft_reset || (soft_reset && !soft_reset_done);
            network_clear   <= |strobes(`NIC_NET_OUT_CYCLES, w_at);
        end

    assign cfg_initiator_enable = control[`NIC_CONTROL_INITIATOR_ENABLE_BIT];
    assign cfg_direct           = control[`NIC_CONTROL_DIRECT_BIT];
    assign cfg_benchmark        = control[`NIC_CONTROL_BENCHMARK_BIT];
    assign cfg_sequence_zero    = control[`NIC_CONTROL_SEQUENCE_ZERO_BIT];
    assign cfg_loopback         = control[`NIC_CONTROL_LOOPBACK_MSB:`NIC_CONTROL_LOOPBACK_LSB];
    assign cfg_node_id          = node_id[6:0];
    assign cfg_payload_limit    = (payload_limit[9:0] == 10'd0 || payload_limit[9:0] > 10'd512) ? 10'd512 : payload_limit[9:0];
    assign cfg_tx_capacity      = tx_capacity[11:0];
    assign cfg_cut_through      = control[`NIC_CONTROL_STORE_AND_FORWARD_BIT] ? 9'd0 : cut_through[8:0];
    assign cfg_body_limit       = body_limit[LOG2_BLOCKS:0];
    assign cfg_view_flow        = view_flow[3:0];
    assign cfg_remote_notify    = {remote_high, remote_low[31:3], 3'b000};
    assign cfg_local_notify     = {local_high, local_low[31:3], 3'b000};

    // ---- status: what the hardware sets wins
    reg  [31:0] status;
    wire [31:0] status_set = {18'd0, ev_damaged, ev_partial, ev_header_step, ev_fifo_error, ev_credit_rejected, ev_packet_dropped,
                              ev_bad_body, ev_gap, ev_write_error, ev_read_failed, ev_overwrite, ev_bad_flow, ev_bad_address,
                              ev_bad_length};
    wire [31:0] status_clear = merge(32'd0, `NIC_STATUS, w_at, w_data);

    always @(posedge clk)
        if (rst) status <= `NIC_STATUS_RESET;
        else     status <= (status & ~status_clear) | status_set;

    // ---- timers with a condition of their own
    reg  split_waiting;      // between a split response and its first datum
    reg  timer_armed, timer_runs;
    reg  [31:0] timer_now, timer_shown;
    wire timer_load   = load(`NIC_CUMULATIVE_TIMER, w_at);
    wire timer_counts = timer_runs || (timer_armed && (h2n_requesting || n2h_requesting));   // the clock of the first REQ# is the first

    always @(posedge clk)
        if (rst) begin
            split_waiting <= 1'b0;
            timer_armed   <= 1'b0;
            timer_runs    <= 1'b0;
            timer_now     <= 32'd0;
            timer_shown   <= 32'd0;
        end else begin
            split_waiting <= (split_waiting || ev_split) && !ev_first_data;
            if (timer_load) begin
                timer_armed <= 1'b1;
                timer_runs  <= 1'b0;
                timer_now   <= value(`NIC_CUMULATIVE_TIMER, w_data);
                timer_shown <= value(`NIC_CUMULATIVE_TIMER, w_data);
            end else begin
                timer_runs <= timer_counts;
                if (timer_counts) timer_now <= timer_now + 32'd1;
                if (timer_counts && (ev_h2n_op || ev_n2h_op)) timer_shown <= timer_now;
            end
        end

    // ---- counters
    wire [31:0] c_h2n_ops, c_n2h_ops, c_h2n_requests, c_n2h_requests, c_h2n_words, c_n2h_words, c_h2n_active, c_n2h_active;
    wire [31:0] c_h2n_granted, c_n2h_granted, c_h2n_disconnects, c_n2h_disconnects, c_irq_active, c_irqs, c_local, c_remote;
    wire [31:0] c_splits, c_split_duration, c_bad_bodies, c_header_steps, c_h2n_full, c_n2h_full;
    wire [31:0] c_descriptor_errors, c_overwrites, c_read_errors, c_write_errors, c_gaps, c_flagged;
    wire [31:0] c_migrated, c_fetched, c_exhausted, c_damaged;
    wire        ev_descriptor_error = ev_bad_length || ev_bad_address || ev_bad_flow;

    event_counter h2n_ops (clk, rst, ev_h2n_op,
        load(`NIC_H2N_DMA_OPS, w_at), value(`NIC_H2N_DMA_OPS, w_data), c_h2n_ops);
    event_counter n2h_ops (clk, rst, ev_n2h_op,
        load(`NIC_N2H_DMA_OPS, w_at), value(`NIC_N2H_DMA_OPS, w_data), c_n2h_ops);
    event_counter h2n_requests (clk, rst, ev_h2n_request,
        load(`NIC_H2N_REQUESTS, w_at), value(`NIC_H2N_REQUESTS, w_data), c_h2n_requests);
    event_counter n2h_requests (clk, rst, ev_n2h_request,
        load(`NIC_N2H_REQUESTS, w_at), value(`NIC_N2H_REQUESTS, w_data), c_n2h_requests);
    event_counter h2n_words (clk, rst, ev_h2n_word,
        load(`NIC_H2N_WORDS, w_at), value(`NIC_H2N_WORDS, w_data), c_h2n_words);
    event_counter n2h_words (clk, rst, ev_n2h_word,
        load(`NIC_N2H_WORDS, w_at), value(`NIC_N2H_WORDS, w_data), c_n2h_words);
    event_counter h2n_active (clk, rst, h2n_requesting,
        load(`NIC_H2N_ACTIVE, w_at), value(`NIC_H2N_ACTIVE, w_data), c_h2n_active);
    event_counter n2h_active (clk, rst, n2h_requesting,
        load(`NIC_N2H_ACTIVE, w_at), value(`NIC_N2H_ACTIVE, w_data), c_n2h_active);
    event_counter h2n_grant (clk, rst, h2n_granted,
        load(`NIC_H2N_GRANTED, w_at), value(`NIC_H2N_GRANTED, w_data), c_h2n_granted);
    event_counter n2h_grant (clk, rst, n2h_granted,
        load(`NIC_N2H_GRANTED, w_at), value(`NIC_N2H_GRANTED, w_data), c_n2h_granted);
    event_counter h2n_cut (clk, rst, ev_h2n_disconnect,
        load(`NIC_H2N_DISCONNECTS, w_at), value(`NIC_H2N_DISCONNECTS, w_data), c_h2n_disconnects);
    event_counter n2h_cut (clk, rst, ev_n2h_disconnect,
        load(`NIC_N2H_DISCONNECTS, w_at), value(`NIC_N2H_DISCONNECTS, w_data), c_n2h_disconnects);
    event_counter irq_time (clk, rst, irq_active,
        load(`NIC_IRQ_ACTIVE, w_at), value(`NIC_IRQ_ACTIVE, w_data), c_irq_active);
    event_counter irqs (clk, rst, ev_irq,
        load(`NIC_IRQ_ASSERTIONS, w_at), value(`NIC_IRQ_ASSERTIONS, w_data), c_irqs);
    event_counter locals (clk, rst, ev_local_notified,
        load(`NIC_LOCAL_NOTIFICATIONS, w_at), value(`NIC_LOCAL_NOTIFICATIONS, w_data), c_local);
    event_counter remotes (clk, rst, ev_remote_notified,
        load(`NIC_REMOTE_NOTIFICATIONS, w_at), value(`NIC_REMOTE_NOTIFICATIONS, w_data), c_remote);
    event_counter splits (clk, rst, ev_split,
        load(`NIC_SPLIT_OPS, w_at), value(`NIC_SPLIT_OPS, w_data), c_splits);
    event_counter split_time (clk, rst, split_waiting,
        load(`NIC_SPLIT_DURATION, w_at), value(`NIC_SPLIT_DURATION, w_data), c_split_duration);
    event_counter bad_bodies (clk, rst, ev_bad_body,
        load(`NIC_BODY_CRC_ERRORS, w_at), value(`NIC_BODY_CRC_ERRORS, w_data), c_bad_bodies);
    event_counter header_steps (clk, rst, ev_header_step,
        load(`NIC_HEADER_ALIGNMENT_ERRORS, w_at), value(`NIC_HEADER_ALIGNMENT_ERRORS, w_data), c_header_steps);
    event_counter h2n_full (clk, rst, ev_h2n_overflow,
        load(`NIC_H2N_FIFO_FULL_ERRORS, w_at), value(`NIC_H2N_FIFO_FULL_ERRORS, w_data), c_h2n_full);
    event_counter n2h_full (clk, rst, ev_n2h_overflow,
        load(`NIC_N2H_FIFO_FULL_ERRORS, w_at), value(`NIC_N2H_FIFO_FULL_ERRORS, w_data), c_n2h_full);
    event_counter bad_descs (clk, rst, ev_descriptor_error,
        load(`NIC_DESCRIPTOR_ERRORS, w_at), value(`NIC_DESCRIPTOR_ERRORS, w_data), c_descriptor_errors);
    event_counter overwrites (clk, rst, ev_overwrite,
        load(`NIC_DESCRIPTOR_OVERWRITES, w_at), value(`NIC_DESCRIPTOR_OVERWRITES, w_data), c_overwrites);
    event_counter read_errors (clk, rst, ev_read_failed,
        load(`NIC_READ_ERRORS, w_at), value(`NIC_READ_ERRORS, w_data), c_read_errors);
    event_counter write_errors (clk, rst, ev_write_error,
        load(`NIC_WRITE_ERRORS, w_at), value(`NIC_WRITE_ERRORS, w_data), c_write_errors);
    event_counter gaps (clk, rst, ev_gap,
        load(`NIC_SEQUENCE_GAPS, w_at), value(`NIC_SEQUENCE_GAPS, w_data), c_gaps);
    event_counter flagged (clk, rst, ev_flagged,
        load(`NIC_FLAGGED_NOTIFICATIONS, w_at), value(`NIC_FLAGGED_NOTIFICATIONS, w_data), c_flagged);
    event_counter migrated (clk, rst, ev_migrated,
        load(`NIC_MIGRATED_WORDS, w_at), value(`NIC_MIGRATED_WORDS, w_data), c_migrated);
    event_counter fetched (clk, rst, ev_fetched,
        load(`NIC_FETCHED_WORDS, w_at), value(`NIC_FETCHED_WORDS, w_data), c_fetched);
    event_counter exhausted (clk, rst, body_exhausted,
        load(`NIC_BODY_EXHAUSTED, w_at), value(`NIC_BODY_EXHAUSTED, w_data), c_exhausted);
    event_counter damaged (clk, rst, ev_damaged,
        load(`NIC_MEMORY_ERRORS, w_at), value(`NIC_MEMORY_ERRORS, w_data), c_damaged);

    // ---- copy of the network counters: place = (offset - 0x180) / 4, and 0x230 + 4 i at place 20 + i
    reg [31:0] copy [0:31];

    always @(posedge clk)
        if (copy_update) copy[copy_index] <= copy_value;

    // ---- read side: one half of the 64-bit word
    reg  [13:3] r_addr;

    always @(posedge clk) r_addr <= rd_addr;

    localparam [31:0] BUILD = (QUEUE_DEPTH << `NIC_BUILD_QUEUE_DEPTH_LSB) | (FIFO_WORDS << `NIC_BUILD_FIFO_WORDS_LSB)
                              | (SPLITS << `NIC_BUILD_SPLITS_LSB) | (LINKS << `NIC_BUILD_LINKS_LSB) | (QUEUES << `NIC_BUILD_QUEUES_LSB);

    function integer log2 (input integer n);
        for (log2 = 0; (1 << log2) < n; log2 = log2 + 1) ;
    endfunction

    localparam [31:0] VOQ_BUILD = (SEGMENT_WORDS << `NIC_VOQ_BUILD_SEGMENT_WORDS_LSB) | (LOG2_BLOCKS << `NIC_VOQ_BUILD_LOG2_BLOCKS_LSB)
                                  | (log2(BLOCK_WORDS) << `NIC_VOQ_BUILD_LOG2_BLOCK_WORDS_LSB)
                                  | (LOG2_VOQ_WORDS << `NIC_VOQ_BUILD_LOG2_WORDS_LSB) | (VOQS << `NIC_VOQ_BUILD_VOQS_LSB);

    // the arrays of the map have 16 places; those of queues that are not built read 0
    wire [16*32-1:0] pointers_shown, levels_shown;

    genvar q;
    generate
        for (q = 0; q < 16; q = q + 1) begin : place
            if (q < QUEUES) begin : built
                assign pointers_shown[q*32 +: 32] = {queue_fulls[q], queue_heads[q*7 +: 7], 1'b0, queue_tails[q*7 +: 7], 16'd0};
            end else begin : missing
                assign pointers_shown[q*32 +: 32] = 32'd0;
            end
            if (q < VOQS) begin : voq_built
                assign levels_shown[q*32 +: 32] = {{15-LOG2_BLOCKS{1'b0}}, voq_blocks[q*(LOG2_BLOCKS+1) +: LOG2_BLOCKS+1],
                                                   4'd0, voq_words[q*12 +: 12]};
            end else begin : voq_missing
                assign levels_shown[q*32 +: 32] = 32'd0;
            end
        end
    endgenerate

    // Each half of the word has its own multiplexer, over the registers with its offset[2].
    wire [14:0] r_low  = {1'b0, r_addr, 3'b000};
    wire [14:0] r_high = {1'b0, r_addr, 3'b100};
    reg  [31:0] low, high;

    // the network counters of the map; the gaps between them read 0
    function is_copy (input [14:0] offset);
        is_copy = (offset >= `NIC_NET_OUT_CYCLES && offset <= `NIC_GT0_TX_BUFFER_FULL)
                  || (offset >= `NIC_NET_OUT_PACKETS && offset <= `NIC_N2H_STARTS)
                  || (offset >= `NIC_PACKETS_DROPPED && offset <= `NIC_CREDITS_RECEIVED);
    endfunction

    wire r_is_pointers = (r_low[14:6] == 9'd10);
    wire r_is_queue    = ({28'd0, r_low[5:2]} < QUEUES);
    wire r_is_departed = (r_low[14:6] == 9'd11) && r_is_queue;
    wire r_is_skipped  = (r_low[14:6] == 9'd12) && r_is_queue;

    assign view_pair = r_low[LOG2_QUEUES+1:3];
    wire r_is_level    = (r_low[14:6] == 9'd13);

    function [4:0] copy_place (input [14:0] offset);
        reg unused;
        begin
            unused     = &{1'b0, offset};
            copy_place = offset[9] ? offset[6:2] + 5'd8 : offset[6:2];
        end
    endfunction

    wire [31:0] copy_low  = copy[copy_place(r_low)];
    wire [31:0] copy_high = copy[copy_place(r_high)];

    always @* begin
        low = 32'd0;
        case (r_low)
            `NIC_CONTROL: low = control | {7'd0, cfg_queue_reset || queues_resetting, 19'd0, soft_reset, 4'd0};
            `NIC_REMOTE_NOTIFY_LOW: low = remote_low;
            `NIC_LOCAL_NOTIFY_LOW: low = local_low;
            `NIC_H2N_DMA_OPS: low = c_h2n_ops;
            `NIC_H2N_REQUESTS: low = c_h2n_requests;
            `NIC_H2N_WORDS: low = c_h2n_words;
            `NIC_H2N_ACTIVE: low = c_h2n_active;
            `NIC_H2N_GRANTED: low = c_h2n_granted;
            `NIC_H2N_DISCONNECTS: low = c_h2n_disconnects;
            `NIC_IRQ_ACTIVE: low = c_irq_active;
            `NIC_LOCAL_NOTIFICATIONS: low = c_local;
            `NIC_SPLIT_OPS: low = c_splits;
            `NIC_BODY_CRC_ERRORS: low = {16'd0, c_bad_bodies[15:0]};
            `NIC_CUMULATIVE_TIMER: low = timer_shown;
            `NIC_N2H_FIFO_FULL_ERRORS: low = c_n2h_full;
            `NIC_VERSION: low = `NIC_VERSION_RESET;
            `NIC_NODE_ID: low = node_id;
            `NIC_TX_CAPACITY: low = tx_capacity;
            `NIC_DESCRIPTOR_ERRORS: low = c_descriptor_errors;
            `NIC_READ_ERRORS: low = c_read_errors;
            `NIC_SEQUENCE_GAPS: low = c_gaps;
            `NIC_CUT_THROUGH: low = cut_through;
            `NIC_VIEW_FLOW: low = view_flow;
            `NIC_RX_SPACE: low = {4'd0, rx_space[23:12], 4'd0, rx_space[11:0]};
            `NIC_BUS_STATES: low = bus_states;
            `NIC_VOQ_STATES: low = voq_states;
            `NIC_BODY_FREE: low = {{31-LOG2_BLOCKS{1'b0}}, free_blocks};
            `NIC_FETCHED_WORDS: low = c_fetched;
            `NIC_VOQ_BUILD: low = VOQ_BUILD;
            default:
                if (is_copy(r_low))     low = copy_low;
                else if (r_is_pointers) low = pointers_shown[r_low[5:2]*32 +: 32];
                else if (r_is_departed) low = view_departed[31:0];
                else if (r_is_skipped)  low = view_skipped[31:0];
                else if (r_is_level)    low = levels_shown[r_low[5:2]*32 +: 32];
        endcase
    end

    always @* begin
        high = 32'd0;
        case (r_high)
            `NIC_HEAD_TAIL: high = pointers_shown[31:0] & 32'h7FFF_FFFF;
            `NIC_REMOTE_NOTIFY_HIGH: high = remote_high;
            `NIC_LOCAL_NOTIFY_HIGH: high = local_high;
            `NIC_N2H_DMA_OPS: high = c_n2h_ops;
            `NIC_N2H_REQUESTS: high = c_n2h_requests;
            `NIC_N2H_WORDS: high = c_n2h_words;
            `NIC_N2H_ACTIVE: high = c_n2h_active;
            `NIC_N2H_GRANTED: high = c_n2h_granted;
            `NIC_N2H_DISCONNECTS: high = c_n2h_disconnects;
            `NIC_IRQ_ASSERTIONS: high = c_irqs;
            `NIC_REMOTE_NOTIFICATIONS: high = c_remote;
            `NIC_SPLIT_DURATION: high = c_split_duration;
            `NIC_HEADER_ALIGNMENT_ERRORS: high = {16'd0, c_header_steps[15:0]};
            `NIC_H2N_FIFO_FULL_ERRORS: high = c_h2n_full;
            `NIC_BUILD: high = BUILD;
            `NIC_PAYLOAD_LIMIT: high = payload_limit;
            `NIC_STATUS: high = status;
            `NIC_DESCRIPTOR_OVERWRITES: high = c_overwrites;
            `NIC_WRITE_ERRORS: high = c_write_errors;
            `NIC_FLAGGED_NOTIFICATIONS: high = c_flagged;
            `NIC_LINK_STATUS: high = {29'd0, link_status};
            `NIC_TX_SPACE: high = {4'd0, tx_space[23:12], 4'd0, tx_space[11:0]};
            `NIC_DMA_STATES: high = dma_states;
            `NIC_LINK_STATES: high = link_states;
            `NIC_BODY_LIMIT: high = body_limit;
            `NIC_MIGRATED_WORDS: high = c_migrated;
            `NIC_BODY_EXHAUSTED: high = c_exhausted;
            `NIC_MEMORY_ERRORS: high = {16'd0, c_damaged[15:0]};
            default:
                if (is_copy(r_high))    high = copy_high;
                else if (r_is_pointers) high = pointers_shown[r_high[5:2]*32 +: 32];
                else if (r_is_departed) high = view_departed[63:32];
                else if (r_is_skipped)  high = view_skipped[63:32];
                else if (r_is_level)    high = levels_shown[r_high[5:2]*32 +: 32];
        endcase
    end

    always @(posedge clk) rd_data <= {high, low};

    wire unused = &{1'b0, control_strobes[2:1], c_bad_bodies[31:16], c_header_steps[31:16], c_damaged[31:16]};

    // ---- measuring
    wire probe_busy  = w_valid;
    wire probe_stall = 1'b0;
endmodule
`default_nettype wire
