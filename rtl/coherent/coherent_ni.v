// The coherent network interface (cni) with part A (sync_unit): only wiring.
//
// What sync_unit knows as the host's memory is coherent memory, lines on the interconnect; its "request queues" are
// destinations where operations wait for answers, and the two send queues where clusters are released. A send queue
// keeps a release until a held slot comes, so all are `prepared`.
`default_nettype none
`include "coherent_registers.vh"
module coherent_ni #(
    // as in cni.v
    parameter CACHE_KB = 16,
    parameter WAYS = 2,
    parameter SOURCES = 16,
    // destinations, 8 or 16
    parameter LANES = 8,
    parameter LOG2_H2N = 6
) (
    input  wire         clk,
    input  wire         rst,

    // processor ports: port p has the bits from p x width on
    input  wire [1:0]   reg_valid,
    input  wire [1:0]   reg_write,
    input  wire [35:0]  reg_address,       // [19:2]
    input  wire [63:0]  reg_wdata,
    input  wire [7:0]   reg_be,
    output wire [1:0]   reg_done,
    output wire [31:0]  reg_rdata,
    output wire         reg_error,
    input  wire [1:0]   plb_error,
    input  wire [63:0]  plb_error_address,
    output wire [1:0]   irq,

    // UPDATE ranges of the caches: range r has the bits from r x width on
    output wire [1:0]   range_enable,
    output wire [45:0]  range_base,
    output wire [45:0]  range_last,

    // agent 2 of snoop_switch (README.md)
    output wire         req_valid,
    output wire [2:0]   req_kind,
    output wire [22:0]  req_line,
    output wire [1:0]   req_word,
    output wire [1:0]   req_last,
    output wire         req_tag,
    output wire         req_full,
    output wire         req_allocate,
    output wire         req_cache,
    input  wire         req_taken,
    input  wire         snoop_valid,
    input  wire [2:0]   snoop_kind,
    input  wire [22:0]  snoop_line,
    output wire         answer_has,
    input  wire         result_valid,
    input  wire         result_shared,
    input  wire         out_take,
    input  wire [1:0]   out_word,
    output wire [63:0]  out_data,
    output wire [7:0]   out_mask,
    input  wire         in_valid,
    input  wire         in_own,
    input  wire         in_last,
    input  wire [63:0]  in_data,
    input  wire         in_tag,
    input  wire         snoop_done,

    // link
    input  wire         n2h_valid,
    input  wire [67:0]  n2h_data,
    output wire         n2h_pop,
    output wire         h2n_valid,
    output wire [67:0]  h2n_data,
    input  wire [LOG2_H2N:0] h2n_count,
    input  wire         gone_valid,
    input  wire         gone_local,
    input  wire         credit_valid,
    input  wire [6:0]   credit_lane,
    input  wire [6:0]   credit_value,
    output wire         credit_taken,
    input  wire         switching,         // level: the link has not followed DIRECT yet
    output wire [`CNI_SETTING_BITS-1:0] settings,
    input  wire [83:0]  link_view,         // see nic_link
    input  wire         link_dropped,      // one clock each, as in nic_clocks
    input  wire         link_rejected,
    input  wire         link_fifo_error
);
    localparam LOG2_LANES = $clog2(LANES);

    wire        s_wr_valid, op_ready, op_begin, op_valid, op_take, op_end, op_drop, op_written, op_waits, slot_valid,
                group_valid, group_damaged, loss_valid, wr_req, wr_ack, wr_data_valid, wr_data_pop, wr_done,
                wr_queue_valid, wr_first, sync_irq, answer_valid, answer_held, answer_taken, ask_valid, cfg_groups,
                enable, flush, sync_idle, sync_busy;
    wire [13:3] s_addr;
    wire [63:0] s_wr_data, s_rd_data, op_header, op_word, wr_addr, wr_data, answer_word;
    wire [7:0]  s_wr_be, sync_states;
    wire [9:0]  wr_words;
    wire [1:0]  wr_status;
    wire [3:0]  wr_queue, answer_node;
    wire [6:0]  loss_source;
    wire [63:6] slot_addr;
    wire [LANES-1:0] answer_room, ask_full;
    wire [31:0] answer_header;
    wire [14:0] ask_operand;
    wire [LOG2_LANES-1:0] ask_queue;
    wire [15:0] release_mask;

    assign s_addr[13] = 1'b0;

    cni #(.CACHE_KB(CACHE_KB), .WAYS(WAYS), .SOURCES(SOURCES), .LANES(LANES), .LOG2_H2N(LOG2_H2N)) interface (
        .clk (clk), .rst (rst), .reg_valid (reg_valid), .reg_write (reg_write), .reg_address (reg_address),
        .reg_wdata (reg_wdata), .reg_be (reg_be), .reg_done (reg_done), .reg_rdata (reg_rdata),
        .reg_error (reg_error), .plb_error (plb_error), .plb_error_address (plb_error_address), .irq (irq),
        .range_enable (range_enable), .range_base (range_base), .range_last (range_last), .req_valid (req_valid),
        .req_kind (req_kind), .req_line (req_line), .req_word (req_word), .req_last (req_last), .req_tag (req_tag),
        .req_full (req_full), .req_allocate (req_allocate), .req_cache (req_cache), .req_taken (req_taken),
        .snoop_valid (snoop_valid), .snoop_kind (snoop_kind), .snoop_line (snoop_line), .answer_has (answer_has),
        .result_valid (result_valid), .result_shared (result_shared), .out_take (out_take), .out_word (out_word),
        .out_data (out_data), .out_mask (out_mask), .in_valid (in_valid), .in_own (in_own), .in_last (in_last),
        .in_data (in_data), .in_tag (in_tag), .snoop_done (snoop_done), .n2h_valid (n2h_valid), .n2h_data (n2h_data),
        .n2h_pop (n2h_pop), .h2n_valid (h2n_valid), .h2n_data (h2n_data), .h2n_count (h2n_count),
        .gone_valid (gone_valid), .gone_local (gone_local), .credit_valid (credit_valid), .credit_lane (credit_lane),
        .credit_value (credit_value), .credit_taken (credit_taken), .switching (switching), .settings (settings),
        .link_view (link_view), .link_dropped (link_dropped), .link_rejected (link_rejected),
        .link_fifo_error (link_fifo_error),
        .sync_reg_wr_valid (s_wr_valid), .sync_reg_addr (s_addr[12:3]), .sync_reg_wr_data (s_wr_data),
        .sync_reg_wr_be (s_wr_be), .sync_reg_rd_data (s_rd_data), .op_ready (op_ready), .op_begin (op_begin),
        .op_header (op_header), .op_valid (op_valid), .op_take (op_take), .op_word (op_word), .op_end (op_end),
        .op_drop (op_drop), .op_written (op_written), .op_waits (op_waits), .slot_valid (slot_valid),
        .slot_address (slot_addr[27:6]), .group_valid (group_valid), .group_damaged (group_damaged),
        .loss_valid (loss_valid), .loss_source (loss_source), .sync_wr_req (wr_req), .sync_wr_addr (wr_addr),
        .sync_wr_words (wr_words), .sync_wr_ack (wr_ack), .sync_wr_data (wr_data),
        .sync_wr_data_valid (wr_data_valid), .sync_wr_data_pop (wr_data_pop), .sync_wr_done (wr_done),
        .sync_wr_status (wr_status), .sync_wr_queue_valid (wr_queue_valid), .sync_wr_queue (wr_queue),
        .sync_wr_first (wr_first), .sync_irq (sync_irq), .answer_room (answer_room), .answer_valid (answer_valid),
        .answer_node (answer_node[LOG2_LANES-1:0]), .answer_header (answer_header), .answer_word (answer_word),
        .answer_held (answer_held), .answer_taken (answer_taken), .ask_valid (ask_valid), .ask_queue (ask_queue),
        .ask_operand (ask_operand), .ask_full (ask_full), .sync_release (release_mask[1:0]),
        .cfg_groups (cfg_groups), .enable (enable), .flush (flush), .sync_idle (sync_idle)
    );

    sync_unit #(.NODES(LANES)) objects (
        .clk (clk), .rst (rst), .busy (sync_busy), .reg_wr_valid (s_wr_valid), .reg_wr_addr (s_addr),
        .reg_wr_data (s_wr_data), .reg_wr_be (s_wr_be), .reg_rd_addr (s_addr), .reg_rd_data (s_rd_data),
        .op_ready (op_ready), .op_begin (op_begin), .op_header (op_header), .op_valid (op_valid),
        .op_take (op_take), .op_word (op_word), .op_end (op_end), .op_drop (op_drop), .op_written (op_written),
        .op_waits (op_waits), .group_valid (group_valid), .group_header (op_header),
        .group_damaged (group_damaged), .loss_valid (loss_valid), .loss_source (loss_source), .wr_req (wr_req),
        .wr_addr (wr_addr), .wr_words (wr_words), .wr_ack (wr_ack), .wr_data (wr_data),
        .wr_data_valid (wr_data_valid), .wr_data_pop (wr_data_pop), .wr_done (wr_done), .wr_status (wr_status),
        .wr_underflow (1'b0), .wr_queue_valid (wr_queue_valid), .wr_queue (wr_queue), .wr_first (wr_first),
        .slot_valid (slot_valid), .slot_addr (slot_addr), .irq_event (sync_irq), .answer_room (answer_room),
        .answer_valid (answer_valid), .answer_node (answer_node), .answer_header (answer_header),
        .answer_word (answer_word), .answer_held (answer_held), .answer_taken (answer_taken),
        .ask_valid (ask_valid), .ask_queue ({{4-LOG2_LANES{1'b0}}, ask_queue}), .ask_operand (ask_operand),
        .ask_full (ask_full), .prepared (16'hFFFF), .release_mask (release_mask), .cfg_groups (cfg_groups),
        .bus_moves (1'b1), .enable (enable), .flush (flush), .idle (sync_idle), .states (sync_states)
    );

    wire unused = &{1'b0, sync_busy, sync_states, slot_addr[63:28], answer_node, release_mask[15:2]};

    // ---- measuring
    wire probe_busy = sync_busy;
endmodule
`default_nettype wire
