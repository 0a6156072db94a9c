// PCI-X 64-bit bus interface of the NIC: target, initiator and configuration space behind one set of pins. Only wiring.
//
//                 +-----------+   registers (BAR1): posted writes, one per clock; reads in two clocks
//   pins <-> pcix_pins <-> pcix_target -- pcix_target_sink -> registers, pcix_window (BAR0), pcix_config
//                 |    |                        |
//                 |    +--> pcix_parity         v
//                 +--<-> pcix_initiator --> pcix_reads --> DMA read data
//                             ^ DMA write data
//
// Guarantees (contract of the folder, see README.md):
//   * BAR1 writes are never refused and never wait, whatever the burst.
//   * DMA: one write sequence and one read request at a time, plus up to SPLITS reads that were answered with Split
//     Response. A write sequence is accepted (wr_ack) as soon as the last data phase of the one before is over; wr_done
//     follows in order, four clocks after the last data phase, because PERR# is three clocks late.
//   * rd_tag may be any value that is not outstanding. After an abandoned read (rd_status 5) its completion may still
//     arrive: the tag must not be used again before others have been, or the old data would be taken for the new.
//   * No target or completer can stop the initiator for ever: it ends after 255 clocks without a response, and
//     after cfg_completion_timer clocks without the end of a read that was split. Only Retry is repeated without end.
`default_nettype none
module pcix_core #(
    // DEVSEL# this many clocks after the address phase: 2 = decode A, 3 = B, 4 = C
    parameter DECODE = 4,
    // log2 of the bytes in BAR0 (window) and BAR1 (registers)
    parameter BAR0_BITS = 27,
    parameter BAR1_BITS = 15,
    // outstanding split reads, 1..4
    parameter SPLITS = 1
) (
    input  wire        pin_clk,                // captures the bus, never gated
    input  wire        clk,                    // everything else; the same, gated while `busy` is low (clock_gate)
    input  wire        rst,
    input  wire        rst_n_pin,

    // ---- pins
    input  wire [63:0] ad_i,
    output wire [63:0] ad_o,
    output wire [1:0]  ad_oe,
    input  wire [7:0]  cbe_n_i,
    output wire [7:0]  cbe_n_o,
    output wire [1:0]  cbe_n_oe,
    input  wire        par_i,
    output wire        par_o,
    output wire        par_oe,
    input  wire        par64_i,
    output wire        par64_o,
    output wire        par64_oe,
    input  wire        frame_n_i,
    output wire        frame_n_o,
    output wire        frame_n_oe,
    input  wire        irdy_n_i,
    output wire        irdy_n_o,
    output wire        irdy_n_oe,
    input  wire        trdy_n_i,
    output wire        trdy_n_o,
    output wire        trdy_n_oe,
    input  wire        devsel_n_i,
    output wire        devsel_n_o,
    output wire        devsel_n_oe,
    input  wire        stop_n_i,
    output wire        stop_n_o,
    output wire        stop_n_oe,
    input  wire        req64_n_i,
    output wire        req64_n_o,
    output wire        req64_n_oe,
    input  wire        ack64_n_i,
    output wire        ack64_n_o,
    output wire        ack64_n_oe,
    input  wire        perr_n_i,
    output wire        perr_n_o,
    output wire        perr_n_oe,
    input  wire        serr_n_i,
    output wire        serr_n_oe,
    input  wire        idsel_i,
    input  wire        gnt_n_i,
    output wire        req_n_o,
    output wire        req_n_oe,
    output wire        inta_n_oe,

    // ---- registers (BAR1)
    output wire                 reg_wr_valid,
    output wire [BAR1_BITS-1:3] reg_wr_addr,
    output wire [63:0]          reg_wr_data,
    output wire [7:0]           reg_wr_be,
    output wire                 reg_rd_valid,
    output wire [BAR1_BITS-1:3] reg_rd_addr,
    input  wire [63:0]          reg_rd_data,   // two clocks later

    // ---- window onto the external memory (BAR0)
    output wire                 win_req,       // held until win_ack, read data with it
    output wire                 win_we,
    output wire [BAR0_BITS-1:3] win_addr,
    output wire [63:0]          win_wdata,
    output wire [7:0]           win_be,
    input  wire                 win_ack,
    input  wire [63:0]          win_rdata,

    // ---- DMA write sequences
    input  wire        wr_req,                 // until wr_ack, or withdrawn before it
    input  wire [63:0] wr_addr,
    input  wire [9:0]  wr_words,
    output wire        wr_ack,
    input  wire [63:0] wr_data,                // the next word, while wr_data_valid
    input  wire        wr_data_valid,
    output wire        wr_data_pop,
    output wire        wr_underflow,           // one clock: a word was needed but missing
    output wire        wr_done,                // one clock, in the order of wr_ack
    output wire [1:0]  wr_status,              // 0 good, 1 master abort, 2 target abort, 3 parity

    // ---- DMA read sequences
    input  wire        rd_req,                 // until rd_ack, or withdrawn before it
    input  wire [63:0] rd_addr,
    input  wire [9:0]  rd_words,
    input  wire [4:0]  rd_tag,                 // none that is outstanding
    output wire        rd_ack,
    output wire [63:0] rd_data,                // a word of the read rd_data_tag
    output wire        rd_data_valid,
    output wire [4:0]  rd_data_tag,
    output wire        rd_done,                // one clock: the read rd_done_tag has ended
    output wire [4:0]  rd_done_tag,
    output wire [2:0]  rd_status,              // 0 ok, 1 master, 2 target abort, 3 parity, 4 error message, 5 abandoned
    input  wire [1:0]  rd_abandon,             // levels: [0] reads are dropped; [1] those that were split when [0] rose
                                               // are abandoned

    // ---- arbitration between them
    output wire        arb_read,               // a read could start now
    output wire        arb_write,              // a write could start now
    output wire        arb_started,            // one clock: one has started in the clock before
    output wire        arb_started_write,      // with it: a write
    input  wire        arb_pick_write,         // if both could start, the write goes first
    input  wire        arb_hold_write,         // a read is about to be requested: request the bus, start no write

    // ---- configuration
    output wire        cfg_bus_master,
    output wire        cfg_memory_enable,
    output wire [9:0]  cfg_max_read_words,
    output wire [1:0]  cfg_bus_class,          // by the mode pattern at RST#: 1 = 66 MHz, 2 = 100, 3 = 133; 0 no PCI-X
    input  wire [23:0] cfg_completion_timer,   // [clocks] from the Split Response to the end of a read, 0: no limit

    // ---- interrupt
    input  wire        irq_event,              // one clock: an interrupt is due
    input  wire [6:0]  queue0_head,
    input  wire [6:0]  queue0_tail,

    // ---- events and activity for the counters
    output wire        ev_read_request_done,
    output wire        ev_write_request_done,
    output wire        ev_read_disconnect,
    output wire        ev_write_disconnect,
    output wire        ev_split_response,
    output wire        split_waiting,          // a split read waits for its first word
    output wire        ev_unexpected_completion,
    output wire        ev_read_abandoned,
    output wire        read_bus_active,
    output wire        write_bus_active,
    output wire        read_requesting,        // a read sequence is in progress, from its REQ# on
    output wire        write_requesting,       // a write sequence is
    output wire        ev_write_word,          // a 64-bit word of one has moved
    output wire        irq_active,             // level: INTA# is low
    output wire        ev_irq_assert,          // one clock: irq_active rises
    output wire        ev_parity_error,
    output wire        busy,                   // clock_gate: a transaction on the bus or pending, GNT#, window access
    output wire [31:0] fsm_states              // [3:0] target, [6:4] initiator, [9:8] window port, [11:10] window read
);
    // ---- captured bus
    wire [63:0] in_ad;
    wire [7:0]  in_cbe_n;
    wire        in_par;
    wire        in_par64;
    wire        in_frame_n;
    wire        in_irdy_n;
    wire        in_trdy_n;
    wire        in_devsel_n;
    wire        in_stop_n;
    wire        in_req64_n;
    wire        in_ack64_n;
    wire        in_perr_n;
    wire        in_idsel;
    wire        in_gnt_n;
    wire        in_own_frame;
    wire        pins_active;
    wire        pcix_mode;

    // ---- drive values
    wire [63:0] drive_ad;
    wire        drive_ad_en;
    wire [7:0]  drive_cbe_n;
    wire        drive_cbe_en;
    wire        drive_frame;
    wire        drive_irdy_en;
    wire        drive_irdy;
    wire        drive_req;
    wire        drive_park;
    wire [63:0] reply_ad;
    wire [1:0]  reply_ad_en;
    wire        reply_en;
    wire        reply_devsel;
    wire        reply_trdy;
    wire        reply_stop;
    wire        reply_wide;
    wire        drive_perr;
    wire        drive_serr;

    pcix_pins pins (
        .pin_clk (pin_clk), .clk (clk), .rst (rst), .rst_n_pin (rst_n_pin),
        .ad_i (ad_i), .ad_o (ad_o), .ad_oe (ad_oe), .cbe_n_i (cbe_n_i), .cbe_n_o (cbe_n_o), .cbe_n_oe (cbe_n_oe),
        .par_i (par_i), .par_o (par_o), .par_oe (par_oe), .par64_i (par64_i), .par64_o (par64_o), .par64_oe (par64_oe),
        .frame_n_i (frame_n_i), .frame_n_o (frame_n_o), .frame_n_oe (frame_n_oe),
        .irdy_n_i (irdy_n_i), .irdy_n_o (irdy_n_o), .irdy_n_oe (irdy_n_oe),
        .trdy_n_i (trdy_n_i), .trdy_n_o (trdy_n_o), .trdy_n_oe (trdy_n_oe),
        .devsel_n_i (devsel_n_i), .devsel_n_o (devsel_n_o), .devsel_n_oe (devsel_n_oe),
        .stop_n_i (stop_n_i), .stop_n_o (stop_n_o), .stop_n_oe (stop_n_oe),
        .req64_n_i (req64_n_i), .req64_n_o (req64_n_o), .req64_n_oe (req64_n_oe),
        .ack64_n_i (ack64_n_i), .ack64_n_o (ack64_n_o), .ack64_n_oe (ack64_n_oe),
        .perr_n_i (perr_n_i), .perr_n_o (perr_n_o), .perr_n_oe (perr_n_oe), .serr_n_i (serr_n_i),
        .serr_n_oe (serr_n_oe), .idsel_i (idsel_i), .gnt_n_i (gnt_n_i), .req_n_o (req_n_o), .req_n_oe (req_n_oe),
        .inta_n_oe (inta_n_oe), .in_ad (in_ad), .in_cbe_n (in_cbe_n), .in_par (in_par), .in_par64 (in_par64),
        .in_frame_n (in_frame_n), .in_irdy_n (in_irdy_n), .in_trdy_n (in_trdy_n), .in_devsel_n (in_devsel_n),
        .in_stop_n (in_stop_n), .in_req64_n (in_req64_n), .in_ack64_n (in_ack64_n), .in_perr_n (in_perr_n),
        .in_idsel (in_idsel), .in_gnt_n (in_gnt_n), .in_own_frame (in_own_frame), .own_now (pins_active),
        .pcix_mode (pcix_mode), .bus_class (cfg_bus_class), .drive_ad (drive_ad), .drive_ad_en (drive_ad_en),
        .drive_cbe_n (drive_cbe_n), .drive_cbe_en (drive_cbe_en), .drive_frame (drive_frame),
        .drive_irdy_en (drive_irdy_en), .drive_irdy (drive_irdy), .drive_req (drive_req), .drive_park (drive_park),
        .reply_ad (reply_ad), .reply_ad_en (reply_ad_en), .reply_en (reply_en), .reply_devsel (reply_devsel),
        .reply_trdy (reply_trdy), .reply_stop (reply_stop), .reply_wide (reply_wide),
        .drive_perr (drive_perr), .drive_serr (drive_serr), .drive_inta (irq_active)
    );

    // ---- configuration space
    wire [31:BAR0_BITS] bar0;
    wire [31:BAR1_BITS] bar1;
    wire        parity_response;
    wire        serr_enable;
    wire        parity_recovery;
    wire [7:0]  latency_timer;
    wire [7:0]  bus_number;
    wire [4:0]  device_number;
    wire [2:0]  max_splits;
    wire [31:0] config_read_data;
    wire        config_write;
    wire [31:0] config_write_data;
    wire [3:0]  config_be;
    wire [31:0] address;
    wire [31:0] attribute;
    wire        control_error;
    wire        data_error;
    wire        master_data_parity;
    wire        ev_signaled_target_abort;
    wire        ev_received_target_abort;
    wire        ev_received_master_abort;
    wire        ev_write_parity;
    wire        ev_error_message;
    wire        ev_message_parity;

    pcix_config #(.BAR0_BITS(BAR0_BITS), .BAR1_BITS(BAR1_BITS), .SPLITS(SPLITS)) config_space (
        .clk (clk), .rst (rst), .index (address[7:2]), .read_data (config_read_data),
        .write_valid (config_write), .write_data (config_write_data), .write_be (config_be),
        .write_device (address[15:11]), .write_bus (attribute[7:0]),
        .bar0 (bar0), .bar1 (bar1), .memory_enable (cfg_memory_enable), .bus_master (cfg_bus_master),
        .parity_response (parity_response), .serr_enable (serr_enable), .parity_recovery (parity_recovery),
        .latency_timer (latency_timer), .bus_number (bus_number), .device_number (device_number),
        .max_read_words (cfg_max_read_words), .max_splits (max_splits), .ev_master_data_parity (master_data_parity),
        .ev_signaled_target_abort (ev_signaled_target_abort), .ev_received_target_abort (ev_received_target_abort),
        .ev_received_master_abort (ev_received_master_abort), .ev_signaled_serr (drive_serr),
        .ev_detected_parity (ev_parity_error), .ev_unexpected_completion (ev_unexpected_completion),
        .ev_completion_error (ev_error_message), .irq_event (irq_event), .queue0_head (queue0_head),
        .queue0_tail (queue0_tail), .irq_active (irq_active), .ev_irq_assert (ev_irq_assert)
    );

    // ---- target
    wire        check_control;
    wire        window_write_ok;
    wire        window_read_hit;
    wire [63:0] window_read_data;
    wire        window_read_ask;
    wire        window_read_taken;
    wire [3:0]  command;
    wire        wide;
    wire [3:0]  attribute_cbe_n;
    wire [12:0] last_byte;
    wire        is_config;
    wire        is_bar0;
    wire        is_bar1;
    wire        is_completion;
    wire        receive_first;
    wire        receive;
    wire [3:0]  target_state;

    pcix_target #(.DECODE(DECODE), .BAR0_BITS(BAR0_BITS), .BAR1_BITS(BAR1_BITS)) target (
        .clk (clk), .rst (rst), .pcix_mode (pcix_mode),
        .in_ad (in_ad[31:0]), .in_cbe_n (in_cbe_n[3:0]), .in_frame_n (in_frame_n), .in_irdy_n (in_irdy_n),
        .in_req64_n (in_req64_n), .in_idsel (in_idsel), .in_own_frame (in_own_frame), .check_control (check_control),
        .control_error (control_error), .bar0 (bar0), .bar1 (bar1), .memory_enable (cfg_memory_enable),
        .bus_number (bus_number), .device_number (device_number), .reply_en (reply_en), .reply_devsel (reply_devsel),
        .reply_trdy (reply_trdy), .reply_stop (reply_stop), .reply_wide (reply_wide), .reply_ad (reply_ad),
        .reply_ad_en (reply_ad_en), .reg_rd_valid (reg_rd_valid), .reg_rd_addr (reg_rd_addr),
        .reg_rd_data (reg_rd_data), .config_data (config_read_data), .window_write_ok (window_write_ok),
        .window_read_hit (window_read_hit), .window_read_data (window_read_data), .window_read_ask (window_read_ask),
        .window_read_taken (window_read_taken), .address (address), .command (command), .wide (wide),
        .attribute (attribute), .attribute_cbe_n (attribute_cbe_n), .last_byte (last_byte), .is_config (is_config),
        .is_bar0 (is_bar0), .is_bar1 (is_bar1), .is_completion (is_completion), .receive_first (receive_first),
        .receive (receive), .ev_signaled_target_abort (ev_signaled_target_abort), .fsm_state (target_state)
    );

    wire        receive_low;
    wire        receive_high;
    wire        window_write_valid;
    wire [63:0] window_write_data;
    wire [7:0]  window_write_be;
    wire        look_known;
    wire        look_match;
    wire [12:0] look_count;
    wire        completion_data;
    wire        completion_error;

    pcix_target_sink #(.BAR1_BITS(BAR1_BITS)) sink (
        .clk (clk), .rst (rst), .in_ad (in_ad), .in_cbe_n (in_cbe_n),
        .address (address), .command (command), .wide (wide), .attribute (attribute),
        .attribute_cbe_n (attribute_cbe_n), .last_byte (last_byte), .is_config (is_config), .is_bar0 (is_bar0),
        .is_bar1 (is_bar1), .is_completion (is_completion), .receive_first (receive_first), .receive (receive),
        .data_low (receive_low), .data_high (receive_high), .reg_wr_valid (reg_wr_valid), .reg_wr_addr (reg_wr_addr),
        .reg_wr_data (reg_wr_data), .reg_wr_be (reg_wr_be), .window_write_valid (window_write_valid),
        .window_write_data (window_write_data), .window_write_be (window_write_be), .config_write (config_write),
        .config_data (config_write_data), .config_be (config_be), .look_known (look_known), .look_match (look_match),
        .look_count (look_count), .completion_data (completion_data), .completion_error (completion_error),
        .ev_error_message (ev_error_message), .ev_message_parity (ev_message_parity),
        .ev_unexpected (ev_unexpected_completion)
    );

    wire [1:0] window_port_state;
    wire [1:0] window_read_state;

    pcix_window #(.BAR0_BITS(BAR0_BITS)) window (
        .clk (clk), .rst (rst), .address (address[BAR0_BITS-1:3]),
        .write_ok (window_write_ok), .write_valid (window_write_valid), .write_data (window_write_data),
        .write_be (window_write_be), .read_hit (window_read_hit), .read_data (window_read_data),
        .read_ask (window_read_ask), .read_taken (window_read_taken), .win_req (win_req), .win_we (win_we),
        .win_addr (win_addr), .win_wdata (win_wdata), .win_be (win_be), .win_ack (win_ack), .win_rdata (win_rdata),
        .fsm_port (window_port_state), .fsm_read (window_read_state)
    );

    // ---- initiator and its reads
    wire        can_open;
    wire        own_asked;
    wire [4:0]  own_tag;
    wire        own_fail;
    wire [2:0]  own_fail_status;
    wire        own_data;
    wire        own_wide;
    wire        on_bus;
    wire        on_bus_write;
    wire [2:0]  initiator_state;

    pcix_initiator initiator (
        .clk (clk), .rst (rst), .pcix_mode (pcix_mode), .enable (pcix_mode && cfg_bus_master),
        .in_frame_n (in_frame_n), .in_irdy_n (in_irdy_n), .in_trdy_n (in_trdy_n), .in_devsel_n (in_devsel_n),
        .in_stop_n (in_stop_n), .in_ack64_n (in_ack64_n), .in_perr_n (in_perr_n), .in_gnt_n (in_gnt_n),
        .drive_ad (drive_ad), .drive_ad_en (drive_ad_en), .drive_cbe_n (drive_cbe_n), .drive_cbe_en (drive_cbe_en),
        .drive_frame (drive_frame), .drive_irdy_en (drive_irdy_en), .drive_irdy (drive_irdy), .drive_req (drive_req),
        .drive_park (drive_park), .latency_timer (latency_timer), .bus_number (bus_number),
        .device_number (device_number), .wr_req (wr_req), .wr_addr (wr_addr[63:3]), .wr_words (wr_words),
        .wr_ack (wr_ack), .wr_data (wr_data), .wr_data_valid (wr_data_valid), .wr_data_pop (wr_data_pop),
        .wr_underflow (wr_underflow), .wr_done (wr_done), .wr_status (wr_status),
        .rd_req (rd_req), .rd_addr (rd_addr[63:3]), .rd_words (rd_words), .rd_tag (rd_tag), .rd_ack (rd_ack),
        .can_open (can_open), .own_tag (own_tag), .own_asked (own_asked), .own_split (ev_split_response),
        .own_fail (own_fail), .own_fail_status (own_fail_status), .own_data (own_data), .own_wide (own_wide),
        .arb_read (arb_read), .arb_write (arb_write), .arb_started (arb_started),
        .arb_started_write (arb_started_write), .arb_pick_write (arb_pick_write), .arb_hold_write (arb_hold_write),
        .ev_read_request_done (ev_read_request_done), .ev_write_request_done (ev_write_request_done),
        .ev_read_disconnect (ev_read_disconnect), .ev_write_disconnect (ev_write_disconnect),
        .ev_received_target_abort (ev_received_target_abort), .ev_received_master_abort (ev_received_master_abort),
        .ev_write_parity (ev_write_parity), .on_bus (on_bus), .on_bus_write (on_bus_write),
        .write_active (write_requesting), .write_word (ev_write_word),
        .fsm_state (initiator_state)
    );

    pcix_reads #(.SPLITS(SPLITS)) reads (
        .clk (clk), .rst (rst), .max_splits (max_splits), .time_limit (cfg_completion_timer),
        .drop (rd_abandon[0]), .abandon (rd_abandon[1]),
        .can_open (can_open), .open (rd_ack), .open_tag (rd_tag), .open_words (rd_words), .open_low (rd_addr[6:3]),
        .own_tag (own_tag), .own_asked (own_asked), .own_split (ev_split_response), .own_fail (own_fail),
        .own_fail_status (own_fail_status), .own_data (own_data), .own_wide (own_wide),
        .look_tag (address[28:24]), .look_low (address[6:0]), .look_count (look_count), .look_modified (attribute[31]),
        .look_known (look_known), .look_match (look_match),
        .completion_data (completion_data), .completion_wide (wide), .completion_error (completion_error),
        .in_ad (in_ad), .data_bad (data_error),
        .rd_data (rd_data), .rd_data_valid (rd_data_valid), .rd_data_tag (rd_data_tag),
        .rd_done (rd_done), .rd_done_tag (rd_done_tag), .rd_status (rd_status),
        .any_asked (read_requesting), .split_waiting (split_waiting), .ev_abandoned (ev_read_abandoned)
    );

    // ---- parity
    pcix_parity parity (
        .clk (clk), .rst (rst), .in_ad (in_ad), .in_cbe_n (in_cbe_n), .in_par (in_par), .in_par64 (in_par64),
        .check_control (check_control), .check_low (receive_low || own_data),
        .check_high (receive_high || (own_data && own_wide)), .control_error (control_error), .data_error (data_error),
        .parity_response (parity_response), .serr_enable (serr_enable), .parity_recovery (parity_recovery),
        .master_data_parity (master_data_parity), .drive_perr (drive_perr), .drive_serr (drive_serr)
    );

    // as requester: bad data of a read (immediate or completion), PERR# for our write, a message that reports it
    reg requester_data;

    always @(posedge clk)
        if (rst)
            requester_data <= 1'b0;
        else
            requester_data <= own_data || (receive_low && is_completion);

    assign master_data_parity = parity_response
                                && ((data_error && requester_data) || ev_write_parity || ev_message_parity);
    assign ev_parity_error    = control_error || data_error;

    // ---- activity: from the address phase to the last data phase as seen on the pins.
    // A completion is known to be ours only some clocks after its address phase, so its clocks are counted then, and
    // those of our own reads equally late: no two in one clock.
    localparam LATER = (DECODE == 2) ? 2 : 3;
    reg  [3:0] own_read;                       // [0]: on the bus in the clock of in_*; [i]: i clocks before
    reg        own_write;
    reg  [2:0] foreign;                        // [i]: another agent's transaction, i + 1 clocks before

    always @(posedge clk)
        if (rst) begin
            own_read  <= 4'd0;
            own_write <= 1'b0;
            foreign   <= 3'd0;
        end else begin
            own_read  <= {own_read[2:0], pins_active && !on_bus_write};
            own_write <= pins_active && on_bus_write;
            foreign   <= {foreign[1:0], (!in_frame_n || !in_irdy_n) && !own_read[0] && !own_write};
        end

    assign busy = !in_frame_n || !in_irdy_n || !in_gnt_n || on_bus || (target_state != 4'd0) || arb_read || arb_write
                  || read_requesting || write_requesting || split_waiting || (window_port_state != 2'd0)
                  || (window_read_state != 2'd0);

    assign write_bus_active = pins_active && on_bus_write;
    assign read_bus_active  = own_read[LATER] || (foreign[LATER-1] && is_completion);
    assign fsm_states       = {20'h0, window_read_state, window_port_state, 1'b0, initiator_state, target_state};

    wire probe_busy = on_bus || reply_en;
    wire unused_bits  = ^{wr_addr[2:0], rd_addr[2:0]};
endmodule
`default_nettype wire
