// Proof of pcix_pins, pcix_target and pcix_initiator on a PCI-X bus: they break no rule of sim/model/host/pcix_rules.h
// that pcix_properties has, as long as the agent on the other side breaks none:
//
//   SIDE 0   as its target: whatever an initiator does, registers, window and parity say, and where the bases are
//   SIDE 1   as its initiator: whatever a target and the arbiter do, and DMA asks for
//
// Each side assumes what the other shows; tb/unit/host checks the host's model by the same rules. Assumed besides: RST#
// is low for 7 clocks with a pattern of PCI-X; BAR1 is not within BAR0 (software); a sequence has a word at least, its
// data are there when they are needed (else wr_underflow, an error of the NIC); the latency timer stays as it is; a bus
// master is one by a configuration write, 4 clocks behind RST# at least.
`default_nettype none
`include "bus_rules.vh"
module prove_pcix_rules #(
    parameter SIDE   = 0,
    parameter DECODE = 4
) (
    input  wire        clk,
    input  wire [63:0] any_ad,               // the other side
    input  wire [7:0]  any_cbe_n,
    input  wire [10:0] any_level,
    input  wire [14:0] any_drives,
    input  wire        any_gnt,
    input  wire        any_idsel,
    input  wire [10:0] any_setting,
    input  wire [16:0] any_base,
    input  wire [12:0] any_id,
    input  wire [63:0] any_data,
    input  wire [63:3] any_address,
    input  wire [8:0]  any_words,            // less one
    input  wire [7:0]  any_timer,            // in the first clock
    output wire        bad
);
    reg [3:0] clocks;                        // 11 at most
    reg [7:0] timer;
    initial clocks = 4'd0;
    always @(posedge clk) begin
        clocks <= clocks + {3'd0, clocks != 4'd11};
        if (clocks == 4'd0) timer <= any_timer;
    end
    wire rst = clocks < 4'd7;

    // ---- the bus
    localparam [14:0] REQ64 = 15'h0020, ERRORS = 15'h0180;
    localparam [10:0] PATTERN = 11'h7ef;     // STOP# low: 100 MHz
    wire [63:0] ad_o;
    wire [7:0]  cbe_n_o;
    wire [1:0]  ad_oe, cbe_oe;
    wire [7:0]  own, own_oe;                 // FRAME#, IRDY#, DEVSEL#, TRDY#, STOP#, REQ64#, ACK64#, PERR#
    wire [1:0]  par, par_oe;
    wire [14:0] mine  = {cbe_oe, ad_oe, par_oe, 1'b0, own_oe};
    wire [14:0] other = rst ? REQ64 : any_drives & ~ERRORS;
    wire [10:0] level = (other[10:0] & any_level) | (mine[10:0] & {par, 1'b0, own} & ~other[10:0])
                        | ((rst ? PATTERN : 11'h7ff) & ~other[10:0] & ~mine[10:0]);
    wire [63:0] ad    = {other[12] ? any_ad[63:32] : ad_oe[1] ? ad_o[63:32] : 32'hffffffff,
                         other[11] ? any_ad[31:0] : ad_oe[0] ? ad_o[31:0] : 32'hffffffff};
    wire [7:0]  cbe_n = {other[14] ? any_cbe_n[7:4] : cbe_oe[1] ? cbe_n_o[7:4] : 4'hf,
                         other[13] ? any_cbe_n[3:0] : cbe_oe[0] ? cbe_n_o[3:0] : 4'hf};
    wire        gnt   = SIDE != 0 && any_gnt && !rst;

    // ---- ours
    wire [63:0] in_ad, reply_ad, drive_ad;
    wire [7:0]  in_cbe_n, drive_cbe_n;
    wire        in_frame_n, in_irdy_n, in_trdy_n, in_devsel_n, in_stop_n, in_req64_n, in_ack64_n, in_idsel, in_gnt_n,
                in_own_frame, pcix_mode;
    wire        reply_en, reply_devsel, reply_trdy, reply_stop, reply_wide;
    wire [1:0]  reply_ad_en;
    wire        drive_ad_en, drive_cbe_en, drive_frame, drive_irdy_en, drive_irdy, drive_req, drive_park;
    wire        underflow, left;
    pcix_pins pins (
        .pin_clk (clk), .clk (clk), .rst (rst), .rst_n_pin (!rst), .ad_i (ad), .ad_o (ad_o), .ad_oe (ad_oe),
        .cbe_n_i (cbe_n), .cbe_n_o (cbe_n_o), .cbe_n_oe (cbe_oe), .par_i (level[9]), .par_o (par[0]),
        .par_oe (par_oe[0]), .par64_i (level[10]), .par64_o (par[1]), .par64_oe (par_oe[1]), .frame_n_i (level[0]),
        .frame_n_o (own[0]), .frame_n_oe (own_oe[0]), .irdy_n_i (level[1]), .irdy_n_o (own[1]),
        .irdy_n_oe (own_oe[1]), .devsel_n_i (level[2]), .devsel_n_o (own[2]), .devsel_n_oe (own_oe[2]),
        .trdy_n_i (level[3]), .trdy_n_o (own[3]), .trdy_n_oe (own_oe[3]), .stop_n_i (level[4]), .stop_n_o (own[4]),
        .stop_n_oe (own_oe[4]), .req64_n_i (level[5]), .req64_n_o (own[5]), .req64_n_oe (own_oe[5]),
        .ack64_n_i (level[6]), .ack64_n_o (own[6]), .ack64_n_oe (own_oe[6]), .perr_n_i (level[7]), .perr_n_o (own[7]),
        .perr_n_oe (own_oe[7]), .serr_n_i (1'b1), .idsel_i (any_idsel), .gnt_n_i (!gnt), .in_ad (in_ad),
        .in_cbe_n (in_cbe_n), .in_frame_n (in_frame_n), .in_irdy_n (in_irdy_n), .in_trdy_n (in_trdy_n),
        .in_devsel_n (in_devsel_n), .in_stop_n (in_stop_n), .in_req64_n (in_req64_n), .in_ack64_n (in_ack64_n),
        .in_idsel (in_idsel), .in_gnt_n (in_gnt_n), .in_own_frame (in_own_frame), .pcix_mode (pcix_mode),
        .drive_ad (drive_ad), .drive_ad_en (drive_ad_en), .drive_cbe_n (drive_cbe_n), .drive_cbe_en (drive_cbe_en),
        .drive_frame (drive_frame), .drive_irdy_en (drive_irdy_en), .drive_irdy (drive_irdy), .drive_req (drive_req),
        .drive_park (drive_park), .reply_ad (reply_ad), .reply_ad_en (reply_ad_en), .reply_en (reply_en),
        .reply_devsel (reply_devsel), .reply_trdy (reply_trdy), .reply_stop (reply_stop), .reply_wide (reply_wide),
        .drive_perr (1'b0), .drive_serr (1'b0), .drive_inta (1'b0)
    );
    pcix_target #(.DECODE(DECODE)) target (
        .clk (clk), .rst (rst), .pcix_mode (pcix_mode), .in_ad (in_ad[31:0]), .in_cbe_n (in_cbe_n[3:0]),
        .in_frame_n (in_frame_n), .in_irdy_n (in_irdy_n), .in_req64_n (in_req64_n), .in_idsel (in_idsel),
        .in_own_frame (in_own_frame), .control_error (any_setting[0]), .bar0 (any_base[16:12]),
        .bar1 (any_base ^ 17'h1000), .memory_enable (any_setting[1]), .bus_number (any_id[7:0]),
        .device_number (any_id[12:8]), .reply_en (reply_en), .reply_devsel (reply_devsel), .reply_trdy (reply_trdy),
        .reply_stop (reply_stop), .reply_wide (reply_wide), .reply_ad (reply_ad), .reply_ad_en (reply_ad_en),
        .reg_rd_data (any_data), .config_data (any_data[31:0]), .window_write_ok (any_setting[2]),
        .window_read_hit (any_setting[3]), .window_read_data (any_data)
    );
    pcix_initiator initiator (
        .clk (clk), .rst (rst), .pcix_mode (pcix_mode), .enable (pcix_mode && any_setting[4] && clocks == 4'd11),
        .in_frame_n (in_frame_n), .in_irdy_n (in_irdy_n), .in_trdy_n (in_trdy_n), .in_devsel_n (in_devsel_n),
        .in_stop_n (in_stop_n), .in_ack64_n (in_ack64_n), .in_perr_n (1'b1), .in_gnt_n (in_gnt_n),
        .drive_ad (drive_ad), .drive_ad_en (drive_ad_en), .drive_cbe_n (drive_cbe_n), .drive_cbe_en (drive_cbe_en),
        .drive_frame (drive_frame), .drive_irdy_en (drive_irdy_en), .drive_irdy (drive_irdy), .drive_req (drive_req),
        .drive_park (drive_park), .latency_timer (timer), .bus_number (any_id[7:0]), .device_number (any_id[12:8]),
        .wr_req (SIDE != 0 && any_setting[5]), .wr_addr (any_address), .wr_words ({1'b0, any_words} + 10'd1),
        .wr_data (any_data), .wr_data_valid (any_setting[6]), .wr_underflow (underflow),
        .rd_req (SIDE != 0 && any_setting[7]), .rd_addr (any_address), .rd_words ({1'b0, any_words} + 10'd1),
        .rd_tag (any_id[4:0]), .can_open (any_setting[8]), .arb_pick_write (any_setting[9]),
        .arb_hold_write (SIDE != 0 && any_setting[10]), .ev_write_disconnect (left)
    );

    // ---- the rules
    wire [`PCIX_RULES-1:0] by_initiator, by_target;
    wire [`PCIX_RULES-1:0] by_other = (SIDE == 0) ? by_initiator : by_target;
    wire [`PCIX_RULES-1:0] by_us    = (SIDE == 0) ? by_target : by_initiator;
    wire [3:0]             phase;
    wire [11:0]            index;
    pcix_properties bus (
        .clk (clk), .rst (rst), .ad (ad), .cbe_n (cbe_n), .level (level), .initiator_oe (SIDE == 0 ? other : mine),
        .target_oe (SIDE == 0 ? mine : other), .gnt_n (SIDE == 0 ? !any_gnt : !gnt),
        .latency_timer (SIDE == 0 ? 8'hff : timer), .by_initiator (by_initiator), .by_target (by_target),
        .phase (phase), .index (index)
    );

    reg  given;                              // what is assumed has held so far
    wire holds = given && by_other == {`PCIX_RULES{1'b0}} && !underflow;
    initial given = 1'b1;
    always @(posedge clk) given <= holds;

    assign bad = !rst && holds && by_us != {`PCIX_RULES{1'b0}};

    // for what the list of proofs asks to see
    wire reading = SIDE == 0 ? ad_oe[0] : !ad_oe[0], data = phase == 4'd6;
    wire unused  = &{1'b0, drive_req, left, reading, data, index};
endmodule
`default_nettype wire
