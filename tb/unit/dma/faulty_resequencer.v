// dma_resequencer with faults that a test switches on one at a time: it is told something else, or what it says is changed.
`default_nettype none
module faulty_resequencer #(
    parameter SOURCES = 8,
    parameter PATHS = 4,
    parameter LOG2_PLACES = 9
) (
    input  wire                       clk,
    input  wire                       rst,
    output wire                       busy,
    input  wire [SOURCES*PATHS-1:0]   cfg_paths,
    input  wire [23:0]                cfg_timeout,
    input  wire                       time_runs,
    input  wire                       flush,
    output wire                       holds,
    input  wire                       ask_valid,
    input  wire [$clog2(SOURCES)-1:0] ask_source,
    input  wire [9:0]                 ask_number,
    input  wire [1:0]                 ask_path,
    output wire                       ask_ready,
    output wire                       ask_late,
    input  wire                       done_valid,
    input  wire [45:0]                done_kept,
    input  wire                       done_damaged,
    output wire                       done_now,
    output wire                       done_flagged,
    output wire                       note_valid,
    output wire [63:0]                note_header,
    input  wire                       note_taken,
    input  wire                       mark_valid,
    input  wire                       mark_all,
    input  wire [$clog2(SOURCES)-1:0] mark_source,
    output wire                       ev_lost,
    output wire                       ev_late,
    output wire                       ev_anew,
    output wire [9:0]                 depth,
    input  wire [2:0]                 fault      // 0: none
);
    localparam [2:0] NOTIFIES_EARLY = 3'd1;      // as if only the first path had to bring a later number
    localparam [2:0] FORGETS_MARKS  = 3'd2;
    localparam [2:0] WRITES_LATE    = 3'd3;      // a late packet is written
    localparam [2:0] WAITS_FOR_EVER = 3'd4;      // without a time-out
    localparam [2:0] TIMES_OUT_SOON = 3'd5;      // after half the time
    localparam [2:0] WAITS_FOR_ALL  = 3'd6;      // also for a path that is not in use
    localparam [2:0] FORGETS_DAMAGE = 3'd7;      // of a packet that has waited

    wire        late, flagged;
    wire [63:0] header;

    dma_resequencer #(.SOURCES(SOURCES), .PATHS(PATHS), .LOG2_PLACES(LOG2_PLACES)) real_one (
        .clk (clk), .rst (rst), .busy (busy),
        .cfg_paths (fault == NOTIFIES_EARLY ? {SOURCES{{PATHS-1{1'b0}}, 1'b1}} : cfg_paths | {SOURCES*PATHS{fault == WAITS_FOR_ALL}}),
        .cfg_timeout (fault == WAITS_FOR_EVER ? 24'd0 : fault == TIMES_OUT_SOON ? cfg_timeout >> 1 : cfg_timeout),
        .time_runs (time_runs), .flush (flush), .holds (holds),
        .ask_valid (ask_valid), .ask_source (ask_source), .ask_number (ask_number), .ask_path (ask_path), .ask_ready (ask_ready),
        .ask_late (late), .done_valid (done_valid), .done_kept (done_kept), .done_damaged (done_damaged && fault != FORGETS_DAMAGE),
        .done_now (done_now), .done_flagged (flagged), .note_valid (note_valid), .note_header (header), .note_taken (note_taken),
        .mark_valid (mark_valid), .mark_all (mark_all), .mark_source (mark_source), .ev_lost (ev_lost), .ev_late (ev_late),
        .ev_anew (ev_anew), .depth (depth)
    );

    assign ask_late     = late && fault != WRITES_LATE;
    assign done_flagged = flagged && fault != FORGETS_MARKS;
    assign note_header  = {header[63] && fault != FORGETS_MARKS, header[62:0]};
endmodule
`default_nettype wire
