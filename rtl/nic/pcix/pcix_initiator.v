// Initiator: the bus protocol clock by clock for our own DMA, Memory Write Block and Memory Read Block, always
// requesting 64 bits.
//
// In cycle t (in_* = bus at clock t) the values for clock t+2 are chosen. A transaction, A = last address phase, r =
// first response:
//
//   state     IDLE   [ADDRESS2]  ATTRIBUTE  WAIT ...          WAIT (r)   DATA ...          TURN     IDLE
//   cycle     A-2    (A-2)       A-1        A ... r-1         r          r+1 ... E-2       E-1      E
//   drives    addr   addr high   attr       D0 D0.. D1 D0..   D2         D3 ...            release
//             for A                                                      E = IRDY# high
//
// Start: GNT# low and the bus idle in the same sample (rule (a) of the sheet). FRAME# goes high with the next-to-last
// data phase, at the earliest two clocks after the first response; IRDY# after the last one.
//
// A burst ends before its byte count at an ADB (128-byte boundary) when the target signals Disconnect at Next ADB, or
// when our latency timer has expired and GNT# is high; it can be left with FRAME# high one phase before the boundary,
// so both are sampled exactly there. The remainder is resumed as a new transaction. After every termination by the
// target REQ# is high for two clocks. A target that withdraws in the middle of a burst, or gives no response for 255
// clocks, is treated like a Target-Abort: the initiator cannot hang.
//
// A write and a read sequence may both be waiting; before each transaction the DMA arbiter picks (arb_*). A Retry of
// one does not block the other. A read leaves this module at its Split Response.
`default_nettype none
module pcix_initiator (
    input  wire        clk,
    input  wire        rst,
    input  wire        pcix_mode,
    input  wire        enable,                 // PCI-X mode and bus master

    // ---- bus at clock m
    input  wire        in_frame_n,
    input  wire        in_irdy_n,
    input  wire        in_trdy_n,
    input  wire        in_devsel_n,
    input  wire        in_stop_n,
    input  wire        in_ack64_n,
    input  wire        in_perr_n,
    input  wire        in_gnt_n,

    // ---- bus at clock m+2
    output reg  [63:0] drive_ad,
    output wire        drive_ad_en,
    output reg  [7:0]  drive_cbe_n,
    output wire        drive_cbe_en,
    output wire        drive_frame,            // 1: FRAME# and REQ64# low
    output wire        drive_irdy_en,
    output wire        drive_irdy,             // 1: IRDY# low
    output wire        drive_req,              // 1: REQ# low
    output wire        drive_park,             // the bus is idle and ours: AD, C/BE#, PAR are driven

    // ---- settings
    input  wire [7:0]  latency_timer,          // [clocks] for which a transaction may go on without GNT#
    input  wire [7:0]  bus_number,
    input  wire [4:0]  device_number,

    // ---- write sequences
    input  wire        wr_req,                 // until wr_ack, or withdrawn before it
    input  wire [63:3] wr_addr,
    input  wire [9:0]  wr_words,
    output wire        wr_ack,
    input  wire [63:0] wr_data,                // the next word, while wr_data_valid
    input  wire        wr_data_valid,
    output wire        wr_data_pop,
    output wire        wr_underflow,           // one clock: a word was needed but missing
    output wire        wr_done,                // one clock, in the order of wr_ack
    output wire [1:0]  wr_status,              // 0 good, 1 master abort, 2 target abort, 3 parity

    // ---- read sequences
    input  wire        rd_req,                 // until rd_ack, or withdrawn before it
    input  wire [63:3] rd_addr,
    input  wire [9:0]  rd_words,
    input  wire [4:0]  rd_tag,
    output wire        rd_ack,

    // ---- the outstanding reads
    input  wire        can_open,               // there is an entry for one more read
    output wire [4:0]  own_tag,                // tag of the current read request
    output wire        own_asked,              // REQ# is low with that read waiting
    output wire        own_split,              // one clock: it was answered with Split Response
    output wire        own_fail,               // one clock: it has ended, no data will follow
    output wire [2:0]  own_fail_status,        // 1 master abort, 2 target abort
    output wire        own_data,               // data phase with immediate read data in in_*
    output wire        own_wide,               // with own_data: 64 bits

    // ---- arbitration
    output wire        arb_read,               // a read could start now
    output wire        arb_write,              // a write could start now
    output reg         arb_started,            // one clock: one has started in the clock before
    output reg         arb_started_write,      // with it: a write
    input  wire        arb_pick_write,
    input  wire        arb_hold_write,         // a read is about to be requested: request the bus, start no write

    // ---- events, one clock
    output wire        ev_read_request_done,
    output wire        ev_write_request_done,
    output wire        ev_read_disconnect,
    output wire        ev_write_disconnect,
    output wire        ev_received_target_abort,
    output wire        ev_received_master_abort,
    output wire        ev_write_parity,        // PERR# seen for our data
    output wire        on_bus,                 // a transaction of ours is on the bus, address to last data phase
    output wire        on_bus_write,           // ... of the write sequence
    output wire        write_active,           // a write sequence is in progress, from its REQ# on
    output wire        write_word,             // a 64-bit word of one has moved
    output wire [2:0]  fsm_state
);
    localparam [2:0] IDLE = 3'd0, ADDRESS2 = 3'd1, ATTRIBUTE = 3'd2, WAIT = 3'd3, DATA = 3'd4, TURN = 3'd5;
    localparam [3:0] DUAL_ADDRESS = 4'hd, MEMORY_READ_BLOCK = 4'he, MEMORY_WRITE_BLOCK = 4'hf;
    localparam [1:0] OK = 2'd0, MASTER_ABORT = 2'd1, TARGET_ABORT = 2'd2, PARITY = 2'd3;
    localparam [4:0] WRITE_TAG = 5'h1f;
    // cycles of WAIT, counted from A
    localparam [7:0] FIRST_DEVSEL = 8'd2, LAST_DEVSEL = 8'd6, NO_RESPONSE = 8'd255;
    // bursts longer than this keep REQ# low until FRAME# goes high, so that GNT# stays
    localparam [9:0] LONG_WORDS = 10'd16;

    reg  [2:0]  state;
    reg         is_write;
    reg         wide;
    reg         claimed;                       // DEVSEL# has been seen
    reg         show_second;                   // D1 went out last
    reg  [7:0]  waited;
    reg  [7:0]  timer;
    reg  [10:0] phases_all;                    // data phases to the end of the sequence
    reg  [10:0] phases_adb;                    // ... or to the first ADB, whichever is nearer
    reg  [10:0] left;                          // data phases still to be put on the bus
    reg  [4:0]  position;                      // dword address bits [6:2] of the next one
    reg         must_stop;                     // the target asked to leave at the next ADB
    reg         last_moves;                    // in TURN: the last data phase is in in_*
    reg         is_long;
    reg         was_cut;                       // the burst ends before the sequence does
    reg         target_ended;

    // ---- the two sequences
    wire        write_load;
    wire        read_load;
    wire        step;
    wire        drop_read;
    wire        fail_write;
    wire [63:3] write_address;
    wire [63:3] read_address;
    wire [9:0]  write_words;
    wire [9:0]  read_words;
    wire        write_odd;
    wire        read_odd;
    wire        write_pending;
    wire        read_pending;
    wire        write_word_done;
    wire        read_word_done;
    wire        write_finished;
    wire        read_finished;

    pcix_sequence write_sequence (
        .clk (clk), .rst (rst), .load (write_load), .load_address (wr_addr), .load_words (wr_words),
        .step (step && is_write), .wide (wide), .abandon (fail_write),
        .address (write_address), .words (write_words), .odd (write_odd),
        .pending (write_pending), .word_done (write_word_done), .finished (write_finished)
    );

    pcix_sequence read_sequence (
        .clk (clk), .rst (rst), .load (read_load), .load_address (rd_addr), .load_words (rd_words),
        .step (step && !is_write), .wide (wide), .abandon (drop_read),
        .address (read_address), .words (read_words), .odd (read_odd),
        .pending (read_pending), .word_done (read_word_done), .finished (read_finished)
    );

    // ---- arbitration and start
    assign arb_write = enable && write_pending;
    assign arb_read  = enable && read_pending;

    wire may_write   = arb_write && !arb_hold_write;
    wire pick_write  = may_write && (!arb_read || arb_pick_write);
    wire go          = (state == IDLE) && (may_write || arb_read) && !in_gnt_n && in_frame_n && in_irdy_n;
    wire now_write   = (state == IDLE) ? pick_write : is_write;

    wire [63:3] address = now_write ? write_address : read_address;
    wire [9:0]  words   = now_write ? write_words : read_words;
    wire        odd     = now_write ? write_odd : read_odd;
    wire        far     = (address[63:32] != 32'h0);
    wire [3:0]  command = now_write ? MEMORY_WRITE_BLOCK : MEMORY_READ_BLOCK;
    wire [12:0] bytes   = {words, 3'b000} - {10'd0, odd, 2'b00};

    // ---- responses
    wire seen        = (state == WAIT) && claimed;
    wire r_data      = seen && !in_trdy_n && !in_devsel_n;
    wire r_single    = seen && !in_trdy_n &&  in_devsel_n && !in_stop_n;
    wire r_split     = seen && !in_trdy_n &&  in_devsel_n &&  in_stop_n;
    wire r_retry     = seen &&  in_trdy_n && !in_devsel_n && !in_stop_n;
    wire r_abort     = seen &&  in_trdy_n &&  in_devsel_n && !in_stop_n;
    wire r_nobody    = (state == WAIT) && !claimed && in_devsel_n && (waited == LAST_DEVSEL);
    wire r_never     = (state == WAIT) && (waited == NO_RESPONSE) && !r_data;
    wire devsel_now  = (state == WAIT) && !claimed && !in_devsel_n && (waited >= FIRST_DEVSEL);
    wire moving      = (state == DATA) || (state == TURN && last_moves);
    wire broken      = moving && (in_trdy_n || in_devsel_n);
    wire aborted     = r_abort || (moving && in_trdy_n && in_devsel_n && !in_stop_n);
    wire refused     = aborted || broken || r_never || (r_split && is_write);

    assign step = r_data || r_single || (moving && !broken);

    // ---- length of the burst
    wire        ack_wide  = !in_ack64_n;       // at DEVSEL#
    wire [10:0] wide_all  = {1'b0, words};
    wire [10:0] half_all  = {words, 1'b0} - {10'd0, odd};
    wire [10:0] wide_adb  = 11'd16 - {7'd0, address[6:3]};
    wire [10:0] half_adb  = 11'd32 - {6'd0, address[6:3], odd};
    wire [10:0] all_now   = ack_wide ? wide_all : half_all;
    wire [10:0] adb_now   = ack_wide ? wide_adb : half_adb;

    wire [10:0] phases    = in_stop_n ? phases_all : phases_adb;
    wire [10:0] left_base = (state == WAIT) ? phases - 11'd2 : left;
    wire        short_end = (state == WAIT) && (phases <= 11'd2);
    wire [4:0]  here      = (state != WAIT) ? position :
                            wide ? {address[6:3], 1'b0} + 5'd4 : {address[6:3], odd} + 5'd2;
    wire        timed_out  = (timer > latency_timer) && in_gnt_n;
    wire        stop_asked = must_stop || (state == DATA && !in_stop_n);
    wire        at_exit    = (here == (wide ? 5'd28 : 5'd30));
    wire        cut        = (r_data || state == DATA) && !short_end && (left_base > 11'd2) && at_exit
                             && (timed_out || stop_asked);
    wire [10:0] left_now   = cut ? 11'd2 : left_base;

    wire early_stop   = r_data && !in_stop_n && (phases_adb != phases_all);     // the target leaves at the first ADB

    wire ends_in_wait = r_single || r_split || r_retry || r_abort || r_nobody || r_never || (r_data && short_end);
    wire ends_in_data = (state == DATA) && (broken || left == 11'd0);
    wire ends         = ends_in_wait || ends_in_data;
    wire streams      = (r_data && !short_end) || (state == DATA && !ends_in_data);
    wire target_stop  = r_single || r_retry || r_abort || broken || r_never ||
                        (early_stop && short_end);

    always @(posedge clk)
        if (rst) begin
            state        <= IDLE;
            is_write     <= 1'b0;
            wide         <= 1'b0;
            claimed      <= 1'b0;
            show_second  <= 1'b0;
            waited       <= 8'd0;
            timer        <= 8'd0;
            must_stop    <= 1'b0;
            last_moves   <= 1'b0;
            was_cut      <= 1'b0;
            target_ended <= 1'b0;
            is_long      <= 1'b0;
        end else begin
            timer <= go ? 8'd1 : (timer == 8'd255) ? timer : timer + 8'd1;
            case (state)
                IDLE: begin
                    is_write     <= pick_write;
                    claimed      <= 1'b0;
                    show_second  <= 1'b0;
                    waited       <= 8'd0;
                    must_stop    <= 1'b0;
                    was_cut      <= 1'b0;
                    target_ended <= 1'b0;
                    if (go)
                        state <= far ? ADDRESS2 : ATTRIBUTE;
                end
                ADDRESS2:  state <= ATTRIBUTE;
                ATTRIBUTE: state <= WAIT;
                WAIT: begin
                    waited <= waited + 8'd1;
                    if (devsel_now) begin
                        claimed    <= 1'b1;
                        wide       <= ack_wide;
                    end
                    if (devsel_now || claimed)
                        show_second <= !show_second && (devsel_now ? all_now : phases_all) != 11'd1;
                    if (r_data && !in_stop_n)
                        must_stop <= 1'b1;
                    if (ends) begin
                        state        <= TURN;
                        last_moves   <= r_data && (phases == 11'd2);
                        target_ended <= target_stop;
                    end else if (r_data)
                        state <= DATA;
                end
                DATA: begin
                    if (!in_stop_n)
                        must_stop <= 1'b1;
                    if (ends) begin
                        state        <= TURN;
                        last_moves   <= !broken;
                        target_ended <= broken || (was_cut && must_stop);
                    end
                end
                default: state <= IDLE;
            endcase
            if (cut || early_stop)
                was_cut <= 1'b1;
            if (state == ATTRIBUTE)
                is_long <= (words > LONG_WORDS);
        end

    always @(posedge clk) begin
        if (devsel_now) begin
            phases_all <= all_now;
            phases_adb <= (adb_now < all_now) ? adb_now : all_now;
        end
        if (streams) begin
            left     <= left_now - 11'd1;
            position <= here + (wide ? 5'd2 : 5'd1);
        end
    end

    // ---- drive
    wire source_second;
    wire [63:0] item_first;
    wire [63:0] item_second;
    wire [63:0] item_streamed;

    assign source_second = (devsel_now && all_now != 11'd1) || (claimed && !show_second && phases_all != 11'd1);

    always @* begin
        drive_ad    = item_first;
        drive_cbe_n = 8'hff;
        case (state)
            IDLE: begin
                drive_ad    = {far ? address[63:32] : 32'hffffffff, address[31:3], odd, 2'b00};
                drive_cbe_n = far ? {command, DUAL_ADDRESS} : {4'hf, command};
            end
            ADDRESS2: begin
                drive_ad    = {address[63:32], address[63:32]};
                drive_cbe_n = {command, command};
            end
            ATTRIBUTE: begin
                drive_ad    = {32'hffffffff, 3'b000, is_write ? WRITE_TAG : own_tag, bus_number, device_number, 3'd0,
                               bytes[7:0]};
                drive_cbe_n = {4'hf, bytes[11:8]};
            end
            WAIT:
                if (r_data)
                    drive_ad = item_streamed;
                else if (source_second)
                    drive_ad = item_second;
            default: drive_ad = item_streamed;
        endcase
    end

    wire address_phase = go || (state == ADDRESS2) || (state == ATTRIBUTE);
    wire data_phase    = (state == WAIT || state == DATA) && !ends;
    wire frame_stays   = (state == WAIT && !r_data) || (left_now > 11'd2);

    assign drive_ad_en   = address_phase || (data_phase && is_write);
    assign drive_cbe_en  = address_phase || data_phase;
    assign drive_frame   = address_phase || (data_phase && frame_stays);
    assign drive_irdy_en = (state != IDLE) && (state != TURN);
    assign drive_irdy    = data_phase && (state == DATA || waited != 8'd0);

    // REQ#: for waiting sequences, for a remainder of this burst, and never in the two clocks after the target's end
    wire next_write = write_pending || wr_req;
    wire in_long    = is_write && is_long && (state == WAIT || state == DATA) && frame_stays;
    wire more_work  = (is_write ? (read_pending || wr_req) : (next_write || (rd_req && can_open))) || in_long
                      || was_cut;
    wire cool       = (ends && (target_stop || (was_cut && must_stop))) || (state == TURN && target_ended);

    assign drive_req = enable && ((state == IDLE) ? (write_pending || read_pending || arb_hold_write)
                                  : (more_work && !cool));

    // parking: an agent with GNT# on an idle bus keeps AD, C/BE# and PAR from floating (the sheet's 9), here from the
    // sixth clock on, and releases them two clocks after GNT# has gone
    reg  [2:0] parked;
    wire       parkable = pcix_mode && !in_gnt_n && in_frame_n && in_irdy_n && (state == IDLE);

    assign drive_park = parkable && parked[2];

    always @(posedge clk)
        if (rst || !parkable)
            parked <= 3'd0;
        else if (!parked[2])
            parked <= parked + 3'd1;

    always @(posedge clk)
        if (rst) begin
            arb_started       <= 1'b0;
            arb_started_write <= 1'b0;
        end else begin
            arb_started       <= go;
            arb_started_write <= go && pick_write;
        end

    // ---- write data
    wire all_popped;
    wire flush;

    pcix_write_source source (
        .clk (clk), .rst (rst),
        .wr_data (wr_data), .wr_data_valid (wr_data_valid), .wr_data_pop (wr_data_pop), .wr_underflow (wr_underflow),
        .load (write_load), .load_words (wr_words), .odd (write_odd), .word_done (write_word_done), .flush (flush),
        .empty (all_popped), .may_fill (state == IDLE || state == ADDRESS2 || state == ATTRIBUTE
                                        || (state == WAIT && !r_data && !ends)),
        .need_first (state == WAIT && is_write && waited == 8'd0),
        .need_second (devsel_now && is_write && all_now != 11'd1), .wide (devsel_now ? ack_wide : wide),
        .stream_start (is_write && r_data && !short_end), .stream (is_write && streams), .first (item_first),
        .second (item_second), .streamed (item_streamed)
    );

    // ---- states of a write sequence: accepted, on the bus, (flushed), done four cycles after the last data phase,
    // when PERR# is known
    reg        write_valid;
    reg [1:0]  write_error;
    reg [3:0]  closing;
    reg [1:0]  closing_error;
    reg [2:0]  sent_data;                      // data phases of ours, one to three cycles ago
    reg        perr_seen;

    // activity counts from the clock in which REQ# is on the bus
    reg requested;
    reg write_asked;

    always @(posedge clk)
        if (rst) begin
            requested   <= 1'b0;
            write_asked <= 1'b0;
        end else begin
            requested   <= drive_req;
            write_asked <= !write_load && (write_asked || (requested && write_valid));
        end

    wire retire    = write_valid && all_popped && (write_finished || (!write_pending && !moving));

    assign flush           = write_valid && !write_pending;
    assign wr_ack          = wr_req && (!write_valid || retire);
    assign write_load      = wr_ack;
    assign fail_write      = is_write && (r_nobody || refused);
    assign ev_write_parity = sent_data[2] && !in_perr_n;
    assign wr_done         = closing[3];
    assign wr_status       = (closing_error != OK) ? closing_error : perr_seen ? PARITY : OK;
    assign write_active    = write_valid && write_asked;
    assign write_word      = write_word_done;
    assign own_asked       = requested && read_pending;


    always @(posedge clk)
        if (rst) begin
            write_valid   <= 1'b0;
            write_error   <= OK;
            closing       <= 4'd0;
            closing_error <= OK;
            sent_data     <= 3'd0;
            perr_seen     <= 1'b0;
        end else begin
            if (write_load)
                write_valid <= 1'b1;
            else if (retire)
                write_valid <= 1'b0;
            if (fail_write)
                write_error <= r_nobody ? MASTER_ABORT : TARGET_ABORT;
            else if (write_load)
                write_error <= OK;
            closing <= {closing[2:0], retire};
            if (retire)
                closing_error <= fail_write ? TARGET_ABORT : write_error;
            sent_data <= {sent_data[1:0], step && is_write};
            perr_seen <= ev_write_parity || (perr_seen && !wr_done);
        end

    // ---- states of a read request: accepted, on the bus, handed over to the outstanding reads at its Split Response
    reg [4:0] tag;

    assign rd_ack          = rd_req && can_open && (!read_pending || read_finished);
    assign read_load       = rd_ack;
    assign own_tag         = tag;
    assign own_split       = r_split && !is_write;
    assign own_fail        = !is_write && (r_nobody || refused);
    assign own_fail_status = r_nobody ? {1'b0, MASTER_ABORT} : {1'b0, TARGET_ABORT};
    assign own_data        = step && !is_write;
    assign own_wide        = wide;
    assign drop_read       = own_split || own_fail;

    always @(posedge clk)
        if (rst)
            tag <= 5'd0;
        else if (read_load)
            tag <= rd_tag;

    // ---- events
    wire by_timer = was_cut && !must_stop && (state == TURN);

    assign ev_read_request_done     = (state == TURN) && !is_write;
    assign ev_write_request_done    = (state == TURN) && is_write;
    assign ev_read_disconnect       = by_timer && !is_write;
    assign ev_write_disconnect      = by_timer && is_write;
    assign ev_received_target_abort = aborted;
    assign ev_received_master_abort = r_nobody;
    assign on_bus                   = (state != IDLE);
    assign on_bus_write             = is_write;
    assign fsm_state                = state;

    wire       probe_busy         = (state != IDLE) || write_pending || read_pending;
    wire       probe_stall_grant  = (state == IDLE) && (write_pending || read_pending);
    wire       probe_stall_target = (state == WAIT) && !r_data;
    wire       probe_start        = go;
    wire       probe_done         = (state == TURN);
    wire [2:0] probe_state        = state;
    wire unused_bits  = ^{read_word_done, bytes[12]};
endmodule
`default_nettype wire
