// Crosspoint buffer: show-ahead FIFO of packets between an input's clock and an output's, one block memory (S1 3.2.2).
// Default module of the plug-in point "crosspoint"; contract: rtl/switch/contracts.md.
//
//     wr_valid    _/~~~~~~~~~~~~~~~~~~~~~~~\_____    one word per write clock, or fewer
//     wr_start    _/~\___________________________    with the first word of a packet
//     wr_end      _______________________/~\_____    with the last one
//     arrived     ____________/~\________________    read clock: a packet has begun to arrive
//     rd_valid    _______________/~~~~~~~~~~~~~~~    one clock after `arrived`
//
// Without a word `rd_data` and its flags are 0 (the reset of the memory's output register), so a column needs no gates.
//
// Both sides run at one word per clock. The read side sees each word as soon as it is written, so a packet may leave
// while it still arrives: from the clock after `arrived` on its words show one per write clock.
//
// It holds 2**LOG2_WORDS - 1 words, which is enough: a packet counts one unit more than it has words, and at most
// 2**LOG2_WORDS units are admitted. Writing into a full one destroys its content; `overflow` reports it.
//
// Latency: a word written in clock n shows (SAME_CLOCK) in n + 2, `arrived` in n + 1; with two clocks 2 to 3 and 1 to 2
// read clocks after the edge that ends n. Words freed on the read side count as free space on the other 1 clock later,
// or (two clocks) 1 read clock and 2 to 3 write clocks.
`default_nettype none
module crosspoint #(
    // log2 of the memory's words, 4..12
    parameter LOG2_WORDS = 9,
    // 1: wr_clk and rd_clk are the same clock
    parameter SAME_CLOCK = 0
) (
    // input's side
    input  wire                wr_clk,
    input  wire                wr_rst,
    input  wire                wr_valid,      // a word, in any clock
    input  wire                wr_start,      // first word of a packet
    input  wire                wr_end,        // last word of a packet
    input  wire                wr_poisoned,   // with wr_end: words are missing, the body CRC must be made wrong
    input  wire [31:0]         wr_data,
    output wire [LOG2_WORDS:0] wr_space,     // free words; never too high
    output reg                 overflow,     // event

    // output's side
    input  wire                rd_clk,
    input  wire                rd_rst,
    output wire                arrived,      // one read clock for each packet, after its first word has been written
    output reg                 rd_valid,     // the next word; it and its flags are 0 without one
    output wire                rd_end,
    output wire                rd_poisoned,
    output wire [31:0]         rd_data,
    input  wire                rd_pop,       // takes the word; without rd_valid it is ignored and raises `underflow`
    output wire [LOG2_WORDS:0] occupancy,    // words on this side; never too high
    output reg                 underflow     // event
);
    localparam [LOG2_WORDS-1:0] ONE  = {{LOG2_WORDS-1{1'b0}}, 1'b1};
    localparam [LOG2_WORDS-1:0] FULL = {LOG2_WORDS{1'b1}};

    initial
        if (LOG2_WORDS < 4 || LOG2_WORDS > 12 || (SAME_CLOCK != 0 && SAME_CLOCK != 1)) begin
            $display("%m: LOG2_WORDS must be 4..12, is %0d; SAME_CLOCK 0 or 1, is %0d", LOG2_WORDS, SAME_CLOCK);
            $finish;
        end

    reg  [33:0]           memory [0:(1 << LOG2_WORDS)-1];
    reg  [33:0]           head;
    reg  [LOG2_WORDS-1:0] wr_pointer;     // next word to write
    reg  [LOG2_WORDS-1:0] rd_pointer;     // the word shown
    wire [LOG2_WORDS-1:0] wr_next      = wr_pointer + ONE;
    wire [LOG2_WORDS-1:0] rd_next      = rd_pointer + {{LOG2_WORDS-1{1'b0}}, rd_pop && rd_valid};
    wire [LOG2_WORDS-1:0] rd_at_wr;       // rd_pointer as the write side knows it
    wire [LOG2_WORDS-1:0] wr_at_rd;       // wr_pointer as the read side knows it
    wire                  rd_more;        // rd_next is not wr_at_rd
    wire                  full;           // wr_next is rd_at_wr

    // ---- write side
    assign wr_space = {1'b0, FULL - (wr_pointer - rd_at_wr)};

    always @(posedge wr_clk)
        if (wr_valid)
            memory[wr_pointer] <= {wr_poisoned, wr_end, wr_data};

    always @(posedge wr_clk)
        if (wr_rst) begin
            wr_pointer <= {LOG2_WORDS{1'b0}};
            overflow   <= 1'b0;
        end else begin
            overflow <= wr_valid && full;
            if (wr_valid)
                wr_pointer <= wr_next;
        end

    // ---- read side
    wire [LOG2_WORDS-1:0] rd_count = wr_at_rd - rd_pointer;
    assign occupancy = {1'b0, rd_count};
    assign {rd_poisoned, rd_end, rd_data} = head;

    always @(posedge rd_clk)
        if (!rd_more) head <= 34'd0;
        else          head <= memory[rd_next];

    always @(posedge rd_clk)
        if (rd_rst) begin
            rd_pointer <= {LOG2_WORDS{1'b0}};
            rd_valid   <= 1'b0;
            underflow  <= 1'b0;
        end else begin
            rd_pointer <= rd_next;
            rd_valid   <= rd_more;
            underflow  <= rd_pop && !rd_valid;
        end

    // ---- between them
    sync_pulse #(.SAME_CLOCK(SAME_CLOCK)) start_crossing (
        .src_clk (wr_clk), .src_rst (wr_rst), .src_pulse (wr_valid && wr_start), .dst_clk (rd_clk), .dst_rst (rd_rst),
        .dst_pulse (arrived)
    );

    generate
        if (SAME_CLOCK != 0) begin : same
            assign rd_at_wr = rd_pointer;
            assign wr_at_rd = wr_pointer;
            assign rd_more  = (rd_next != wr_pointer);
            assign full     = (wr_next == rd_pointer);
        end else begin : crossing
            reg  [LOG2_WORDS-1:0] wr_gray;
            reg  [LOG2_WORDS-1:0] rd_gray;
            wire [LOG2_WORDS-1:0] wr_next_gray = wr_next ^ (wr_next >> 1);
            wire [LOG2_WORDS-1:0] wr_gray_at_rd;
            wire [LOG2_WORDS-1:0] rd_gray_at_wr;

            always @(posedge wr_clk)
                if (wr_rst)        wr_gray <= {LOG2_WORDS{1'b0}};
                else if (wr_valid) wr_gray <= wr_next_gray;
            always @(posedge rd_clk)
                if (rd_rst) rd_gray <= {LOG2_WORDS{1'b0}};
                else        rd_gray <= rd_next ^ (rd_next >> 1);

            sync_bit #(.WIDTH(LOG2_WORDS)) to_reader (.clk (rd_clk), .rst (rd_rst), .in (wr_gray),
                                                      .out (wr_gray_at_rd));
            sync_bit #(.WIDTH(LOG2_WORDS)) to_writer (.clk (wr_clk), .rst (wr_rst), .in (rd_gray),
                                                      .out (rd_gray_at_wr));
            gray_to_binary #(.WIDTH(LOG2_WORDS)) wr_binary (.gray (wr_gray_at_rd), .binary (wr_at_rd));
            gray_to_binary #(.WIDTH(LOG2_WORDS)) rd_binary (.gray (rd_gray_at_wr), .binary (rd_at_wr));
            assign rd_more = ((rd_next ^ (rd_next >> 1)) != wr_gray_at_rd);
            assign full    = (wr_next_gray == rd_gray_at_wr);
        end
    endgenerate

    // ---- measuring, each side by its own clock
    wire                wr_probe_busy       = wr_valid;
    wire                wr_probe_stall_full = full;
    wire                wr_probe_start      = wr_valid && wr_start;
    wire                wr_probe_done       = wr_valid && wr_end;
    wire [LOG2_WORDS:0] wr_probe_level      = {1'b0, wr_pointer - rd_at_wr};
    wire                rd_probe_busy       = rd_valid;
    wire                rd_probe_stall_link = rd_valid && !rd_pop;
    wire                rd_probe_start      = arrived;
    wire                rd_probe_done       = rd_valid && rd_pop && rd_end;
    wire [LOG2_WORDS:0] rd_probe_level      = occupancy;
endmodule
`default_nettype wire
