// Writes invalid WQEs to the outgoing packet error status queue (S5: OPKTERRQ): each is an entry of 64 bytes, the WQE
// itself with the QP's number in [31:16] and the reasons (roce_wqe_packet) in [159:136].
//
// Entry k is at OPKTERRQBA + 64 * k, whose low six bits count as 0. The write pointer counts 0 .. OPKTERRQSZ - 1 and
// wraps, whether software has read or not (S5); it advances, with the event for the interrupt, when memory has
// answered. With a size of 0 nothing is written. While the chip is off the pointer is 0: an entry on its way then is
// written once more, when the chip is on again.
//
// One WQE at a time. Then `done` is high until `done_taken`; `done_alive` is 0 if the QP has been restarted meanwhile.
`default_nettype none
module roce_wqe_refuse #(
    // bytes per clock, 8 or 64
    parameter BYTES = 8
) (
    input  wire               clk,
    input  wire               rst,
    input  wire               chip_enable,
    input  wire [31:0]        opkterr_base,
    input  wire [15:0]        opkterr_size,
    output reg  [15:0]        opkterr_wptr,
    output reg                irq_illegal,      // one clock
    input  wire               start,            // one clock, only while idle
    input  wire [6:0]         start_qp,
    input  wire [511:0]       start_wqe,
    input  wire [5:0]         start_reasons,
    output wire               idle,
    output wire               writes,           // the entry is on its way to memory
    output wire               done,
    output reg  [6:0]         done_qp,
    output reg                done_alive,
    input  wire               done_taken,
    input  wire               restart,          // start_qp's entries are forgotten
    input  wire [6:0]         restart_qp,
    output wire               restart_busy,     // of restart_qp, of QP 1 for all: an entry is on its way to memory

    // AXI master wqe_proc_top: its writes
    output reg                top_awvalid,
    input  wire               top_awready,
    output reg  [31:0]        top_awaddr,
    output wire [7:0]         top_awlen,
    output reg                top_wvalid,
    input  wire               top_wready,
    output wire [8*BYTES-1:0] top_wdata,
    output wire [BYTES-1:0]   top_wstrb,
    output wire               top_wlast,
    input  wire               top_bvalid,
    output wire               top_bready,
    input  wire [1:0]         top_bresp
);
    localparam [31:0] BEATS = 64 / BYTES;
    localparam [31:0] BEFORE = BEATS - 32'd1;
    localparam [1:0]  IDLE = 2'd0, BEGIN = 2'd1, WRITE = 2'd2, REPORTED = 2'd3;

    reg  [1:0]   state;
    reg  [511:0] entry;
    reg  [3:0]   left;          // beats behind this one
    reg          lost;          // the chip was off since BEGIN
    wire [8:0]   number = {2'b00, start_qp} + 9'd1;
    wire [15:0]  place  = (opkterr_wptr >= opkterr_size) ? 16'd0 : opkterr_wptr;    // the queue may have shrunk
    wire [15:0]  after  = place + 16'd1;
    wire         off    = lost || !chip_enable;

    assign idle       = (state == IDLE);
    assign writes     = (state == WRITE) || (state == BEGIN && chip_enable);
    assign restart_busy = (state == WRITE) && (done_qp == restart_qp || restart_qp == 7'd0);
    assign done       = (state == REPORTED);
    assign top_awlen  = BEFORE[7:0];
    assign top_wdata  = entry[8*BYTES-1:0];
    assign top_wstrb  = {BYTES{1'b1}};
    assign top_wlast  = (left == 4'd0);
    assign top_bready = 1'b1;

    wire [511:0] shifted;
    generate
        if (BYTES == 64) begin : one_beat
            assign shifted = entry;
        end else begin : beats
            assign shifted = {entry[8*BYTES-1:0], entry[511:8*BYTES]};    // whole again behind the last beat
        end
    endgenerate

    always @(posedge clk)
        if (rst) begin
            state        <= IDLE;
            top_awvalid  <= 1'b0;
            top_wvalid   <= 1'b0;
            opkterr_wptr <= 16'd0;
            irq_illegal  <= 1'b0;
            done_alive   <= 1'b0;
            lost         <= 1'b0;
        end else begin
            irq_illegal <= 1'b0;
            if (top_awready) top_awvalid <= 1'b0;
            if (top_wready && top_wlast) top_wvalid <= 1'b0;
            if (restart && restart_qp == done_qp) done_alive <= 1'b0;
            case (state)
                IDLE:
                    if (start) begin
                        state      <= BEGIN;
                        done_alive <= 1'b1;
                    end
                BEGIN:
                    if (!done_alive) state <= REPORTED;
                    else if (chip_enable) begin
                        state       <= (opkterr_size == 16'd0) ? REPORTED : WRITE;
                        top_awvalid <= (opkterr_size != 16'd0);
                        top_wvalid  <= (opkterr_size != 16'd0);
                        irq_illegal <= (opkterr_size == 16'd0);
                    end
                WRITE:
                    if (top_bvalid && off) state <= BEGIN;
                    else if (top_bvalid) begin
                        state        <= REPORTED;
                        opkterr_wptr <= (after >= opkterr_size) ? 16'd0 : after;
                        irq_illegal  <= 1'b1;
                    end
                default: if (done_taken) state <= IDLE;
            endcase
            lost <= off && (state == WRITE);
            if (!chip_enable) opkterr_wptr <= 16'd0;
        end

    always @(posedge clk)
        if (idle) begin
            entry   <= {start_wqe[511:160], 18'd0, start_reasons, start_wqe[135:32], 7'd0, number, start_wqe[15:0]};
            done_qp <= start_qp;
        end else if (top_wvalid && top_wready) begin
            entry <= shifted;
            left  <= left - 4'd1;
        end else if (state == BEGIN) begin
            left       <= BEFORE[3:0];
            top_awaddr <= {opkterr_base[31:6], 6'd0} + {10'd0, place, 6'd0};
        end

    wire unused = &{1'b0, opkterr_base[5:0], top_bresp, start_wqe[159:136], start_wqe[31:16]};

    // ---- measuring
    wire probe_busy = !idle;
endmodule
`default_nettype wire
