// Line card of the bufferless crossbar, way in: a VOQ for each output, of packets that are sent cell by cell.
`default_nettype none
module pm_iq_card #(
    parameter PORTS       = 16,          // 2..16
    parameter CELL_WORDS  = 8,           // 3..64
    parameter MOST_WORDS  = 1024,        // longest packet, 2..4096
    parameter VOQ_WORDS   = 8192,        // `line_full` from here on
    parameter VOQ_BLOCKS  = 4096,        // memory of all VOQs, blocks of 64 words
    parameter VOQ_PACKETS = 16384,       // packets in a VOQ, a power of 2
    // computed, not to be set
    parameter PW          = $clog2(PORTS)
) (
    input  wire             clk,
    input  wire             rst,

    // the line, as in pm_card_in
    input  wire             line_valid,
    input  wire             line_first,
    input  wire [PW-1:0]    line_output,
    input  wire [12:0]      line_words,
    input  wire [63:0]      line_word,
    output reg  [PORTS-1:0] line_full,
    input  wire             line_held,
    input  wire             line_release,
    input  wire [PW-1:0]    release_output,

    // the crossbar
    output wire [PORTS-1:0] request,     // a packet waits
    output wire             busy,        // a packet that goes on behind this cell is being sent
    input  wire             starts,      // a packet is sent from this clock on, the first of a cell, to ...
    input  wire [PW-1:0]    starts_output,
    input  wire             continues,   // the next cell of the packet, from this clock on

    output reg              link_valid,
    output reg              link_first,  // of a packet
    output reg              link_last,
    output reg  [PW-1:0]    link_output,
    output wire [63:0]      link_word,
    output reg              error_line   // as in pm_card_in
);
    localparam RING = $clog2(VOQ_PACKETS);
    localparam [31:0] MOST = MOST_WORDS;
    localparam [31:0] FULL = VOQ_WORDS;
    localparam [31:0] A_CELL = CELL_WORDS;

    initial
        if (PORTS < 2 || PORTS > 16 || CELL_WORDS < 3 || CELL_WORDS > 64 || MOST_WORDS < 2 || MOST_WORDS > 4096) begin
            $display("%m: PORTS must be 2..16, CELL_WORDS 3..64, MOST_WORDS 2..4096; are %0d, %0d, %0d", PORTS,
                     CELL_WORDS, MOST_WORDS);
            $finish;
        end else if ((1 << RING) != VOQ_PACKETS || VOQ_PACKETS <= VOQ_WORDS || VOQ_WORDS < 1) begin
            $display("%m: VOQ_PACKETS must be a power of 2 and more than VOQ_WORDS, which must be 1 at least; ",
                     "they are %0d, %0d", VOQ_PACKETS, VOQ_WORDS);
            $finish;
        end

    reg [12:0]     sizes    [0:PORTS*VOQ_PACKETS-1];
    (* mem2reg *) reg [RING-1:0] size_in  [0:PORTS-1];
    reg [RING-1:0] size_out [0:PORTS-1];
    (* mem2reg *) reg [23:0]     words    [0:PORTS-1];          // that wait
    reg [12:0]     coming;
    reg [PW-1:0]   coming_output;
    wire           first     = line_valid && line_first;
    wire [RING-1:0] next_size = size_in[line_output] + 1'b1;
    wire           refused   = first && (next_size == size_out[line_output] || line_words == 0
                                         || line_words > MOST[12:0]);
    wire           arrived   = first && !refused;
    (* mem2reg *) reg [RING-1:0] size_held [0:PORTS-1];
    wire           counts       = line_held ? line_release : arrived;
    wire [PW-1:0]  count_output = line_held ? release_output : line_output;
    wire [12:0]    count_words  = line_held ? sizes[{release_output, size_held[release_output]}] : line_words;
    wire           both         = counts && starts && count_output == starts_output;
    reg            counted;                       // in the clock before a VOQ became longer, ...
    reg [PW-1:0]   counted_output;
    reg            started;                       // ... shorter: the one of `flow`
    wire           unused_flag;
    wire           lost;
    wire           empty;

    reg [12:0]     left;                          // words of the packet that is sent
    reg [6:0]      cell_left;                     // ... and of the cell, the one of this clock counted
    reg [PW-1:0]   flow;
    wire [PW-1:0]  output_now = starts ? starts_output : flow;
    wire [12:0]    left_now   = starts ? sizes[{starts_output, size_out[starts_output]}] : left;
    wire           fetch      = (left_now != 0) && (starts || continues || cell_left != 0);

    reg  [PORTS-1:0] some;
    assign request = some;
    assign busy    = (left > {6'd0, cell_left});

    integer i;
    always @(posedge clk) begin
        if (arrived) sizes[{line_output, size_in[line_output]}] <= line_words;
        link_first  <= starts;
        link_last   <= (left_now == 13'd1);
        link_output <= output_now;
        counted_output <= count_output;
    end
    always @(posedge clk)
        if (rst) begin
            coming     <= 13'd0;
            left       <= 13'd0;
            cell_left  <= 7'd0;
            link_valid <= 1'b0;
            error_line <= 1'b0;
            some       <= {PORTS{1'b0}};
            line_full  <= {PORTS{1'b0}};
            counted    <= 1'b0;
            started    <= 1'b0;
            for (i = 0; i < PORTS; i = i + 1) begin
                size_in[i]  <= 0;
                size_out[i] <= 0;
                size_held[i] <= 0;
                words[i]    <= 24'd0;
            end
        end else begin
            if (first) begin
                coming        <= arrived ? line_words - 1'b1 : 0;
                coming_output <= line_output;
            end else if (coming != 0) coming <= coming - 1'b1;
            error_line <= refused || lost || empty || (coming != 0 && !line_valid) || (first && coming != 0) ||
                          (line_valid && !line_first && coming == 0);
            if (arrived) size_in[line_output] <= next_size;
            if (counts && line_held) size_held[count_output] <= size_held[count_output] + 1'b1;
            if (starts) size_out[starts_output] <= size_out[starts_output] + 1'b1;
            if (counts) begin
                words[count_output] <= words[count_output] + {11'd0, count_words} - (both ? {11'd0, left_now} : 24'd0);
                some[count_output]  <= 1'b1;
            end
            if (starts && !both) begin
                words[starts_output] <= words[starts_output] - {11'd0, left_now};
                some[starts_output]  <= (words[starts_output] != {11'd0, left_now});
            end
            counted <= counts;
            started <= starts;
            if (counted) line_full[counted_output] <= (words[counted_output] >= FULL[23:0]);
            if (started) line_full[flow]           <= (words[flow] >= FULL[23:0]);
            link_valid <= fetch;
            flow       <= output_now;
            left       <= fetch ? left_now - 13'd1 : left_now;
            cell_left  <= (starts || continues) ? A_CELL[6:0] - 7'd1 : (cell_left != 0) ? cell_left - 7'd1 : 7'd0;
        end

    pm_queues #(.QUEUES(PORTS), .WIDTH(64), .LOG2_BLOCK(6), .BLOCKS(VOQ_BLOCKS)) voqs (
        .clk (clk), .rst (rst), .write (line_valid && !refused),
        .write_queue (line_first ? line_output : coming_output), .write_word (line_word), .write_flag (1'b0),
        .read (fetch), .read_queue (output_now), .read_flag (unused_flag), .read_word (link_word), .overflow (lost),
        .underflow (empty)
    );
endmodule
`default_nettype wire
