// The port to external memory, shared by the bodies of the VOQs and the window of the host.
//
// One access per clock. A request that the memory does not take (`mem_ready` low) has no effect; the next clock may
// show another one. The window goes first, but not in the GAP clocks after its last access, so it waits a bounded time
// and cannot take the port away. Reads are answered in order; at most 16 are outstanding. Words of the bodies are 72
// bits: bits [71:64] are the tag byte, enabled by bit 8 of `mem_be`, which the window neither reads nor writes.
`default_nettype none
module voq_memory #(
    // log2 of the window [bytes], 12..27
    parameter BAR0_BITS = 27,
    // bits of the address of a word of the bodies, at most BAR0_BITS - 3
    parameter WORD_BITS = 18,
    // clocks after a window access in which the window must wait, 1..7
    parameter GAP = 3
) (
    input  wire                 clk,
    input  wire                 rst,

    // ---- bodies
    input  wire                 body_write,
    input  wire                 body_read,       // never with body_write
    input  wire [WORD_BITS-1:0] body_addr,
    input  wire [71:0]          body_wdata,
    output wire                 body_taken,      // one clock: the memory has taken the access
    output wire                 body_rvalid,     // in the order of the reads
    output wire [71:0]          body_rdata,

    // ---- window: held until acknowledged
    input  wire                 win_req,
    input  wire                 win_we,
    input  wire [BAR0_BITS-1:3] win_addr,
    input  wire [63:0]          win_wdata,
    input  wire [7:0]           win_be,
    output wire                 win_ack,
    output wire [63:0]          win_rdata,

    // ---- external memory
    output wire                 mem_valid,       // held until mem_ready
    output wire                 mem_we,
    output wire [BAR0_BITS-1:3] mem_addr,
    output wire [71:0]          mem_wdata,
    output wire [8:0]           mem_be,
    input  wire                 mem_ready,
    input  wire                 mem_rvalid,
    input  wire [71:0]          mem_rdata,

    output wire                 waiting,         // for a word of the window
    output wire                 unexpected       // an unexpected answer
);
    localparam [31:0] GAP_CLOCKS = GAP;

    initial begin
        if (BAR0_BITS < 12 || BAR0_BITS > 27 || WORD_BITS > BAR0_BITS - 3) begin
            $display("%m: bodies of 2**%0d words do not fit into a memory of 2**%0d bytes (BAR0_BITS 12..27)",
                     WORD_BITS, BAR0_BITS);
            $finish;
        end
        if (GAP < 1 || GAP > 7) begin
            $display("%m: GAP must be 1..7, is %0d", GAP);
            $finish;
        end
    end

    reg [4:0] outstanding;        // reads of both
    reg       win_waiting;        // the window has requested a word,
    reg [4:0] win_behind;         // ... and this many answers precede it
    reg [2:0] gap;

    wire more_reads = !outstanding[4];
    wire window     = win_req && !win_waiting && (gap == 3'd0) && (win_we || more_reads);
    wire body_go    = body_write || (body_read && more_reads);
    wire taken      = mem_valid && mem_ready;
    wire asks       = taken && !mem_we;
    wire win_taken  = window && mem_ready;
    wire win_answer = mem_rvalid && win_waiting && (win_behind == 5'd0);

    wire [31:0] body_wide = {{32-WORD_BITS{1'b0}}, body_addr};

    assign mem_valid   = window || body_go;
    assign mem_we      = window ? win_we : body_write;
    assign mem_addr    = window ? win_addr : body_wide[BAR0_BITS-4:0];
    assign mem_wdata   = {body_wdata[71:64], window ? win_wdata : body_wdata[63:0]};
    assign mem_be      = window ? {1'b0, win_be} : 9'h1ff;
    assign body_taken  = body_go && !window && mem_ready;
    assign unexpected  = mem_rvalid && (outstanding == 5'd0);
    assign body_rvalid = mem_rvalid && !win_answer && !unexpected;
    assign body_rdata  = mem_rdata;
    assign win_ack     = (win_taken && win_we) || win_answer;
    assign win_rdata   = mem_rdata[63:0];
    assign waiting     = win_waiting;

    wire [4:0] fewer = outstanding - {4'd0, mem_rvalid && !unexpected};

    always @(posedge clk)
        if (rst) begin
            outstanding <= 5'd0;
            win_waiting <= 1'b0;
            gap         <= 3'd0;
        end else begin
            outstanding <= fewer + {4'd0, asks};
            if (win_taken && !win_we) win_waiting <= 1'b1;
            else if (win_answer)      win_waiting <= 1'b0;
            if (win_taken)            gap <= GAP_CLOCKS[2:0];
            else if (gap != 3'd0)     gap <= gap - 3'd1;
        end

    always @(posedge clk)
        if (win_taken)
            win_behind <= fewer;
        else if (mem_rvalid)
            win_behind <= win_behind - 5'd1;

    wire unused = &{1'b0, GAP_CLOCKS[31:3], body_wide[31:BAR0_BITS-3]};

    // ---- measuring
    wire probe_busy         = mem_valid || (outstanding != 5'd0);
    wire probe_stall_memory = mem_valid && !mem_ready;
    wire probe_start        = taken;
    wire probe_done         = mem_rvalid || (taken && mem_we);
endmodule
`default_nettype wire
