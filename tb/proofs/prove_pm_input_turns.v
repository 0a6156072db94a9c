// Proof of pm_input_scheduler (round_robin, pm_input_modes): `bad` is never high, whatever is eligible, however long
// units and packets are, and whatever notices come.
//
//   chosen    one of the eligible, in each clock in which a choice is used
//   fair      who is eligible at each turn is passed over FLOWS - 1 times at most. Turns are the choices that packet
//             mode does not make. In DPM packet mode may lead away from the turn, so there a flow must have had a turn,
//             of its first two units, between two of its notices (S3 IV: a packet is called when RTT + SEGMENT_WORDS of
//             it are there); the bound is then 2^FLOWS - 2
`default_nettype none
`include "slots.vh"
module prove_pm_input_turns #(
    parameter FLOWS       = 4,
    parameter PACKET_MODE = 0,
    parameter FW          = $clog2(FLOWS)
) (
    input  wire             clk,
    input  wire [FLOWS-1:0] eligible,
    input  wire             any_end,         // the unit ends in this clock, if there is one
    input  wire             any_packet_end,
    input  wire             any_notice,
    input  wire [FW-1:0]    notice_flow,
    input  wire [7:0]       notice_id,
    input  wire [FW-1:0]    any_flow,        // that is looked at: the one of the first clock
    output wire             bad
);
    localparam [31:0] LIMIT = (PACKET_MODE == 2) ? (1 << FLOWS) - 2 : FLOWS - 1;

    reg running;                              // 0 in the first clock
    initial running = 1'b0;
    always @(posedge clk) running <= 1'b1;

    reg             in_flight;
    reg             starts;
    reg  [FW-1:0]   flow;
    reg  [FLOWS-1:0] had_turn;
    wire            chosen;
    wire [FW-1:0]   chosen_flow;
    wire            stay;
    wire            unused_error;
    wire            unit_end   = in_flight && any_end;
    wire            packet_end = in_flight && any_packet_end;
    wire            choose     = !in_flight || unit_end;
    wire            notice     = any_notice && ((PACKET_MODE == 1) ? notice_flow == flow : (PACKET_MODE == 2)
                                                && had_turn[notice_flow]);

    `PM_INPUT_SCHEDULER #(.FLOWS(FLOWS), .PACKET_MODE(PACKET_MODE)) scheduler (
        .clk (clk), .rst (!running), .weight_write (1'b0), .weight_flow ({FW{1'b0}}), .weight (8'd0),
        .eligible (eligible), .choose (choose), .chosen (chosen), .chosen_flow (chosen_flow), .flow (flow),
        .unit_start (starts), .unit_words (13'd1), .unit_end (unit_end), .packet_end (packet_end), .notice (notice),
        .notice_flow (notice_flow), .notice_id (notice_id), .stay (stay), .error (unused_error)
    );

    reg  [FW-1:0] watched;
    reg  [FW+FLOWS-1:0] passed;
    wire          turn  = chosen && !stay;
    wire          wrong = chosen ? !choose || !eligible[chosen_flow] : choose && !stay && |eligible;
    integer       i;
    always @(posedge clk)
        if (!running) begin
            in_flight <= 1'b0;
            starts    <= 1'b0;
            flow      <= {FW{1'b0}};
            watched   <= any_flow;
            passed    <= 0;
            had_turn  <= {FLOWS{1'b0}};
        end else begin
            starts <= chosen;
            if (chosen) flow <= chosen_flow;
            in_flight <= chosen || (in_flight && !unit_end);
            for (i = 0; i < FLOWS; i = i + 1)
                had_turn[i] <= (turn && chosen_flow == i[FW-1:0])
                               || (had_turn[i] && !(notice && notice_flow == i[FW-1:0]));
            if (turn) passed <= (chosen_flow == watched || !eligible[watched]) ? 0 : passed + 1'b1;
        end

    assign bad = running && (wrong || passed > LIMIT[FW+FLOWS-1:0]);
    wire unused = &{1'b0, unused_error};
endmodule
`default_nettype wire
