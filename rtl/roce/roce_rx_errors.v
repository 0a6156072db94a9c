// Writes errors of packets for software: manages the error buffers (ERRBUF) and the error status queue (IPKTERRQ), and
// makes the entries of the latter.
//
// Both are circular and never wait for software. Each has two positions: the next entry, and the pointer that software
// reads, which advances when an entry is in memory: 0 .. count - 1, the entry that will be written next. A count of 0
// turns either off, so does an ERRBUF whose buffers have less than 8 bytes. While the chip is off both are at 0 and
// nothing is written; waiting entries are dropped. Entries already on their way then (`stale`) advance no pointer when
// memory confirms them: memory confirms in order, so these are the first ones.
//
// An entry of IPKTERRQ is a 64-bit word: [15:0] QP (of S5, from 1 on), [20:16] fatal code (S5 table 2-4), [31:24]
// opcode, [55:32] PSN, [63:56] AETH syndrome. It has three sources: packets (they go first), memory, and the requester.
`default_nettype none
module roce_rx_errors (
    input  wire        clk,
    input  wire        rst,
    input  wire        chip_enable,
    input  wire [31:0] errbuf_base,
    input  wire [15:0] errbuf_count,
    input  wire [15:0] errbuf_size,       // bytes of a buffer
    input  wire [31:0] ipkterr_base,
    input  wire [15:0] ipkterr_size,      // entries
    output reg  [15:0] errbuf_wptr,
    output reg  [15:0] ipkterr_wptr,
    output wire        busy,              // entries are on their way to memory
    // error buffers
    output wire        record_on,
    output wire [31:0] record_addr,       // of the next entry
    input  wire        record_take,
    input  wire        record_done,
    output wire        recorded,          // one clock: errbuf_wptr advances
    output wire        reported,          // ... ipkterr_wptr
    // causes of an entry in IPKTERRQ: of a packet, of memory, of the requester
    input  wire        fatal_valid,
    output wire        fatal_ready,
    input  wire [51:0] fatal,             // {code, qp, opcode, psn, syndrome}
    input  wire        memory_valid,
    output wire        memory_ready,
    input  wire [51:0] memory,
    input  wire        err_valid,
    output wire        err_ready,
    input  wire [51:0] err,
    // to memory
    output wire        status_valid,
    input  wire        status_ready,
    output wire [31:0] status_addr,
    output wire [63:0] status_data,
    input  wire        status_done
);
    // ---- on their way
    reg  [7:0] under_way, stale;
    wire       issues = record_take || (status_valid && status_ready);
    wire       done   = record_done || status_done;
    wire [7:0] left   = under_way - {7'd0, done};
    assign busy     = under_way != 8'd0;
    assign recorded = record_done && stale == 8'd0 && chip_enable;
    assign reported = status_done && stale == 8'd0 && chip_enable;
    always @(posedge clk)
        if (rst) begin
            under_way <= 8'd0;
            stale     <= 8'd0;
        end else begin
            under_way <= left + {7'd0, issues};
            stale     <= !chip_enable ? left + {7'd0, issues} : stale - {7'd0, done && stale != 8'd0};
        end

    // ---- error buffers
    reg  [15:0] record;
    reg  [31:0] record_next;      // its address, if it is not the first one
    assign record_on   = chip_enable && errbuf_count != 16'd0 && errbuf_size[15:3] != 13'd0;
    assign record_addr = record == 16'd0 ? errbuf_base : record_next;
    always @(posedge clk)
        if (rst || !chip_enable) begin
            record      <= 16'd0;
            errbuf_wptr <= 16'd0;
        end else begin
            if (record_take) record      <= record + 16'd1 >= errbuf_count ? 16'd0 : record + 16'd1;
            if (recorded)    errbuf_wptr <= errbuf_wptr + 16'd1 >= errbuf_count ? 16'd0 : errbuf_wptr + 16'd1;
        end
    always @(posedge clk)
        if (record_take) record_next <= record_addr + {16'd0, errbuf_size};

    // ---- entries of the status queue
    wire        room, waits;
    wire [51:0] entry = fatal_valid ? fatal : memory_valid ? memory : err;
    wire [51:0] oldest;
    wire [6:0]  qp    = oldest[46:40];
    wire        on    = chip_enable && ipkterr_size != 16'd0;
    assign fatal_ready  = room;
    assign memory_ready = room && !fatal_valid;
    assign err_ready    = room && !fatal_valid && !memory_valid;
    roce_queue #(.WIDTH(52), .LOG2_DEPTH(3)) entries (
        .clk (clk), .rst (rst),
        .in_valid (fatal_valid || memory_valid || err_valid), .in_ready (room), .in_data (entry),
        .out_valid (waits), .out_ready (status_ready || !on), .out_data (oldest)
    );
    reg  [15:0] status;
    assign status_valid = waits && on;
    assign status_addr  = ipkterr_base + {13'd0, status, 3'b000};
    assign status_data  = {oldest[7:0], oldest[31:8], oldest[39:32], 3'd0, oldest[51:47], 8'd0, {1'b0, qp} + 8'd1};
    always @(posedge clk)
        if (rst || !chip_enable) begin
            status       <= 16'd0;
            ipkterr_wptr <= 16'd0;
        end else begin
            if (status_valid && status_ready) status <= status + 16'd1 >= ipkterr_size ? 16'd0 : status + 16'd1;
            if (reported) ipkterr_wptr <= ipkterr_wptr + 16'd1 >= ipkterr_size ? 16'd0 : ipkterr_wptr + 16'd1;
        end

    // ---- measuring
    wire probe_busy         = waits || record_take;
    wire probe_stall_memory = status_valid && !status_ready;
endmodule
`default_nettype wire
