// Target: the bus protocol clock by clock when another agent is the initiator.
//
// With A = the last address phase (its values are in in_* during cycle A; driven in cycle t: on the bus at t+2):
//
//   cycle        A        A+1       A+2       A+3       A+4
//   has          address  attribute length
//   decode C     decode   compare   claim     respond   next data phase ...      DEVSEL# at A+4, data from A+5
//   decode B              claim     respond (writes)    respond (BAR0)
//   decode A     claim    respond
//
// Reads are always answered at clock A+5, because a register read takes two cycles and is started in cycle A, before it
// is known whether the address is ours (reads have no side effects). Then one data phase follows per clock, without
// wait states. BAR0 is answered after an even number of wait states (A+5 or A+6): Retry, or one phase and a disconnect.
//
// A burst ends by its byte count, at the clock after FRAME# was seen high, or at the end of the BAR; whichever is
// first. IRDY# is never sampled for data. Transactions of our own initiator are ignored. Bad address or attribute
// parity: no claim, or Target-Abort if DEVSEL# is already out (decode A and B).
`default_nettype none
module pcix_target #(
    // DEVSEL# this many clocks after the address phase: 2 = decode A, 3 = B, 4 = C
    parameter DECODE = 4,
    // log2 of the bytes in BAR0 and BAR1
    parameter BAR0_BITS = 27,
    parameter BAR1_BITS = 15
) (
    input  wire        clk,
    input  wire        rst,
    input  wire        pcix_mode,

    // ---- the bus at clock m
    input  wire [31:0] in_ad,
    input  wire [3:0]  in_cbe_n,
    input  wire        in_frame_n,
    input  wire        in_irdy_n,
    input  wire        in_req64_n,
    input  wire        in_idsel,
    input  wire        in_own_frame,             // the transaction is our own initiator's

    // ---- parity
    output wire        check_control,
    input  wire        control_error,

    // ---- settings
    input  wire [31:BAR0_BITS] bar0,
    input  wire [31:BAR1_BITS] bar1,
    input  wire        memory_enable,
    input  wire [7:0]  bus_number,
    input  wire [4:0]  device_number,

    // ---- the bus at clock m+2
    output wire        reply_en,
    output wire        reply_devsel,
    output wire        reply_trdy,
    output wire        reply_stop,
    output wire        reply_wide,
    output reg  [63:0] reply_ad,
    output wire [1:0]  reply_ad_en,

    // ---- registers
    output reg                 reg_rd_valid,
    output wire [BAR1_BITS-1:3] reg_rd_addr,
    input  wire [63:0]         reg_rd_data,

    // ---- configuration space and window
    input  wire [31:0] config_data,
    input  wire        window_write_ok,
    input  wire        window_read_hit,
    input  wire [63:0] window_read_data,
    output wire        window_read_ask,          // an attempt to read the window got Retry
    output wire        window_read_taken,        // the word was delivered

    // ---- the current transaction, for the sink: stable from A+3 to the last data phase
    output reg  [31:0] address,
    output reg  [3:0]  command,
    output reg         wide,                     // 64-bit data phases
    output reg  [31:0] attribute,
    output reg  [3:0]  attribute_cbe_n,
    output reg  [12:0] last_byte,                // address of the last byte, modulo 8192
    output reg         is_config,
    output reg         is_bar0,
    output reg         is_bar1,
    output reg         is_completion,
    output wire        receive_first,            // a transaction starts
    output wire        receive,                  // data arrives for us two cycles from now

    output wire        ev_signaled_target_abort,
    output wire [3:0]  fsm_state
);
    localparam [3:0] IDLE = 4'd0, DUAL = 4'd1, DECODING = 4'd2, RESPOND = 4'd3, DATA = 4'd4, TURN = 4'd5,
                     RELEASE = 4'd6;
    localparam [3:0] DUAL_ADDRESS = 4'hd, MEMORY_READ_DWORD = 4'h6;

    localparam DECODE_A = (DECODE == 2);
    localparam DECODE_C = (DECODE == 4);
    // cycles after A
    localparam [2:0] CLAIM_AT   = DECODE_A ? 3'd0 : DECODE_C ? 3'd2 : 3'd1;
    localparam [2:0] RECEIVE_AT = CLAIM_AT + 3'd1;
    localparam [2:0] READ_AT    = 3'd3;
    localparam [2:0] WINDOW_AT  = (DECODE == 3) ? 3'd4 : 3'd3;

    initial
        if (DECODE < 2 || DECODE > 4) begin
            $display("%m: DECODE must be 2, 3 or 4, is %0d", DECODE);
            $finish;
        end

    // ---- address phases
    reg  [3:0] state;
    reg        bus_was_idle;
    reg  [2:0] cycle;                            // since A
    reg        high_zero;
    reg        idsel;
    reg        dual;
    reg        attribute_now;

    wire start       = (state == IDLE) && pcix_mode && !in_frame_n && bus_was_idle && !in_own_frame;
    wire first_dual  = start && (in_cbe_n == DUAL_ADDRESS);
    wire address_now = (start && !first_dual) || (state == DUAL);

    assign check_control = start || (state == DUAL) || attribute_now;

    always @(posedge clk)
        if (rst) begin
            bus_was_idle  <= 1'b0;
            attribute_now <= 1'b0;
        end else begin
            bus_was_idle  <= in_frame_n && in_irdy_n;
            attribute_now <= address_now;
        end

    always @(posedge clk) begin
        if (start) begin
            address   <= in_ad;
            wide      <= !in_req64_n;
            idsel     <= in_idsel;
            dual      <= first_dual;
            high_zero <= 1'b1;
        end
        if (state == DUAL)
            high_zero <= (in_ad == 32'h0);
        if (address_now)
            command <= in_cbe_n;
        if (attribute_now) begin
            attribute       <= in_ad;
            attribute_cbe_n <= in_cbe_n;
        end
    end

    // ---- decode: from the flops (B, C) or, for decode A, straight from the captured pins
    wire hit_config;
    wire hit_bar0;
    wire hit_bar1;
    wire hit_completion;
    wire takes_data;
    wire hit_any = hit_config || hit_bar0 || hit_bar1 || hit_completion;
    wire use_pins = DECODE_A;

    pcix_target_decode #(.BAR0_BITS(BAR0_BITS), .BAR1_BITS(BAR1_BITS)) decode (
        .address ((use_pins && start) ? in_ad : address),
        .command (use_pins ? in_cbe_n : command),
        .dual (use_pins ? (state == DUAL) : dual),
        .high_zero (use_pins ? (start || in_ad == 32'h0) : high_zero),
        .idsel ((use_pins && start) ? in_idsel : idsel),
        .bar0 (bar0), .bar1 (bar1), .memory_enable (memory_enable), .bus_number (bus_number),
        .device_number (device_number), .hit_config (hit_config), .hit_bar0 (hit_bar0), .hit_bar1 (hit_bar1),
        .hit_completion (hit_completion), .takes_data (takes_data)
    );

    reg  is_receive;
    wire decode_now = use_pins ? address_now : (state == DECODING && cycle == 3'd1);

    always @(posedge clk)
        if (rst) begin
            is_config     <= 1'b0;
            is_bar0       <= 1'b0;
            is_bar1       <= 1'b0;
            is_completion <= 1'b0;
            is_receive    <= 1'b0;
        end else if (decode_now) begin
            is_config     <= hit_config;
            is_bar0       <= hit_bar0;
            is_bar1       <= hit_bar1;
            is_completion <= hit_completion;
            is_receive    <= takes_data;
        end

    wire claimed_hit  = DECODE_C ? (is_config || is_bar0 || is_bar1 || is_completion) : hit_any;
    wire claim_cycle  = DECODE_A ? address_now : (state == DECODING && cycle == CLAIM_AT);

    // ---- errors in the address and attribute phases
    reg  control_bad_before;
    wire control_bad = control_bad_before || control_error;
    wire claim       = claim_cycle && claimed_hit && (!control_bad || DECODE_A);

    always @(posedge clk)
        if (rst || start)
            control_bad_before <= 1'b0;
        else if (control_error)
            control_bad_before <= 1'b1;

    // ---- length
    wire [10:0] phases_now;
    wire        over_now;
    wire [12:0] last_byte_now;
    reg  [10:0] phases_kept;
    reg         over_kept;
    wire        length_now = (cycle == 3'd2);

    pcix_target_length #(.BAR_BITS(BAR1_BITS)) length (
        .address_low (address[12:0]), .address (address[BAR1_BITS-1:2]), .limited (is_bar1),
        .byte_count ({attribute_cbe_n, attribute[7:0]}), .wide (wide),
        .single (command == MEMORY_READ_DWORD || is_config), .phases (phases_now), .runs_over (over_now),
        .last_byte (last_byte_now)
    );

    always @(posedge clk)
        if (length_now) begin
            phases_kept <= phases_now;
            over_kept   <= over_now;
            last_byte   <= last_byte_now;
        end else if (address_now)
            over_kept   <= 1'b0;                 // decode A answers before it is known

    wire [10:0] phases = (!DECODE_C && length_now) ? phases_now : phases_kept;
    wire        over   = (!DECODE_C && length_now) ? over_now : over_kept;

    // ---- response
    // decode A answers writes before it knows their length; in the last 128 bytes of the BAR two wait states are for it
    wire       last_adq   = &address[BAR1_BITS-1:7];
    wire [2:0] respond_at = is_bar0 ? WINDOW_AT : !is_receive ? READ_AT :
                            (DECODE_A && is_bar1 && last_adq) ? READ_AT : RECEIVE_AT;
    wire       respond    = (state == RESPOND) && (cycle == respond_at);

    wire       abort      = respond && control_bad;
    wire       retry      = respond && !control_bad && is_bar0 && (is_receive ? !window_write_ok : !window_read_hit);
    wire       answer     = respond && !abort && !retry;
    wire       single     = answer && is_bar0 && (phases != 11'd1);

    reg  [10:0] sent;                            // data phases signalled so far
    wire        more = (state == DATA) && in_frame_n == 1'b0 && (sent != phases);
    wire        emit = answer || more;
    wire [10:0] left = phases - (answer ? 11'd0 : sent);
    wire        near_end = over && (wide ? left <= 11'd16 : left <= 11'd32) && !is_bar0;

    always @(posedge clk)
        if (respond)
            sent <= 11'd1;
        else if (more)
            sent <= sent + 11'd1;

    always @(posedge clk)
        if (rst) begin
            state <= IDLE;
            cycle <= 3'd0;
        end else begin
            cycle <= address_now ? 3'd1 : (cycle == 3'd7) ? cycle : cycle + 3'd1;
            case (state)
                IDLE, DUAL:
                    if (first_dual)
                        state <= DUAL;
                    else if (address_now)
                        state <= claim ? RESPOND : DECODE_A ? IDLE : DECODING;
                DECODING:
                    if (claim_cycle)
                        state <= claim ? RESPOND : IDLE;
                RESPOND:
                    if (respond)
                        state <= (answer && !single) ? DATA : TURN;
                DATA:
                    if (!more)
                        state <= RELEASE;
                TURN:    state <= RELEASE;
                default: state <= IDLE;
            endcase
        end

    assign reply_en     = claim || (state == RESPOND) || (state == DATA) || (state == TURN);
    assign reply_devsel = claim || (state == RESPOND && !abort && !single) || more;
    assign reply_trdy   = emit;
    assign reply_stop   = abort || retry || single || (emit && near_end);
    assign reply_wide   = (DECODE_A && start) ? !in_req64_n : wide;

    assign receive_first            = address_now;
    assign receive                  = emit && is_receive;
    assign window_read_ask          = retry && !is_receive;
    assign window_read_taken        = answer && is_bar0 && !is_receive;
    assign ev_signaled_target_abort = abort;
    assign fsm_state                = state;

    // ---- read data: the address of data phase i goes out in cycle A+1+i, its data go to the bus in cycle A+3+i
    reg [BAR1_BITS-1:2] read_at;                 // dword address
    reg [1:0]           read_upper;              // address bit 2, one and two cycles ago
    wire                reads_memory = (in_cbe_n == 4'h6) || (in_cbe_n == 4'h8) || (in_cbe_n == 4'he);
    wire [31:0]         narrow_at = (state == DUAL) ? address : in_ad;

    assign reg_rd_addr = read_at[BAR1_BITS-1:3];

    always @(posedge clk)
        if (rst)
            reg_rd_valid <= 1'b0;
        else if (address_now)
            reg_rd_valid <= reads_memory;
        else if (state != DECODING && state != RESPOND && !more)
            reg_rd_valid <= 1'b0;

    always @(posedge clk) begin
        if (address_now)
            read_at <= narrow_at[BAR1_BITS-1:2];
        else
            read_at <= read_at + {{BAR1_BITS-4{1'b0}}, wide, !wide};
        read_upper <= {read_upper[0], read_at[2]};
    end

    wire reads_now  = !is_receive && ((state == RESPOND && cycle >= RECEIVE_AT && (cycle != respond_at || answer))
                                      || more);
    wire [63:0] window_half = {window_read_data[63:32], (!wide && address[2]) ? window_read_data[63:32]
                               : window_read_data[31:0]};
    wire [63:0] reg_half    = {reg_rd_data[63:32], (!wide && read_upper[1]) ? reg_rd_data[63:32] : reg_rd_data[31:0]};

    always @* begin
        reply_ad = reg_half;
        if (is_config)
            reply_ad = {32'hffffffff, config_data};
        else if (is_bar0)
            reply_ad = window_half;
    end

    // with decode C a window read drives AD only when it has data; with A and B its wait states are driven too
    wire silent_wait = is_bar0 && DECODE_C && !emit;
    assign reply_ad_en = {wide, 1'b1} & {2{reads_now && !silent_wait}};

    wire       probe_busy        = (state != IDLE) && (state != DECODING);
    wire       probe_stall_retry = retry;
    wire       probe_start       = claim;
    wire       probe_done        = (state == RELEASE);
    wire [3:0] probe_state       = state;
    wire unused_bits  = ^{narrow_at, attribute};
endmodule
`default_nettype wire
