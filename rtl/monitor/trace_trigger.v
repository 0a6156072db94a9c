// When the tracing memories record: starts, freezes and stops them. PCI clock.
//
//     write START   all points start anew, unless one of them still records
//     freeze        by a write of FREEZE, or by the first of the causes in `mask` to come once all points record: each point keeps
//                   `after` more entries and ends. `cause` says what it was: bits of STATUS, HEADER_CRC, or nothing: the host
//     write STOP    all points end at once, whatever they wait for
//
// `run` and `freeze` go to the points of each clock through cells of rtl/common. `after` and `circular` change only while nothing records.
`default_nettype none
`include "nic_registers.vh"
module trace_trigger (
    input  wire        clk,            // may rest
    input  wire        rst,

    // registers: 32-bit writes
    input  wire        wr_control,
    input  wire        wr_mask,
    input  wire        wr_after,
    input  wire [63:0] wr_data,        // `mask` is the upper half of its word
    output reg  [31:0] mask,
    output reg  [10:0] after,
    output reg         circular,
    output reg  [31:0] cause,
    output reg         frozen,         // since the last start

    // what may freeze
    input  wire [31:0] status_set,     // bits of STATUS that are being set
    input  wire        header_crc,     // one clock: a header with a wrong CRC came

    // the points
    input  wire [3:0]  active,         // level: it records; some clocks late
    output reg         run,
    output reg         freeze          // one clock
);
    reg  all_run;                      // all points have been seen recording
    wire free    = !run && (active == 4'd0);
    wire start   = wr_control && wr_data[`NIC_TRACE_CONTROL_START_BIT] && free;
    wire stop    = wr_control && wr_data[`NIC_TRACE_CONTROL_STOP_BIT];
    wire by_host = wr_control && wr_data[`NIC_TRACE_CONTROL_FREEZE_BIT];
    wire [31:0] causes = (status_set | {header_crc, 31'd0}) & mask;
    wire trigger = all_run && !frozen && (by_host || (causes != 32'd0));

    always @(posedge clk)
        if (rst) begin
            run      <= 1'b0;
            all_run  <= 1'b0;
            freeze   <= 1'b0;
            frozen   <= 1'b0;
            circular <= 1'b0;
            mask     <= 32'd0;
            after    <= 11'd0;
            cause    <= 32'd0;
        end else begin
            freeze <= trigger;
            if (wr_mask)          mask  <= wr_data[63:32];
            if (wr_after && free) after <= wr_data[10:0];
            if (start) begin
                run      <= 1'b1;
                circular <= wr_data[`NIC_TRACE_CONTROL_CIRCULAR_BIT];
                frozen   <= 1'b0;
                cause    <= 32'd0;
            end else begin
                if (stop || (all_run && active == 4'd0)) run <= 1'b0;
                if (trigger) begin
                    frozen <= 1'b1;
                    cause  <= causes;
                end
            end
            all_run <= run && !stop && (all_run || (active == 4'hF));
        end

    wire unused = &{1'b0, wr_data[31:11]};
endmodule
`default_nettype wire
