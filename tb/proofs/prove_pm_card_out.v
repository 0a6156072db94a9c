// Proof of pm_card_out, of two inputs and packets of 3 words: `bad` is never high, whatever arrives, words mixed:
//
//   words    the memory has MOST_WORDS - 1 words of each queue at most, and one. In blocks of n words that takes (words
//            + 2 * n - 2) / n of each queue at most (prove_pm_queues): less than BLOCKS, MOST_WORDS / 64 rounded up,
//            and 2, of each queue
//
// Reason: no word is read in a clock only if no packet may start, so each queue has less than one packet.
//
// Assumed: a packet has MOST_WORDS at most, and the remainder of it is sure with its last word, if not before; it comes
// without a gap then (pm_column: out_sure). The queues are a model of pm_queues (an edit), of what they hold.
`default_nettype none
module prove_pm_card_out #(
    parameter PRIORITIES = 1,
    parameter MULTICAST  = 0,
    parameter MOST_WORDS = 3,
    // words less than are claimed
    parameter LESS       = 0
) (
    input  wire clk,
    input  wire any_valid,
    input  wire any_input,
    input  wire any_priority,
    input  wire any_multicast,
    input  wire any_end,
    input  wire any_sure,
    output wire bad
);
    localparam QUEUES = 2 * PRIORITIES * (1 + MULTICAST);
    localparam [31:0] PACKET = MOST_WORDS;
    localparam [31:0] MOST   = QUEUES * (MOST_WORDS - 1) + 1 - LESS;

    reg running;                      // 0 in the first clock
    initial running = 1'b0;
    always @(posedge clk) running <= 1'b1;

    // ---- packets: words of each that have come; is its remainder sure
    (* mem2reg *) reg [2:0] came [0:7];
    reg  [7:0] sure;
    wire [2:0] goes_on = {|sure[7:4], |(sure & 8'hcc), |(sure & 8'haa)};
    wire [2:0] queue = |sure ? goes_on : {any_multicast && MULTICAST != 0, any_priority && PRIORITIES == 2, any_input};
    wire       valid = (any_valid || |sure) && running;
    wire       last  = any_end || came[queue] == PACKET[2:0] - 3'd1;
    wire       is_sure = last || sure[queue] || any_sure;
    integer    i;
    always @(posedge clk)
        if (!running) begin
            sure <= 8'd0;
            for (i = 0; i < 8; i = i + 1) came[i] <= 3'd0;
        end else if (valid) begin
            sure[queue] <= is_sure && !last;
            came[queue] <= last ? 3'd0 : came[queue] + 3'd1;
        end

    pm_card_out #(.PORTS(2), .MOST_WORDS(MOST_WORDS), .PRIORITIES(PRIORITIES), .MULTICAST(MULTICAST)) card (
        .clk (clk), .rst (!running), .in_valid (valid), .in_input (queue[0]), .in_priority (queue[1]),
        .in_multicast (queue[2]), .in_end (last), .in_sure (is_sure), .in_word (64'd0)
    );

    (* hierconn *) wire [$clog2(64 * QUEUES * 3 + 1)-1:0] \card.queued.level ;
    assign bad = running && \card.queued.level > MOST;
endmodule

// A model of pm_queues: marks of words, the oldest one in the lowest bit, and a bit above the youngest one.
module any_pm_queues #(
    parameter QUEUES = 16,
    parameter WIDTH = 64,
    parameter LOG2_BLOCK = 6,
    parameter BLOCKS = 32
) (
    input  wire                      clk,
    input  wire                      rst,
    input  wire                      write,
    input  wire [$clog2(QUEUES)-1:0] write_queue,
    input  wire [WIDTH-1:0]          write_word,
    input  wire                      write_flag,
    input  wire                      read,
    input  wire [$clog2(QUEUES)-1:0] read_queue,
    output wire                      read_flag,
    output wire [WIDTH-1:0]          read_word,
    output wire                      overflow,
    output wire                      underflow
);
    localparam PLACES = 8;
    reg [PLACES-1:0] marks [0:QUEUES-1];
    reg [PLACES-1:0] next;
    integer q;
    integer b;
    wire [PLACES-1:0] front = marks[read_queue];
    assign read_flag = front[0];
    assign {read_word, overflow, underflow} = 0;
    always @(posedge clk)
        for (q = 0; q < QUEUES; q = q + 1) begin
            next = marks[q];
            if (read && read_queue == q && next != 1) next = next >> 1;
            if (write && write_queue == q)
                for (b = PLACES - 1; b >= 0; b = b - 1)
                    if (next >> b == 1) next = (next & ~(1 << b)) | ({write_flag} << b) | (2 << b);
            marks[q] <= rst ? 1 : next;
        end
endmodule
`default_nettype wire
