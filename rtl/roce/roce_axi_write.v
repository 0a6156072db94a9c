// Writes pieces of a stream to memory through the write channels of an AXI4 master, each at any byte address.
//
// A command says where `cmd_length` bytes go and at which byte of their first data word they begin (`cmd_skip`; bytes
// before it in that word are ignored). The data arrive in the order of the commands, ceil((skip + length) / BYTES)
// words each; bytes behind the last one are ignored. Bytes are rotated to their address; first and last beat have
// strobes.
//
// Bursts (AXI4 A3.4.1): INCR, aligned to BYTES, cut at 4 KB boundaries; with 8 bytes at 2 KB boundaries, because a
// burst has at most 256 beats. Up to OUTSTANDING bursts wait for their answers. A word of a burst never shows before
// its address does; it does not wait for the address to be taken.
//
// `done` is high for one clock for each command, in order, after the last answer (B) of its bursts; with `done_error`
// one of them was not OKAY. Latency: command to address 2 clocks, data word to beat 1 clock, or 2 if the beat also
// needs the word behind. A command takes as many clocks as it has data words or beats, whichever are more; sometimes
// one more, if the one before ended with all of its last word and this one's first beat needs two.
`default_nettype none
module roce_axi_write #(
    // bytes per word and per beat, 8 or 64
    parameter BYTES = 8,
    // bursts that wait for their answers, a power of two, 2..128
    parameter OUTSTANDING = 16
) (
    input  wire                     clk,
    input  wire                     rst,
    // commands and data
    input  wire                     cmd_valid,
    output wire                     cmd_ready,
    input  wire [31:0]              cmd_addr,
    input  wire [12:0]              cmd_length,   // bytes, 1..4352
    input  wire [$clog2(BYTES)-1:0] cmd_skip,     // byte of the first data word where it begins
    input  wire                     data_valid,
    output wire                     data_ready,
    input  wire [8*BYTES-1:0]       data,         // byte 0 in bits 7:0
    output reg                      done_valid,   // one clock: the oldest command is in memory
    output reg                      done_error,   // ... or some of it is not
    // AXI4
    output reg                      awvalid,
    input  wire                     awready,
    output reg  [31:0]              awaddr,
    output reg  [7:0]               awlen,
    output reg                      wvalid,
    input  wire                     wready,
    output reg  [8*BYTES-1:0]       wdata,
    output reg  [BYTES-1:0]         wstrb,
    output reg                      wlast,
    input  wire                     bvalid,
    output wire                     bready,
    input  wire [1:0]               bresp
);
    localparam L             = $clog2(BYTES);
    localparam PAGE          = (BYTES == 8) ? 11 : 12;   // a burst ends where this many bits of the address are ones
    localparam B             = PAGE - L;                 // bits of a beat's number in its page
    localparam COUNT         = 14 - L;                   // bits of a count of words
    localparam LOG2_BURSTS   = $clog2(OUTSTANDING);
    localparam LOG2_COMMANDS = 3;

    initial
        if ((BYTES != 8 && BYTES != 64) || OUTSTANDING < 2 || OUTSTANDING > 128
            || (1 << LOG2_BURSTS) != OUTSTANDING) begin
            $display("%m: BYTES must be 8 or 64, is %0d, OUTSTANDING a power of two from 2 to 128, is %0d", BYTES,
                     OUTSTANDING);
            $finish;
        end

    // ---- commands wait twice: for the addresses and for the data
    wire a_ready, a_valid, a_take, d_ready, d_valid, d_take;
    wire [31:0] a_addr;
    wire [12:0] a_length, d_length;
    wire [PAGE-1:0] d_addr;
    wire [L-1:0] d_skip;
    wire accept = cmd_valid && cmd_ready;

    assign cmd_ready = a_ready && d_ready;

    roce_queue #(.WIDTH(45), .LOG2_DEPTH(LOG2_COMMANDS)) addresses (
        .clk (clk), .rst (rst),
        .in_valid (accept), .in_ready (a_ready), .in_data ({cmd_addr, cmd_length}),
        .out_valid (a_valid), .out_ready (a_take), .out_data ({a_addr, a_length})
    );
    roce_queue #(.WIDTH(PAGE+13+L), .LOG2_DEPTH(LOG2_COMMANDS)) pieces (
        .clk (clk), .rst (rst),
        .in_valid (accept), .in_ready (d_ready), .in_data ({cmd_addr[PAGE-1:0], cmd_length, cmd_skip}),
        .out_valid (d_valid), .out_ready (d_take), .out_data ({d_addr, d_length, d_skip})
    );

    // ---- addresses: a burst each clock at most
    wire              bursts_room;
    reg               cut;              // the oldest command has been cut: `next_page` is where it goes on
    reg  [31-PAGE:0]  next_page;
    reg  [12:0]       left;             // bytes from there on
    wire [31:0]       from     = cut ? {next_page, {PAGE{1'b0}}} : a_addr;
    wire [12:0]       bytes    = cut ? left : a_length;
    wire [13:0]       end_byte = {{14-PAGE{1'b0}}, from[PAGE-1:0]} + {1'b0, bytes};    // of the byte behind the last
    wire              crosses  = end_byte > (14'd1 << PAGE);
    wire [13:0]       last     = end_byte - 14'd1;
    wire [B-1:0]      last_beat = crosses ? {B{1'b1}} : last[PAGE-1:L];
    wire [B-1:0]      length   = last_beat - from[PAGE-1:L];
    wire              issue    = a_valid && bursts_room && (!awvalid || awready);

    assign a_take = issue && !crosses;

    always @(posedge clk)
        if (rst) begin
            awvalid <= 1'b0;
            cut     <= 1'b0;
        end else begin
            awvalid <= issue || (awvalid && !awready);
            if (issue) cut <= crosses;
        end
    always @(posedge clk)
        if (issue) begin
            awaddr    <= {from[31:L], {L{1'b0}}};
            awlen     <= {{8-B{1'b0}}, length};
            next_page <= from[31:PAGE] + {{31-PAGE{1'b0}}, 1'b1};
            left      <= end_byte[12:0] - (13'd1 << PAGE);
        end

    // ---- answers: one bit for each burst, is it the last one of its command?
    wire burst_last, burst_waits;
    reg  failed;

    assign bready = 1'b1;
    roce_queue #(.WIDTH(1), .LOG2_DEPTH(LOG2_BURSTS)) bursts (
        .clk (clk), .rst (rst),
        .in_valid (issue), .in_ready (bursts_room), .in_data (!crosses),
        .out_valid (burst_waits), .out_ready (bvalid), .out_data (burst_last)
    );
    always @(posedge clk)
        if (rst) begin
            done_valid <= 1'b0;
            done_error <= 1'b0;
            failed     <= 1'b0;
        end else begin
            done_valid <= bvalid && burst_last && burst_waits;
            done_error <= failed || bresp != 2'b00;
            if (bvalid) failed <= !burst_last && (failed || bresp != 2'b00);
        end

    // ---- data: a beat is made of the word before (`kept`) and the arriving word, or of one of them
    //
    //   skip >  offset   beat b has bytes of words b (kept) and b + 1
    //   skip <= offset   beat b has bytes of words b - 1 (kept, none if skip is offset) and b; beat 0 of word 0 only,
    //                    wherever that is
    //
    // The last beat often needs only the kept word: the first word of the next command is taken then.
    reg  [LOG2_BURSTS:0] shown;         // bursts whose address shows and whose data have not begun
    reg  [COUNT-1:0]     beat;          // beats of the oldest command
    reg  [8*BYTES-1:0]   kept;
    reg                  holds;         // `kept` has bytes that are still to be written
    wire [L-1:0]         offset     = d_addr[L-1:0];
    wire [L-1:0]         move       = d_skip - offset;             // bytes to the right
    wire                 later      = offset >= d_skip;
    wire [13:0]          last_out   = {{14-L{1'b0}}, offset} + {1'b0, d_length} - 14'd1;
    wire [13:0]          last_in    = {{14-L{1'b0}}, d_skip} + {1'b0, d_length} - 14'd1;
    wire [B-1:0]         place      = d_addr[PAGE-1:L] + beat[B-1:0];
    wire                 first      = beat == {COUNT{1'b0}};
    wire                 begins     = first || place == {B{1'b0}};
    wire                 ends       = beat == last_out[13:L];
    wire                 free       = (!wvalid || wready) && (!begins || shown != {LOG2_BURSTS+1{1'b0}});
    wire                 has_first  = later && first && holds;     // word 0 is kept already, and stays for beat 1
    wire [COUNT-1:0]     to_come    = beat + {{COUNT-1{1'b0}}, !later};
    wire                 needs      = !has_first && to_come <= last_in[13:L];
    wire                 starts     = holds || (later && first);
    wire                 put        = d_valid && starts && free && (!needs || data_valid);
    wire                 take       = data_valid && data_ready;
    wire [BYTES-1:0]     from_kept  = has_first ? {BYTES{1'b1}} : move == {L{1'b0}} ? {BYTES{1'b0}}
                                      : {BYTES{1'b1}} << move;
    wire [BYTES-1:0]     not_before = first ? {BYTES{1'b1}} << offset : {BYTES{1'b1}};
    wire [BYTES-1:0]     not_behind = ends ? {BYTES{1'b1}} >> ~last_out[L-1:0] : {BYTES{1'b1}};
    reg  [8*BYTES-1:0]   mixed;
    wire [L+2:0]         move_bits  = {move, 3'b000};
    wire [16*BYTES-1:0]  moved      = {mixed, mixed} >> move_bits;

    assign data_ready = d_valid && (!starts || (free && (needs || ends)));
    assign d_take     = put && ends;

    integer i;
    always @*
        for (i = 0; i < BYTES; i = i + 1)
            mixed[8*i +: 8] = from_kept[i] ? kept[8*i +: 8] : data[8*i +: 8];
    always @(posedge clk) begin
        if (take) kept <= data;
        if (put) begin
            wdata <= moved[8*BYTES-1:0];
            wstrb <= not_before & not_behind;
            wlast <= ends || place == {B{1'b1}};
        end
    end
    always @(posedge clk)
        if (rst) begin
            wvalid <= 1'b0;
            holds  <= 1'b0;
            beat   <= {COUNT{1'b0}};
            shown  <= {LOG2_BURSTS+1{1'b0}};
        end else begin
            wvalid <= put || (wvalid && !wready);
            shown  <= shown + {{LOG2_BURSTS{1'b0}}, issue} - {{LOG2_BURSTS{1'b0}}, put && begins};
            holds  <= take ? !(d_take && needs) : holds && !d_take;
            if (put) beat <= ends ? {COUNT{1'b0}} : beat + {{COUNT-1{1'b0}}, 1'b1};
        end

    wire unused = &{1'b0, last[13:PAGE], last[L-1:0], last_in[L-1:0], moved[16*BYTES-1:8*BYTES], end_byte[13]};

    // ---- measuring
    wire probe_busy          = a_valid || d_valid || burst_waits;
    wire probe_stall_memory  = wvalid && !wready;
    wire probe_stall_answers = a_valid && !bursts_room;
    wire probe_start         = accept;
    wire probe_done          = done_valid;
endmodule
`default_nettype wire
