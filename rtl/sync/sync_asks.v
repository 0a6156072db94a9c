// Operations of this node that wait for an answer: how many by each request queue. The fifth must wait (`full`).
//
// Which slot was asked by which queue is in sync_memory; its record is written as soon as the host does not write
// there. Until then nothing more may be asked, so one record is enough.
//
// `forget` (software reset): none waits any more.
`default_nettype none
module sync_asks #(
    // request queues, 8 or 16
    parameter NODES = 8
) (
    input  wire               clk,
    input  wire               rst,
    input  wire               forget,         // level

    // an operation leaves; only by a queue that is not full
    input  wire               ask_valid,      // one clock
    input  wire [3:0]         ask_queue,
    input  wire [14:0]        ask_operand,    // {tag, slot}
    output wire [NODES-1:0]   full,

    // its record
    output reg                record_valid,   // until record_taken
    output wire [5:0]         record_slot,
    output wire [31:0]        record_data,
    input  wire               record_taken,

    // an answer has arrived for one that left by queue close_queue, or is no longer awaited
    input  wire               close_valid,    // one clock
    input  wire [3:0]         close_queue,
    output wire [NODES*4-1:0] counts
);
    reg  [3:0]  queue;
    reg  [14:0] operand;

    assign record_slot = operand[5:0];
    assign record_data = {1'b1, 11'd0, queue, 1'b0, operand};

    always @(posedge clk)
        if (rst || forget) record_valid <= 1'b0;
        else               record_valid <= ask_valid || (record_valid && !record_taken);

    always @(posedge clk)
        if (ask_valid) begin
            queue   <= ask_queue;
            operand <= ask_operand;
        end

    genvar q;
    generate
        for (q = 0; q < NODES; q = q + 1) begin : of_queue
            localparam [3:0] ME = q;
            reg  [2:0] count;
            wire       more  = ask_valid && (ask_queue == ME);
            wire       fewer = close_valid && (close_queue == ME) && (count != 3'd0);

            assign full[q]         = count[2] || record_valid;
            assign counts[4*q +: 4] = {1'b0, count};

            always @(posedge clk)
                if (rst || forget)      count <= 3'd0;
                else if (more != fewer) count <= more ? count + 3'd1 : count - 3'd1;
        end
    endgenerate

    // ---- measuring
    wire probe_busy        = (counts != {4*NODES{1'b0}}) || record_valid;
    wire probe_stall_limit = full != {NODES{1'b0}};
endmodule
`default_nettype wire
