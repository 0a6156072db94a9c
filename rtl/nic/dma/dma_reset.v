// Software reset of the DMA engine, in steps that keep the bus and the link legal.
//
//     ENGINE   no new transfers; those taken are dropped, an outstanding read is awaited and dropped, a write in
//              progress is finished, for 4096 clocks, then neither is awaited (`impatient`, until the next reset);
//              the content of N2H is dropped (and so counts as forwarded: the credits stay right)
//     VOQ      the output queues drop their content and skip a sequence number for each destination that has lost
//              something; only a packet on its way to the link is finished, or cut off if the link takes nothing for
//              256 clocks
//     SETTLE   reports of transfers moved to the link may still be on their way: 32 clocks
//     FORGET   transfers still inside the output queues now never will leave: they count as skipped
//
// Requests that the bus interface has not acknowledged are withdrawn. An acknowledged one cannot be withdrawn; while
// bus mastering is off it cannot end either, so then the reset does not wait for it (see dma_outgoing, dma_incoming,
// dma_notifier). So it ends whatever bus and link do, after 4096 clocks and the time of the later steps.
// Queue pointers, credit counters and sequence numbers are kept (the queues have a reset of their own). Transfers
// already moved to the link leave, and are counted and notified when they do, also after the reset.
`default_nettype none
module dma_reset (
    input  wire clk,
    input  wire rst,
    input  wire soft_reset,       // level: a reset is asked for
    output wire soft_reset_done,  // one clock
    output wire flush,            // to the engine's halves
    output wire flush_queues,     // to the output queues: once the engine has dropped its transfers
    output wire impatient,        // to the engine's halves: do not wait for the bus
    input  wire halves_idle,      // neither has anything to wait for
    input  wire voq_idle,         // the output queues are empty; sampled from the clock after flush_queues on
    output wire forget,           // to the notifier
    input  wire forgotten,        // one clock: they are counted
    output wire [2:0] state
);
    localparam [2:0] IDLE = 3'd0, ENGINE = 3'd1, VOQ = 3'd2, SETTLE = 3'd3, FORGET = 3'd4, DONE = 3'd5;

    reg [2:0]  fsm;
    reg [4:0]  timer;
    reg        asked;             // flush_queues was up in the last clock
    reg [11:0] patience;          // clocks since the reset was asked for, saturating

    assign flush           = (fsm != IDLE) && (fsm != DONE);
    assign flush_queues    = (fsm == VOQ) || (fsm == SETTLE) || (fsm == FORGET);
    assign forget          = (fsm == FORGET);
    assign soft_reset_done = (fsm == DONE);
    assign impatient       = &patience;

    always @(posedge clk)
        if (rst || (fsm == IDLE && soft_reset)) patience <= 12'd0;
        else if (!impatient)                    patience <= patience + 12'd1;
    assign state           = fsm;

    always @(posedge clk)
        if (rst) begin
            fsm   <= IDLE;
            timer <= 5'd0;
            asked <= 1'b0;
        end else begin
            asked <= flush_queues;
            timer <= (fsm == SETTLE) ? timer + 5'd1 : 5'd0;
            case (fsm)
                IDLE:    if (soft_reset) fsm <= ENGINE;
                ENGINE:  if (halves_idle) fsm <= VOQ;
                VOQ:     if (voq_idle && asked) fsm <= SETTLE;
                SETTLE:  if (&timer) fsm <= FORGET;
                FORGET:  if (forgotten) fsm <= DONE;
                default: fsm <= IDLE;
            endcase
        end

    // ---- measuring
    wire       probe_busy         = (fsm != IDLE);
    wire       probe_stall_engine = (fsm == ENGINE) && !halves_idle;
    wire       probe_stall_voq    = (fsm == VOQ) && !voq_idle;
    wire       probe_start        = (fsm == IDLE) && soft_reset;
    wire       probe_done         = soft_reset_done;
    wire [2:0] probe_state        = fsm;
endmodule
`default_nettype wire
