// Which answers wait, and which is next. For each node that may be answered: a bit for each queue with refusals that
// have not been told, and a ring of four places for replies (their words are in sync_memory).
//
// So answers have bounded memory, whatever the other nodes do: refusals of a queue coalesce, and a node has at most
// four operations unanswered. A fifth has no place: `reply_full`.
//
// The next answer is of a node with `room`, in round robin; a refusal before a reply. The executor takes it in two
// steps: `pick` in one clock, then `picked_*` show it. Refusal bits are cleared by `refusal_told`, and set again if the
// answer could not leave; a reply is removed when it has left (`reply_gone`). The executor uses one of `refuse`,
// `reply`, `refusal_told`, `reply_gone` in a clock, all for node `at`.
`default_nettype none
module sync_answers #(
    // nodes, 8 or 16
    parameter NODES = 8
) (
    input  wire             clk,
    input  wire             rst,
    input  wire [3:0]       at,            // node of the entry that is shown and changed
    input  wire             refuse,        // a message to queue `queue` was refused
    input  wire [3:0]       queue,
    input  wire             reply,         // a reply is put into place `reply_place`; not while reply_full
    output wire [1:0]       reply_place,
    output wire             reply_full,
    input  wire             refusal_told,  // the refusals of `first_queue` are in the answer
    input  wire             reply_gone,

    // what waits for `at`
    output wire             refused,
    output wire [3:0]       first_queue,
    output wire [1:0]       oldest_place,

    // next node
    input  wire [NODES-1:0] room,
    output wire             any,
    input  wire             pick,
    output reg  [3:0]       picked
);
    localparam BITS = $clog2(NODES);

    // ---- entries: {queues with refusals, next place, replies}; cleared after reset by `some` being 0
    (* ram_style = "distributed" *) reg [20:0] entries [0:NODES-1];
    reg  [NODES-1:0] some;                        // the entry is not empty
    reg  [NODES-1:0] valid;                       // ... has been written since reset
    wire [BITS-1:0]  here = at[BITS-1:0];
    wire [20:0]      entry = entries[here] & {21{valid[here]}};
    wire [15:0]      waits = entry[20:5];
    wire [1:0]       next  = entry[4:3];
    wire [2:0]       count = entry[2:0];
    wire [15:0]      first = waits & (~waits + 16'd1);
    wire [15:0]      added = refuse ? 16'd1 << queue : 16'd0;
    wire             change = refuse || reply || refusal_told || reply_gone;
    wire [20:0]      after  = {(waits | added) & ~(first & {16{refusal_told}}), next + {1'b0, reply},
                               count + {2'd0, reply} - {2'd0, reply_gone}};
    wire [NODES-1:0] one    = {{NODES-1{1'b0}}, 1'b1};

    assign reply_full   = count[2];
    assign reply_place  = next;
    assign oldest_place = next - count[1:0];
    assign refused      = (waits != 16'd0);
    assign first_queue  = {|first[15:8], |(first & 16'hF0F0), |(first & 16'hCCCC), |(first & 16'hAAAA)};

    always @(posedge clk)
        if (change) entries[here] <= after;

    always @(posedge clk)
        if (rst) begin
            some  <= {NODES{1'b0}};
            valid <= {NODES{1'b0}};
        end else if (change) begin
            valid <= valid | (one << here);
            some  <= (some & ~(one << here)) | ((after[20:5] != 16'd0 || after[2:0] != 3'd0) ? one << here
                                                                                              : {NODES{1'b0}});
        end

    // ---- the next one
    wire [NODES-1:0] grant;
    wire [BITS-1:0]  index;

    round_robin #(.N(NODES)) turn (
        .request (some & room), .last (picked[BITS-1:0]), .any (any), .grant (grant), .index (index)
    );

    always @(posedge clk)
        if (rst)       picked <= 4'd0;
        else if (pick) picked <= {{4-BITS{1'b0}}, index};

    wire unused = &{1'b0, at, grant};

    // ---- measuring
    wire probe_busy       = |some;
    wire probe_stall_room = (|some) && !any;
endmodule
`default_nettype wire
