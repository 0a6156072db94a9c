// Packet mode at an output, independent of the arbitration: part of pm_output_scheduler and its alternatives. The
// scheduler proposes one of the flows of `request` (`turn`); this module decides what may be requested, whether the
// output stays with a flow instead, and when to send a notice to the input.
//
// PACKET_MODE 0 (SM, VPS): every waiting unit may be requested, and there are no notices.
//
// PACKET_MODE 1 (PPM; S3 III): as long as no choice pairs, segments are served by arbitration. A choice pairs if the
// unit that it starts to read at t_r is the one that the input has been writing since t_w, it is a whole segment of one
// packet, which it leaves unfinished, and
//
//     t_r - t_w <= SEGMENT_WORDS - RTT                                                  (1) in S3 III-A
//
// Then the credit of this unit carries a notice to stay, and the output itself stays until that packet has been sent. A
// unit in which a packet ends carries no notice: the first words of the next packet are sent along (S3 III-A, fig. 3).
// A decision takes SCHEDULING_CLOCKS, 2 at least, so t_r - t_w is no less. If the credit would have to wait for longer
// than (1) allows, there is no packet mode (S3 III-B's second way). Looking back: after a unit that ended within a
// packet, not in packet mode, the same crosspoint is tried first, and taken if it pairs; at most LOOKS times in a row,
// or an input that is always just sending would keep the output for ever.
//
// PACKET_MODE 2 (DPM; S3 IV): packets. A packet that is whole in its crosspoint may be sent at once; for a partial one
// the lock of its input is requested. Without a grant the next flow is tried. A lock that is never free when the output
// tries would starve a flow (S3 has no bound): so the output marks the flows with a partial packet each time it has
// sent PERIOD words. A flow marked twice without service is overdue: the output takes no other one, and waits for the
// lock. It holds none meanwhile, so the holder of that lock sends and releases it.
`default_nettype none
module pm_output_modes #(
    parameter FLOWS       = 16,                     // 2..128
    parameter PACKET_MODE = 0,                      // 0..2
    parameter SLACK       = 1,                      // PPM: clocks that a choice may be late, see pm_switch: 0..1013
    parameter LOOK_BACK   = 2,                      // PPM: 0: never; 1: only behind a unit too late to pair; 2: always
    // computed, not to be set
    parameter FW          = $clog2(FLOWS)
) (
    input  wire             clk,
    input  wire             rst,

    // the scheduler's proposal
    output wire [FLOWS-1:0] request,
    input  wire [FW-1:0]    turn,                   // one of `request`, if there is any
    output reg  [FW-1:0]    last,                   // chosen last

    // the others as in pm_output_scheduler
    input  wire [FLOWS-1:0] waiting,
    input  wire [FLOWS-1:0] arriving,
    input  wire [FLOWS-1:0] partial,
    input  wire [FLOWS-1:0] lock_free,
    input  wire             choose,
    input  wire             continues,
    output wire             chosen,
    output wire [FW-1:0]    chosen_flow,
    output wire             chosen_partial,
    input  wire             served,
    input  wire [12:0]      served_words,
    input  wire             served_full,
    input  wire             served_ends,
    input  wire             served_whole,
    input  wire [3:0]       served_late,
    input  wire             served_locked,
    input  wire             served_packet,
    output wire             notice,
    output wire             urgent,
    output wire             mode,
    output wire             cancelled
);
    initial
        if (FLOWS < 2 || FLOWS > 128 || PACKET_MODE < 0 || PACKET_MODE > 2) begin
            $display("%m: FLOWS must be 2..128, PACKET_MODE 0..2; they are %0d, %0d", FLOWS, PACKET_MODE);
            $finish;
        end else if (PACKET_MODE == 1 && (SLACK < 0 || SLACK > 1013 || LOOK_BACK < 0 || LOOK_BACK > 2)) begin
            $display("%m: SLACK, SEGMENT_WORDS - RTT - SCHEDULING_CLOCKS, must be 0..1013, is %0d; ", SLACK,
                     "LOOK_BACK 0..2, is %0d", LOOK_BACK);
            $finish;
        end

    wire stay;                                      // no arbitration: the last one, or nothing
    wire back;                                      // the last one instead of the proposal
    assign chosen      = choose && (stay ? waiting[last] : |request);
    assign chosen_flow = (stay || back) ? last : turn;

    always @(posedge clk)
        if (rst) last <= {FW{1'b0}};
        else if (chosen) last <= chosen_flow;

    generate
        if (PACKET_MODE == 1) begin : probabilistic
            localparam [31:0] SLACK_BITS = SLACK;
            localparam [2:0]  LOOKS = 3'd5;         // pm_service_times allows 5: units of 1024, packets of 4096 words

            // How long ago the unit at the head of each crosspoint began to arrive: 0 is this clock.
            reg  [FLOWS*(SLACK+1)-1:0] since;       // [FLOWS * k + flow]: k + 1 clocks ago
            reg  [FLOWS-1:0] pairs;
            integer          k;
            always @* begin
                pairs = arriving;
                for (k = 0; k < SLACK; k = k + 1) pairs = pairs | since[FLOWS*k +: FLOWS];
            end
            reg  [9:0] age;                         // of the choice of this clock
            always @* begin
                age = 10'd0;
                for (k = SLACK - 1; k >= 0; k = k - 1)
                    if (since[FLOWS*k + {{32-FW{1'b0}}, chosen_flow}]) age = k[9:0] + 10'd1;
                if (arriving[chosen_flow]) age = 10'd0;
            end
            wire [9:0] spare = SLACK_BITS[9:0] - age;

            reg  [2:0] looked;                      // looks back in a row
            reg        packet_mode;
            reg        too_long;                    // the unit being sent would have paired, but for (1) or late credit
            reg        stayed;                      // the choice before was the packet's next unit
            reg        paired;                      // the choice before paired ...
            reg  [3:0] slack;                  // ... its notice may wait this long; 15: longer, credit waits 14 at most
            wire       goes_on  = stayed && !served_ends;
            wire       could    = paired && served_full && !served_ends && !goes_on;
            wire       new_mode = could && (served_late <= slack);

            assign request        = waiting;
            assign stay           = packet_mode && continues;
            assign back           = !packet_mode && continues && (LOOK_BACK == 2 || (LOOK_BACK == 1 && too_long)) &&
                                    pairs[last] && waiting[last] && looked != LOOKS;
            assign chosen_partial = 1'b0;
            assign notice         = served && new_mode;
            assign urgent         = served && (goes_on || new_mode);
            assign mode           = served ? (goes_on || new_mode) : packet_mode;
            assign cancelled      = served && could && !new_mode;

            always @(posedge clk)
                if (rst) begin
                    looked      <= 3'd0;
                    packet_mode <= 1'b0;
                    too_long    <= 1'b0;
                    stayed      <= 1'b0;
                    paired      <= 1'b0;
                    slack       <= 4'd0;
                    since       <= {FLOWS*(SLACK+1){1'b0}};
                end else begin
                    since <= (since << FLOWS) | {{FLOWS*SLACK{1'b0}}, arriving};
                    if (chosen && !stay) looked <= back ? looked + 3'd1 : 3'd0;
                    if (chosen) begin
                        stayed <= stay;
                        paired <= pairs[chosen_flow];
                        slack  <= (spare > 10'd15) ? 4'd15 : spare[3:0];
                    end
                    if (served) begin
                        packet_mode <= goes_on || new_mode;
                        too_long    <= !goes_on && !new_mode && served_full && !served_ends && !served_whole;
                    end
                end
        end else begin : turns_only
            wire [FLOWS-1:0] could = (PACKET_MODE == 2) ? waiting | (partial & lock_free) : waiting;
            if (PACKET_MODE == 2) begin : locks
                localparam PERIOD = 8192 * FLOWS;   // words
                localparam WB = $clog2(PERIOD) + 1;
                localparam [31:0] ROUND = PERIOD;
                reg  [WB-1:0]    words;             // sent since the last mark
                reg  [FLOWS-1:0] marked;
                reg  [FLOWS-1:0] overdue;
                wire [WB-1:0]    sum     = words + {{WB-13{1'b0}}, served_words};
                wire             insists = |(overdue & partial);
                wire [FLOWS-1:0] kept    = (served && served_packet) ? ~({{FLOWS-1{1'b0}}, 1'b1} << last)
                                           : {FLOWS{1'b1}};
                assign request = insists ? could & overdue : could;
                always @(posedge clk)
                    if (rst) begin
                        words   <= {WB{1'b0}};
                        marked  <= {FLOWS{1'b0}};
                        overdue <= {FLOWS{1'b0}};
                    end else if (served) begin
                        words   <= (sum >= ROUND[WB-1:0]) ? {WB{1'b0}} : sum;
                        marked  <= kept & ((sum >= ROUND[WB-1:0]) ? partial : marked);
                        overdue <= kept & ((sum >= ROUND[WB-1:0]) ? overdue | (marked & partial) : overdue);
                    end
            end else begin : none
                assign request = could;
            end
            assign stay           = 1'b0;
            assign back           = 1'b0;
            assign chosen_partial = (PACKET_MODE == 2) && !waiting[chosen_flow];
            assign notice         = (PACKET_MODE == 2) && served && served_locked && served_packet;
            assign urgent         = (PACKET_MODE == 2) && served && served_locked;
            assign mode           = 1'b0;
            assign cancelled      = 1'b0;
        end
    endgenerate

    wire unused = &{1'b0, arriving, partial, lock_free, continues, served, served_full, served_ends, served_whole,
                    served_late, served_locked, served_packet, served_words};
endmodule
`default_nettype wire
