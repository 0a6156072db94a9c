// Packet mode at an input, independent of the arbitration: part of pm_input_scheduler and its alternatives. The
// scheduler proposes a flow (`turn`); this module decides whether the input stays with a flow instead.
//
// PACKET_MODE 0 (SM, VPS): never; there are no notices.
//
// PACKET_MODE 1 (PPM; S3 III): a notice says that the output is reading the packet that this input is writing. It
// concerns the packet of the unit in flight, so it counts when that unit ends, and must arrive before. The input stays
// with that flow until the packet has left.
//
// PACKET_MODE 2 (DPM; S3 IV): an output that has this input's lock requests a packet. The input serves it after the
// unit in flight and stays until the packet has left. A notice about a packet that has left is ignored (S3 IV-A: such a
// notice may be late); to detect that, each flow's packets are counted here and notices carry the number.
`default_nettype none
module pm_input_modes #(
    parameter FLOWS       = 16,                   // 2..128
    parameter PACKET_MODE = 0,                    // 0..2
    // computed, not to be set
    parameter FW          = $clog2(FLOWS)
) (
    input  wire             clk,
    input  wire             rst,

    // the scheduler's proposal
    input  wire [FW-1:0]    turn,                 // one of `eligible`, if there is any
    output reg  [FW-1:0]    last,                 // chosen last

    // the others as in pm_input_scheduler
    input  wire [FLOWS-1:0] eligible,
    input  wire             choose,
    output wire             chosen,
    output wire [FW-1:0]    chosen_flow,
    input  wire [FW-1:0]    flow,
    input  wire             packet_end,
    input  wire             unit_end,
    input  wire             notice,
    input  wire [FW-1:0]    notice_flow,
    input  wire [7:0]       notice_id,
    output wire             stay,                 // no arbitration: `wanted` or nothing
    output wire             error
);
    initial
        if (FLOWS < 2 || FLOWS > 128 || PACKET_MODE < 0 || PACKET_MODE > 2) begin
            $display("%m: FLOWS must be 2..128, PACKET_MODE 0..2; they are %0d, %0d", FLOWS, PACKET_MODE);
            $finish;
        end

    wire [FW-1:0] wanted;
    assign chosen      = choose && (stay ? eligible[wanted] : |eligible);
    assign chosen_flow = stay ? wanted : turn;

    always @(posedge clk)
        if (rst) last <= {FW{1'b0}};
        else if (chosen) last <= chosen_flow;

    generate
        if (PACKET_MODE == 1) begin : probabilistic
            reg stays;                            // packet mode
            reg notified;                         // a notice for the unit in flight has arrived
            reg in_flight;                        // a unit is: from behind its choice until its last word has left
            assign stay   = (stays || (unit_end && (notified || notice))) && !packet_end;
            assign wanted = flow;
            // Too late, for another flow, twice, or in packet mode (S3 III-A: none arrives then).
            assign error  = notice && (notified || stays || !in_flight || notice_flow != flow);
            always @(posedge clk)
                if (rst) begin
                    stays     <= 1'b0;
                    notified  <= 1'b0;
                    in_flight <= 1'b0;
                end else begin
                    stays     <= stay;
                    notified  <= (notified || notice) && !unit_end;
                    in_flight <= chosen || (in_flight && !unit_end);
                end
        end else if (PACKET_MODE == 2) begin : deterministic
            reg          asked;                   // an output has requested ...
            reg [FW-1:0] asked_flow;              // ... its packet ...
            reg [7:0]    asked_id;                // ... with this number
            reg [7:0]    id [0:FLOWS-1];          // packets that have left, modulo 256: the number of the head
            // A notice of this clock counts already, and so does a packet that ends in it.
            wire [7:0]   want_id = notice ? notice_id : asked_id;
            wire [7:0]   head_id = id[wanted] + {7'd0, packet_end && flow == wanted};
            assign wanted = notice ? notice_flow : asked_flow;
            assign stay   = (notice || asked) && head_id == want_id;
            assign error  = notice && asked && !(packet_end && flow == asked_flow);
            integer i;
            always @(posedge clk)
                if (rst) begin
                    asked <= 1'b0;
                    for (i = 0; i < FLOWS; i = i + 1) id[i] <= 8'd0;
                end else begin
                    asked <= stay;
                    if (packet_end) id[flow] <= id[flow] + 8'd1;
                end
            always @(posedge clk)
                if (notice) begin
                    asked_flow <= notice_flow;
                    asked_id   <= notice_id;
                end
        end else begin : plain
            assign stay   = 1'b0;
            assign wanted = flow;
            assign error  = notice;
        end
    endgenerate

    wire unused = &{1'b0, packet_end, unit_end, notice_flow, notice_id};
endmodule
`default_nettype wire
