// Proof of sync_answers: `bad` is never high, whatever is refused and asked.
//
//   places    a node with less than four replies waiting finds a place for another one; they are shown in order
//   queues    what is shown of a node's refusals is one that waits; it is shown while one does
//   chosen    a node for which something waits, and no other, is next when it alone has room
//
// Assumed: for the node that is followed, a reply only while not full, and told or gone only what waits.
`default_nettype none
module prove_sync_answers #(
    parameter NODES = 8
) (
    input  wire       clk,
    input  wire [3:0] any_at,
    input  wire [1:0] any_change,
    input  wire       any_valid,
    input  wire [3:0] any_queue,
    input  wire       any_pick,
    input  wire       any_alone,
    input  wire [7:0] any_room,
    output wire       bad
);
    reg running;                      // 0 in the first clock
    initial running = 1'b0;
    always @(posedge clk) running <= 1'b1;

    localparam [3:0] FOLLOWED = 4'd6;
    reg  [15:0] queues;
    reg  [2:0]  count;
    reg  [1:0]  next;
    wire        here = (any_at[2:0] == FOLLOWED[2:0]);
    wire        full, refused, any;
    wire [1:0]  place, oldest;
    wire [3:0]  first;
    wire        valid  = any_valid && running;
    wire        refuse = valid && any_change == 2'd0;
    wire        reply  = valid && any_change == 2'd1 && !full;
    wire        told   = valid && any_change == 2'd2 && (!here || queues != 16'd0);
    wire        gone   = valid && any_change == 2'd3 && (!here || count != 3'd0);
    wire [NODES-1:0] room = any_alone ? {{NODES-1{1'b0}}, 1'b1} << FOLLOWED : any_room[NODES-1:0];

    always @(posedge clk)
        if (!running) {queues, count, next} <= 21'd0;
        else if (here) begin
            if (refuse) queues <= queues | (16'd1 << any_queue);
            if (told)   queues <= queues & ~(16'd1 << first);
            count <= count + {2'd0, reply} - {2'd0, gone};
            if (reply) next <= next + 2'd1;
        end

    sync_answers #(.NODES(NODES)) answers (
        .clk (clk), .rst (!running), .at ({1'b0, any_at[2:0]}), .refuse (refuse), .queue (any_queue), .reply (reply),
        .reply_place (place), .reply_full (full), .refusal_told (told), .reply_gone (gone), .refused (refused),
        .first_queue (first), .oldest_place (oldest), .room (room), .any (any), .pick (any_pick)
    );

    assign bad = running && ((here && (full != (count == 3'd4) || count > 3'd4 || place != next
                                       || oldest != next - count[1:0] || refused != (queues != 16'd0)
                                       || (refused && !queues[first])))
                             || (any_alone && any != (queues != 16'd0 || count != 3'd0)));
endmodule
`default_nettype wire
