// Proof of pm_queues, of two queues and 4 blocks of 2 words: `bad` is never high, whatever is written, and read from
// queues with words.
//
//   places     a block is in one queue, or free: once in `stack`, or never used; so `stack` has a place for each that
//              is given back
//   overflow   a word is lost only if all blocks are taken, and a queue that holds n words, the first at place h of its
//              block, has taken (h + n) / block, rounded up: (n + block - 2) / block + 1, rounded down, at most
//
// So elaboration checks of the blocks (pm_switch, pm_iq) are enough. `lemmas` is what makes a step enough;
// MEMORIES=seen, because they name what queues and stack hold.
`default_nettype none
module prove_pm_queues #(
    // 0: what is claimed alone, for faults
    parameter LEMMAS = 1
) (
    input  wire clk,
    input  wire any_write,
    input  wire any_write_queue,
    input  wire any_read,
    input  wire any_read_queue,
    output wire bad
);
    reg running;                      // 0 in the first clock
    initial running = 1'b0;
    always @(posedge clk) running <= 1'b1;

    (* hierconn *) wire       \queues.accept , \queues.take , \queues.give ;
    (* hierconn *) wire [1:0] \queues.block , \queues.some ;
    (* hierconn *) wire [2:0] \queues.stacked , \queues.fresh ;
    (* hierconn *) wire [1:0] \queues.head[0] , \queues.head[1] , \queues.tail[0] , \queues.tail[1] ;
    (* hierconn *) wire       \queues.head_place[0] , \queues.head_place[1] , \queues.tail_place[0] ,
                              \queues.tail_place[1] ;
    (* hierconn *) wire [1:0] \queues.next[0] , \queues.next[1] , \queues.next[2] , \queues.next[3] ;
    (* hierconn *) wire [1:0] \queues.stack[0] , \queues.stack[1] , \queues.stack[2] , \queues.stack[3] ;
    wire [3:0] heads = {\queues.head[1] , \queues.head[0] };
    wire [3:0] tails = {\queues.tail[1] , \queues.tail[0] };
    wire [1:0] head_places = {\queues.head_place[1] , \queues.head_place[0] };
    wire [1:0] tail_places = {\queues.tail_place[1] , \queues.tail_place[0] };
    wire [7:0] nexts = {\queues.next[3] , \queues.next[2] , \queues.next[1] , \queues.next[0] };
    wire [7:0] stack = {\queues.stack[3] , \queues.stack[2] , \queues.stack[1] , \queues.stack[0] };

    // ---- words of a queue; its blocks have numbers, from `first` on, `blocks` of them: block b has `number` if
    // `used`, in queue `owner`
    (* mem2reg *) reg [3:0] words  [0:1];
    (* mem2reg *) reg [2:0] first  [0:1];
    (* mem2reg *) reg [2:0] blocks [0:1];
    (* mem2reg *) reg [2:0] number [0:3];
    reg  [3:0] used, owner;
    wire       write = any_write && running;
    wire       read  = any_read && running && words[any_read_queue] != 4'd0;
    wire [1:0] front = heads[2*any_read_queue +: 2];
    integer    i;
    always @(posedge clk)
        if (!running) begin
            used <= 4'd0;
            for (i = 0; i < 2; i = i + 1) {words[i], first[i], blocks[i]} <= 10'd0;
        end else begin
            for (i = 0; i < 2; i = i + 1) begin
                words[i]  <= words[i] + {3'd0, \queues.accept && any_write_queue == i}
                             - {3'd0, read && any_read_queue == i};
                first[i]  <= first[i] + {2'd0, \queues.give && any_read_queue == i};
                blocks[i] <= blocks[i] + {2'd0, \queues.take && any_write_queue == i}
                             - {2'd0, \queues.give && any_read_queue == i};
            end
            for (i = 0; i < 4; i = i + 1)
                if (\queues.take && \queues.block == i) begin
                    used[i]   <= 1'b1;
                    owner[i]  <= any_write_queue;
                    number[i] <= first[any_write_queue] + blocks[any_write_queue];
                end else if (\queues.give && front == i) used[i] <= 1'b0;
        end

    wire overflow, underflow;
    pm_queues #(.QUEUES(2), .WIDTH(1), .LOG2_BLOCK(1), .BLOCKS(4)) queues (
        .clk (clk), .rst (!running), .write (write), .write_queue (any_write_queue), .write_word (1'b0),
        .write_flag (1'b0), .read (read), .read_queue (any_read_queue), .overflow (overflow), .underflow (underflow)
    );

    // ---- lemmas
    reg        lists, frees, counts;
    reg  [2:0] of;
    reg  [3:0] stored;                // blocks in `stack`
    reg  [4:0] reach;                 // of the words of a queue, from the start of its first block on
    integer    q, b, c;
    always @* begin
        lists  = 1'b1;
        frees  = 1'b1;
        counts = 1'b1;
        of     = 3'd0;
        reach  = 5'd0;
        stored = 4'd0;
        for (q = 0; q < 2; q = q + 1) begin
            of = 3'd0;
            for (b = 0; b < 4; b = b + 1)
                if (used[b] && owner[b] == q) begin
                    of    = of + 3'd1;
                    lists = lists && number[b] - first[q] < blocks[q]
                            && (number[b] - first[q] == 3'd0) == (heads[2*q +: 2] == b)
                            && (number[b] - first[q] == blocks[q] - 3'd1) == (tails[2*q +: 2] == b);
                    for (c = 0; c < 4; c = c + 1)
                        if (c != b && used[c] && owner[c] == q)
                            lists = lists && number[c] != number[b]
                                    && (number[c] == number[b] + 3'd1) == (nexts[2*b +: 2] == c
                                    && number[b] - first[q] != blocks[q] - 3'd1);
                end
            reach  = {1'b0, words[q]} + {4'd0, head_places[q]};
            counts = counts && of == blocks[q] && \queues.some [q] == (of != 3'd0) && tail_places[q] == reach[0]
                     && {2'd0, blocks[q]} == (reach + 5'd1) >> 1;
        end
        for (b = 0; b < 4; b = b + 1) begin
            if (b[2:0] < \queues.stacked ) begin
                frees = frees && !stored[stack[2*b +: 2]];
                stored[stack[2*b +: 2]] = 1'b1;
            end
        end
        for (b = 0; b < 4; b = b + 1) frees = frees && stored[b] == (b[2:0] < \queues.fresh && !used[b]);
        frees = frees && \queues.fresh <= 3'd4 && \queues.stacked + blocks[0] + blocks[1] == \queues.fresh ;
    end

    wire lost = write && !\queues.accept ;
    assign bad = running && ((LEMMAS != 0 && !(lists && frees && counts)) || (lost && blocks[0] + blocks[1] != 3'd4)
                             || underflow || (\queues.take && used[\queues.block ])
                             || (\queues.give && \queues.stacked == 3'd4 && !\queues.take ));
endmodule
`default_nettype wire
