// Proof of pm_output_scheduler (round_robin, pm_output_modes): `bad` is never high, whatever waits in the crosspoints
// and whatever is served.
//
//   chosen    one of those that wait (DPM: or that is there in part, with a free lock), in each clock in which a choice
//             is used, unless DPM's output waits for a lock
//   fair      who waits at each turn is passed over FLOWS - 1 times at most. In PPM a choice that goes on with a packet
//             is no turn: packet mode, and looking back, which goes on 5 times at most without it. In DPM it is so
//             after each turn of an overdue flow
`default_nettype none
`include "slots.vh"
module prove_pm_output_turns #(
    parameter FLOWS       = 4,
    parameter PACKET_MODE = 0,
    parameter FW          = $clog2(FLOWS)
) (
    input  wire             clk,
    input  wire [FLOWS-1:0] waiting,
    input  wire [FLOWS-1:0] arriving,
    input  wire [FLOWS-1:0] any_partial,
    input  wire [FLOWS-1:0] lock_free,
    input  wire             choose,
    input  wire             any_continues,
    input  wire             any_served,
    input  wire [12:0]      served_words,
    input  wire             served_full,
    input  wire             served_ends,
    input  wire             served_whole,
    input  wire [3:0]       served_late,
    input  wire [FW-1:0]    any_flow,        // that is looked at: the one of the first clock
    output wire             bad
);
    localparam [31:0] LIMIT = FLOWS - 1;

    reg running;                              // 0 in the first clock
    initial running = 1'b0;
    always @(posedge clk) running <= 1'b1;

    wire            chosen;
    wire [FW-1:0]   chosen_flow;
    wire            chosen_partial;
    wire            unused_notice;
    wire            unused_urgent;
    wire            unused_cancelled;
    wire            mode;
    reg             chosen_before;
    reg             chosen_twice;              // two clocks ago: its first word leaves
    reg  [FW-1:0]   last;
    wire            served = any_served && chosen_twice;
    wire            continues = any_continues && !served; // only units of 3 words or more end within a packet
    wire [FLOWS-1:0] partial = any_partial & ~waiting;

    `PM_OUTPUT_SCHEDULER #(.FLOWS(FLOWS), .PACKET_MODE(PACKET_MODE)) scheduler (
        .clk (clk), .rst (!running), .weight_write (1'b0), .weight_flow ({FW{1'b0}}), .weight (8'd0),
        .waiting (waiting), .arriving (arriving & waiting), .partial (partial), .lock_free (lock_free),
        .choose (choose), .continues (continues), .chosen (chosen), .chosen_flow (chosen_flow),
        .chosen_partial (chosen_partial), .served (served), .served_words (served_words), .served_full (served_full),
        .served_ends (served_ends), .served_whole (served_whole), .served_late (served_late), .served_locked (1'b0),
        .served_packet (1'b1), .notice (unused_notice), .urgent (unused_urgent), .mode (mode),
        .cancelled (unused_cancelled)
    );

    reg  [FW-1:0] watched;
    reg  [FW:0]   passed;
    wire [FLOWS-1:0] request = (PACKET_MODE == 2) ? waiting | (partial & lock_free) : waiting;
    (* hierconn *) wire \scheduler.modes.turns_only.locks.insists ; // an overdue flow is there in part
    wire          insists = (PACKET_MODE == 2) && \scheduler.modes.turns_only.locks.insists ;
    reg  [2:0]    looked;                     // choices in a row that go on, not in packet mode
    wire          goes_on = (PACKET_MODE == 1) && continues && chosen_flow == last;
    wire          kept    = (PACKET_MODE == 1) && continues && mode;
    wire          wrong   = chosen ? !choose || !request[chosen_flow] || chosen_partial != !waiting[chosen_flow]
                            || (kept && !goes_on)
                                   : choose && !kept && !insists && |request;
    always @(posedge clk)
        if (!running) begin
            chosen_before <= 1'b0;
            chosen_twice  <= 1'b0;
            last          <= {FW{1'b0}};
            watched       <= any_flow;
            passed        <= {FW+1{1'b0}};
            looked        <= 3'd0;
        end else begin
            chosen_before <= chosen;
            chosen_twice  <= chosen_before;
            if (chosen) last <= chosen_flow;
            if (chosen && !kept) looked <= (goes_on && |(request & ~({{FLOWS-1{1'b0}}, 1'b1} << last))) ? looked + 3'd1
                                           : 3'd0;
            if (chosen && !goes_on) passed <= (chosen_flow == watched || !request[watched] || insists) ? {FW+1{1'b0}}
                                              : passed + 1'b1;
        end

    assign bad = running && (wrong || passed > LIMIT[FW:0] || looked > 3'd5);
    wire unused = &{1'b0, unused_notice, unused_urgent, unused_cancelled};
endmodule
`default_nettype wire
