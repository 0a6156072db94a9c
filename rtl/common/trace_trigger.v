// Trigger of the tracing memories: starts, freezes and stops them (trace_memory).
//
//     wr_start      all points restart, unless one of them still records
//     freeze        by `wr_freeze`, or by the first of the causes in `mask` that occurs once all points record: each
//                   point keeps `after` more entries and ends. `cause` says which cause it was; none: the host
//     wr_stop       all points end at once, whatever they wait for
//
// `run` and `freeze` go to points in other clocks through cells. `after` and `circular` change while nothing records.
`default_nettype none
module trace_trigger #(
    // causes, >= 1
    parameter CAUSES = 32,
    // points, >= 1
    parameter POINTS = 4,
    // as in trace_memory
    parameter LOG2_ENTRIES = 11
) (
    input  wire                    clk,          // may be gated
    input  wire                    rst,

    // registers: one clock each
    input  wire                    wr_start,
    input  wire                    wr_freeze,
    input  wire                    wr_stop,
    input  wire                    wr_circular,  // with wr_start
    input  wire                    wr_mask,
    input  wire [CAUSES-1:0]       wr_mask_data,
    input  wire                    wr_after,
    input  wire [LOG2_ENTRIES-1:0] wr_after_data,
    output reg  [CAUSES-1:0]       mask,
    output reg  [LOG2_ENTRIES-1:0] after,
    output reg                     circular,
    output reg  [CAUSES-1:0]       cause,
    output reg                     frozen,       // since the last start

    input  wire [CAUSES-1:0]       causes,       // events that may freeze: one clock each

    // the points
    input  wire [POINTS-1:0]       active,       // level: the point records; some clocks late
    output wire                    start,        // one clock: `run` rises
    output reg                     run,
    output reg                     freeze        // one clock
);
    reg  all_run;                                // all points have been seen recording
    wire free = !run && (active == {POINTS{1'b0}});
    wire [CAUSES-1:0] met = causes & mask;
    wire trigger = all_run && !frozen && (wr_freeze || (met != {CAUSES{1'b0}}));

    assign start = wr_start && free;

    always @(posedge clk)
        if (rst) begin
            run      <= 1'b0;
            all_run  <= 1'b0;
            freeze   <= 1'b0;
            frozen   <= 1'b0;
            circular <= 1'b0;
            mask     <= {CAUSES{1'b0}};
            after    <= {LOG2_ENTRIES{1'b0}};
            cause    <= {CAUSES{1'b0}};
        end else begin
            freeze <= trigger;
            if (wr_mask)          mask  <= wr_mask_data;
            if (wr_after && free) after <= wr_after_data;
            if (start) begin
                run      <= 1'b1;
                circular <= wr_circular;
                frozen   <= 1'b0;
                cause    <= {CAUSES{1'b0}};
            end else begin
                if (wr_stop || (all_run && active == {POINTS{1'b0}})) run <= 1'b0;
                if (trigger) begin
                    frozen <= 1'b1;
                    cause  <= met;
                end
            end
            all_run <= run && !wr_stop && (all_run || (active == {POINTS{1'b1}}));
        end
endmodule
`default_nettype wire
