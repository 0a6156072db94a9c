// One bit of each kind for each QP (roce_outstanding): may it send, what does it wait for, is it fatal; and whose turn is next.
//
// What others say (a WQE is there, a request or a completion was fatal, an RNR NAK was sent) counts in the next clock; what an event does
// to its QP, `ends`, too. The turn goes round robin over the QPs that have work and nothing that stops them; `turn` is of the last clock.
`default_nettype none
module roce_outstanding_marks #(
    // queue pairs, 8..128
    parameter NUM_QP = 8
) (
    input  wire              clk,
    input  wire              rst,
    input  wire              chip_enable,
    input  wire [NUM_QP-1:0] enabled,
    // from others
    input  wire              arrive,
    input  wire [6:0]        arrive_qp,
    input  wire              die_valid,
    input  wire [6:0]        die_qp,
    input  wire              fault_valid,
    input  wire [6:0]        fault_qp,
    input  wire              rnr_valid,
    input  wire [6:0]        rnr_qp,
    // an event of `qp` ends, and what it does
    input  wire              ends,
    input  wire [6:0]        qp,
    input  wire              restarts,     // the QP starts anew
    input  wire              sends,        // it was the QP's turn to send
    input  wire              responds,     // a response
    input  wire              timer,        // a timer, or what was called with it
    input  wire              act_idle,
    input  wire              act_narrow,
    input  wire              act_back,
    input  wire              act_resume,
    input  wire              act_wait,
    input  wire              act_moved,
    input  wire              act_die,
    input  wire              n_ended,
    input  wire              jump,
    // of `qp`
    output wire              live,         // enabled and not fatal
    output wire              waiting,      // after an RNR NAK
    output wire              dying_here,   // to be made fatal: a request did it
    output wire              faulty_here,  // ...: a completion did not get into memory
    output wire              rnr_sent,     // STATQP[1]
    // of all
    output reg  [NUM_QP-1:0] qp_fatal,
    output wire [NUM_QP-1:0] call,         // the timer's scanner is to bring these
    // whose turn it is
    input  wire [6:0]        last_sender,
    output reg               turn_valid,
    output reg  [6:0]        turn
);
    localparam LOG2_QP = $clog2(NUM_QP);
    localparam [NUM_QP-1:0] ONE = {{NUM_QP-1{1'b0}}, 1'b1}, NONE = {NUM_QP{1'b0}};

    reg  [NUM_QP-1:0] work;           // there may be something to send
    reg  [NUM_QP-1:0] narrow;         // ... for which the window of PSNs had no room
    reg  [NUM_QP-1:0] rnr_wait, dying, faulty, rnr_told;
    wire [LOG2_QP-1:0] at = qp[LOG2_QP-1:0];
    assign live        = enabled[at] && !qp_fatal[at];
    assign waiting     = rnr_wait[at];
    assign dying_here  = dying[at];
    assign faulty_here = faulty[at];
    assign rnr_sent    = rnr_told[at];
    assign call        = dying | faulty;

    wire [LOG2_QP-1:0] next;
    wire               any;
    wire [NUM_QP-1:0]  unused_grant;
    round_robin #(.N(NUM_QP)) turns (
        .request (work & enabled & ~qp_fatal & ~rnr_wait & ~dying & ~faulty & {NUM_QP{chip_enable}}),
        .last (last_sender[LOG2_QP-1:0]), .any (any), .grant (unused_grant), .index (next)
    );
    always @(posedge clk)
        if (rst) begin
            turn_valid <= 1'b0;
            turn       <= 7'd0;
        end else begin
            turn_valid <= any;
            turn       <= {{7-LOG2_QP{1'b0}}, next};
        end

    // A part of a message that is acknowledged makes no room for others, but in the window: looking for some would take every other turn.
    wire may_go_on = act_back || act_resume || (act_moved && (!responds || n_ended || jump || waiting || narrow[at]));

    wire [NUM_QP-1:0] here     = ends ? ONE << at : NONE;
    wire [NUM_QP-1:0] start_at = restarts ? here : NONE;
    wire [NUM_QP-1:0] work_off = sends && act_idle ? here : NONE;
    wire [NUM_QP-1:0] work_on  = may_go_on ? here : NONE;
    wire [NUM_QP-1:0] wait_off = act_resume || (act_moved && !act_wait) ? here : NONE;
    wire [NUM_QP-1:0] wait_on  = act_wait ? here : NONE;
    wire [NUM_QP-1:0] die_off  = timer && dying_here ? here : NONE;
    wire [NUM_QP-1:0] bad_off  = timer && !dying_here ? here : NONE;
    always @(posedge clk)
        if (rst) begin
            work     <= NONE;
            narrow   <= NONE;
            rnr_wait <= NONE;
            dying    <= NONE;
            faulty   <= NONE;
            rnr_told <= NONE;
            qp_fatal <= NONE;
        end else begin
            work     <= ((work & ~work_off) | work_on | (arrive ? ONE << arrive_qp : NONE)) & ~start_at;
            rnr_wait <= ((rnr_wait & ~wait_off) | wait_on) & ~start_at;
            dying    <= ((dying & ~die_off) | (die_valid ? ONE << die_qp : NONE)) & ~start_at;
            faulty   <= ((faulty & ~bad_off) | (fault_valid ? ONE << fault_qp : NONE)) & ~start_at;
            rnr_told <= (rnr_told | (rnr_valid ? ONE << rnr_qp : NONE)) & ~start_at;
            qp_fatal <= (qp_fatal | (act_die ? here : NONE)) & ~start_at;
            if (ends && sends) narrow[at] <= act_narrow;
        end

    wire unused = &{1'b0, unused_grant, qp, last_sender};

    // ---- measuring
    wire probe_busy = turn_valid;
endmodule
`default_nettype wire
