// Queue of up to 64 commands that wait for their frames; their payload is requested at once, so that memory's latency
// has passed when they are served. A command is taken if there is space for it and its payload can be requested.
//
// `job_extra` of a waiting command is either the RETH or the payload that arrived with it (roce_tx_header).
`default_nettype none
module roce_tx_commands #(
    // bytes per word of memory, 8 or 64
    parameter BYTES = 8,
    // log2 of the words of payload on the chip
    parameter LOG2_WORDS = 10
) (
    input  wire                clk,
    input  wire                rst,
    // one command = one packet
    input  wire                cmd_valid,
    output wire                cmd_ready,
    input  wire [6:0]          cmd_qp,
    input  wire [7:0]          cmd_opcode,
    input  wire [23:0]         cmd_psn,
    input  wire                cmd_ackreq,
    input  wire [63:0]         cmd_va,
    input  wire [31:0]         cmd_rkey,
    input  wire [31:0]         cmd_dma_length,
    input  wire                cmd_inline,
    input  wire [127:0]        cmd_data,
    input  wire [31:0]         cmd_addr,
    input  wire [12:0]         cmd_length,
    // the oldest one
    output wire                job_valid,
    input  wire                job_taken,
    output wire [6:0]          job_qp,
    output wire [7:0]          job_opcode,
    output wire [23:0]         job_psn,
    output wire                job_ackreq,
    output wire                job_inline,
    output wire [127:0]        job_extra,
    output wire [12:0]         job_length,
    // the payload of all that have one in memory, in their order
    output wire                payload_valid,
    input  wire                payload_ready,
    output wire [8*BYTES-1:0]  payload_data,
    output wire                payload_error,
    // memory
    output wire                arvalid,
    input  wire                arready,
    output wire [31:0]         araddr,
    output wire [7:0]          arlen,
    input  wire                rvalid,
    output wire                rready,
    input  wire [8*BYTES-1:0]  rdata,
    input  wire [1:0]          rresp
);
    localparam JOB = 7 + 8 + 24 + 1 + 1 + 128 + 13;

    wire full, overflow, underflow, read_ready, payload_last, reading;
    wire [6:0] count;
    wire reads = !cmd_inline && cmd_length != 13'd0;

    assign cmd_ready = !full && (!reads || read_ready);

    fifo_sync #(.WIDTH(JOB), .LOG2_DEPTH(6)) jobs (
        .clk (clk), .rst (rst), .wr_valid (cmd_valid && cmd_ready),
        .wr_data ({cmd_qp, cmd_opcode, cmd_psn, cmd_ackreq, cmd_inline, cmd_inline ? cmd_data
                   : {cmd_va, cmd_rkey, cmd_dma_length},
                   cmd_length}), .full (full),
        .rd_data ({job_qp, job_opcode, job_psn, job_ackreq, job_inline, job_extra, job_length}), .rd_valid (job_valid),
        .rd_pop (job_taken), .count (count), .overflow (overflow), .underflow (underflow)
    );

    roce_axi_read #(.BYTES(BYTES), .OUTSTANDING(64), .LOG2_WORDS(LOG2_WORDS)) reader (
        .clk (clk), .rst (rst),
        .cmd_valid (cmd_valid && reads && !full), .cmd_ready (read_ready), .cmd_addr (cmd_addr),
        .cmd_length (cmd_length), .arvalid (arvalid), .arready (arready), .araddr (araddr), .arlen (arlen),
        .rvalid (rvalid), .rready (rready), .rdata (rdata), .rresp (rresp),
        .out_valid (payload_valid), .out_ready (payload_ready), .out_data (payload_data), .out_last (payload_last),
        .out_error (payload_error), .busy (reading)
    );
    wire unused = &{1'b0, count, overflow, underflow, payload_last, reading};

    // ---- measuring
    wire       probe_busy       = job_valid;
    wire       probe_stall_full = cmd_valid && !cmd_ready;
    wire       probe_start      = cmd_valid && cmd_ready;
    wire       probe_done       = job_taken;
    wire [6:0] probe_level      = count;
endmodule
`default_nettype wire
