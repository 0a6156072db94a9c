// The flops at the bus: every input is captured before logic uses it, every output is a flop.
//
// Clock convention of the whole folder: in the cycle in which `in_*` shows what the bus carried at clock m, the logic
// computes the values the bus will carry at clock m+2 and hands them to the drive_* ports of this module. Nothing here
// decides anything, with three exceptions that follow from the wires alone:
//   * FRAME#, REQ64# and PERR# are sustained tri-state: after a low clock driven high for one clock, then released.
//   * PAR and PAR64 follow the AD lines they cover by one clock, driven by the driver of AD. A target does not drive
//     C/BE#; its parity counts them as high, which is what they are during all read data.
//   * The mode pattern: {DEVSEL#, STOP#, TRDY#} as they were while RST# was low, and REQ64#: high says that the slot
//     has no upper half. Then REQ64# is not driven, and it and ACK64# are ignored, since they lead nowhere. `rst` comes
//     out of a synchroniser, so the value kept is four clocks old when `rst` falls: RST# was then still low, however
//     late the synchroniser saw it rise.
//
// While the RST# pin is low all output enables are off at once, without a clock.
`default_nettype none
module pcix_pins (
    input  wire        pin_clk,             // captures, never gated
    input  wire        clk,                 // drives; the same, gated while there is nothing to drive
    input  wire        rst,
    input  wire        rst_n_pin,

    // ---- the bus
    input  wire [63:0] ad_i,
    output reg  [63:0] ad_o,
    output wire [1:0]  ad_oe,
    input  wire [7:0]  cbe_n_i,
    output reg  [7:0]  cbe_n_o,
    output wire [1:0]  cbe_n_oe,
    input  wire        par_i,
    output reg         par_o,
    output wire        par_oe,
    input  wire        par64_i,
    output reg         par64_o,
    output wire        par64_oe,
    input  wire        frame_n_i,
    output reg         frame_n_o,
    output wire        frame_n_oe,
    input  wire        irdy_n_i,
    output reg         irdy_n_o,
    output wire        irdy_n_oe,
    input  wire        trdy_n_i,
    output reg         trdy_n_o,
    output wire        trdy_n_oe,
    input  wire        devsel_n_i,
    output reg         devsel_n_o,
    output wire        devsel_n_oe,
    input  wire        stop_n_i,
    output reg         stop_n_o,
    output wire        stop_n_oe,
    input  wire        req64_n_i,
    output wire        req64_n_o,
    output wire        req64_n_oe,
    input  wire        ack64_n_i,
    output reg         ack64_n_o,
    output wire        ack64_n_oe,
    input  wire        perr_n_i,
    output reg         perr_n_o,
    output wire        perr_n_oe,
    input  wire        serr_n_i,
    output wire        serr_n_oe,
    input  wire        idsel_i,
    input  wire        gnt_n_i,
    output reg         req_n_o,
    output wire        req_n_oe,
    output wire        inta_n_oe,

    // ---- what the bus carried at clock m
    output reg  [63:0] in_ad,
    output reg  [7:0]  in_cbe_n,
    output reg         in_par,
    output reg         in_par64,
    output reg         in_frame_n,
    output reg         in_irdy_n,
    output reg         in_trdy_n,
    output reg         in_devsel_n,
    output reg         in_stop_n,
    output wire        in_req64_n,
    output wire        in_ack64_n,
    output reg         in_perr_n,
    output reg         in_idsel,
    output reg         in_gnt_n,
    output reg         in_own_frame,        // that FRAME# low was ours
    output wire        own_now,             // FRAME# or IRDY# is low, and it is ours
    output wire        pcix_mode,           // the mode pattern chose PCI-X
    output reg  [1:0]  bus_class,           // and how fast: 1 = 66 MHz, 2 = 100, 3 = 133; 0 = no PCI-X

    // ---- initiator: bus values at clock m+2
    input  wire [63:0] drive_ad,
    input  wire        drive_ad_en,         // both halves: we always ask for 64 bits
    input  wire [7:0]  drive_cbe_n,
    input  wire        drive_cbe_en,
    input  wire        drive_frame,         // 1: FRAME# and REQ64# low
    input  wire        drive_irdy_en,
    input  wire        drive_irdy,          // 1: IRDY# low
    input  wire        drive_req,           // 1: REQ# low
    input  wire        drive_park,          // AD and C/BE# are driven: all ones

    // ---- target: bus values at clock m+2
    input  wire [63:0] reply_ad,
    input  wire [1:0]  reply_ad_en,         // [1] upper half, [0] lower half
    input  wire        reply_en,            // DEVSEL#, TRDY#, STOP# driven
    input  wire        reply_devsel,        // 1: low
    input  wire        reply_trdy,          // 1: low
    input  wire        reply_stop,          // 1: low
    input  wire        reply_wide,          // ACK64# goes with DEVSEL#

    // ---- errors and interrupt
    input  wire        drive_perr,          // 1: PERR# low
    input  wire        drive_serr,          // 1: SERR# low
    input  wire        drive_inta           // 1: INTA# low
);
    reg [1:0] ad_en;
    reg [1:0] cbe_en;
    reg       par_en;
    reg       par64_en;
    reg       frame_en;
    reg       irdy_en;
    reg       target_en;
    reg       ack64_en;
    reg       perr_en;
    reg       serr_en;
    reg       inta_en;
    reg       own_frame_next;
    reg       wide_slot;
    reg       caught_req64_n;
    reg       caught_ack64_n;

    assign ad_oe       = ad_en  & {2{rst_n_pin}};
    assign cbe_n_oe    = cbe_en & {2{rst_n_pin}};
    assign par_oe      = par_en    & rst_n_pin;
    assign par64_oe    = par64_en  & rst_n_pin;
    assign frame_n_oe  = frame_en  & rst_n_pin;
    assign irdy_n_oe   = irdy_en   & rst_n_pin;
    assign trdy_n_oe   = target_en & rst_n_pin;
    assign devsel_n_oe = target_en & rst_n_pin;
    assign stop_n_oe   = target_en & rst_n_pin;
    assign ack64_n_oe  = ack64_en  & rst_n_pin;
    assign perr_n_oe   = perr_en   & rst_n_pin;
    assign serr_n_oe   = serr_en   & rst_n_pin;
    assign inta_n_oe   = inta_en   & rst_n_pin;
    assign req_n_oe    = rst_n_pin;
    assign req64_n_o   = frame_n_o;
    assign req64_n_oe  = frame_n_oe && wide_slot;

    // ---- capture: pure pipeline, no reset
    always @(posedge pin_clk) begin
        in_ad        <= ad_i;
        in_cbe_n     <= cbe_n_i;
        in_par       <= par_i;
        in_par64     <= par64_i;
        in_frame_n   <= frame_n_i;
        in_irdy_n    <= irdy_n_i;
        in_trdy_n    <= trdy_n_i;
        in_devsel_n  <= devsel_n_i;
        in_stop_n    <= stop_n_i;
        caught_req64_n <= req64_n_i;
        caught_ack64_n <= ack64_n_i;
        in_perr_n    <= perr_n_i;
        in_idsel     <= idsel_i;
        in_gnt_n     <= gnt_n_i;
        in_own_frame <= own_frame_next;
    end

    always @*
        own_frame_next = frame_en && !frame_n_o;

    assign own_now = own_frame_next || (irdy_en && !irdy_n_o);

    // ---- mode pattern: 000 (all three high) is conventional PCI, 1xx is reserved; FRAME# and IRDY# are ignored
    reg  [11:0] pattern_history;
    wire [3:0]  pattern_oldest = pattern_history[11:8];

    always @(posedge clk)
        pattern_history <= {pattern_history[7:0], caught_req64_n, in_devsel_n, in_stop_n, in_trdy_n};

    always @(posedge clk)
        if (rst) begin
            bus_class <= pattern_oldest[2] ? ~pattern_oldest[1:0] : 2'd0;
            wide_slot <= !pattern_oldest[3];
        end

    assign pcix_mode  = (bus_class != 2'd0);
    assign in_req64_n = caught_req64_n || !wide_slot;
    assign in_ack64_n = caught_ack64_n || !wide_slot;

    // ---- drive
    always @(posedge clk)
        if (rst || (drive_park && !drive_ad_en)) begin
            ad_o    <= {64{1'b1}};
            cbe_n_o <= 8'hff;
        end else begin
            ad_o    <= drive_ad_en ? drive_ad : reply_ad;
            cbe_n_o <= drive_cbe_en ? drive_cbe_n : 8'hff;
        end

    always @(posedge clk)
        if (rst) begin
            ad_en      <= 2'b00;
            cbe_en     <= 2'b00;
            frame_n_o  <= 1'b1;
            frame_en   <= 1'b0;
            irdy_n_o   <= 1'b1;
            irdy_en    <= 1'b0;
            devsel_n_o <= 1'b1;
            trdy_n_o   <= 1'b1;
            stop_n_o   <= 1'b1;
            ack64_n_o  <= 1'b1;
            target_en  <= 1'b0;
            ack64_en   <= 1'b0;
            req_n_o    <= 1'b1;
        end else begin
            ad_en      <= (drive_ad_en || drive_park) ? 2'b11 : reply_ad_en;
            cbe_en     <= {2{drive_cbe_en || drive_park}};
            frame_n_o  <= !drive_frame;
            frame_en   <= drive_frame || !frame_n_o;
            irdy_n_o   <= !drive_irdy;
            irdy_en    <= drive_irdy_en;
            devsel_n_o <= !reply_devsel;
            trdy_n_o   <= !reply_trdy;
            stop_n_o   <= !reply_stop;
            ack64_n_o  <= !(reply_devsel && reply_wide);
            target_en  <= reply_en;
            ack64_en   <= reply_en && reply_wide;
            req_n_o    <= !drive_req;
        end

    always @(posedge clk)
        if (rst) begin
            par_o    <= 1'b1;
            par_en   <= 1'b0;
            par64_o  <= 1'b1;
            par64_en <= 1'b0;
        end else begin
            par_o    <= ^{ad_o[31:0], cbe_n_o[3:0]};
            par_en   <= ad_en[0];
            par64_o  <= ^{ad_o[63:32], cbe_n_o[7:4]};
            par64_en <= ad_en[1];
        end

    always @(posedge clk)
        if (rst) begin
            perr_n_o <= 1'b1;
            perr_en  <= 1'b0;
            serr_en  <= 1'b0;
            inta_en  <= 1'b0;
        end else begin
            perr_n_o <= !drive_perr;
            perr_en  <= drive_perr || !perr_n_o;
            serr_en  <= drive_serr;
            inta_en  <= drive_inta;
        end

    wire probe_busy = |{ad_en, cbe_en, frame_en, irdy_en, target_en};
    wire unused_bits = !serr_n_i;        // system errors of other agents are handled by the host
endmodule
`default_nettype wire
