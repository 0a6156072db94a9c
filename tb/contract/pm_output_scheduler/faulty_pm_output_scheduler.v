// The default output scheduler of packet mode with faults that a test switches on one at a time, and that the contract
// suite must catch.
`default_nettype none
module faulty_pm_output_scheduler #(
    parameter FLOWS       = 8,
    parameter PACKET_MODE = 1,
    parameter SLACK       = 1,
    parameter LOOK_BACK   = 2
) (
    input  wire                     clk,
    input  wire                     rst,
    input  wire                     weight_write,
    input  wire [$clog2(FLOWS)-1:0] weight_flow,
    input  wire [7:0]               weight,
    input  wire [FLOWS-1:0]         waiting,
    input  wire [FLOWS-1:0]         arriving,
    input  wire [FLOWS-1:0]         partial,
    input  wire [FLOWS-1:0]         lock_free,
    input  wire                     choose,
    input  wire                     continues,
    output wire                     chosen,
    output wire [$clog2(FLOWS)-1:0] chosen_flow,
    output wire                     chosen_partial,
    input  wire                     served,
    input  wire [12:0]              served_words,
    input  wire                     served_full,
    input  wire                     served_ends,
    input  wire                     served_whole,
    input  wire [3:0]               served_late,
    input  wire                     served_locked,
    input  wire                     served_packet,
    output wire                     notice,
    output wire                     urgent,
    output wire                     mode,
    output wire                     cancelled,
    input  wire [6:0]               fault     // fault_when.v; 0: none
);
    localparam [4:0] READS_EMPTY  = 5'd1;     // chooses flows that do not wait
    localparam [4:0] UNASKED      = 5'd2;     // chooses while a unit leaves
    localparam [4:0] DAWDLES      = 5'd3;     // chooses nothing when only flow 0 waits
    localparam [4:0] LEAVES_EARLY = 5'd4;     // does not stay in packet mode
    localparam [4:0] LOWEST_FIRST = 5'd5;
    localparam [4:0] TOO_LATE     = 5'd6;     // does not look whether a notice is in time
    localparam [4:0] KEEPS_LAST   = 5'd7;     // reset keeps the state
    localparam [4:0] SILENT       = 5'd8;     // sends no notice for a lock
    localparam [4:0] UNHURRIED    = 5'd9;     // nothing is urgent
    localparam [4:0] NEVER_SURE   = 5'd10;
    localparam [4:0] FORCES_LOCKS = 5'd11;    // asks for locks that are not free
    localparam [4:0] PAIRS_TAILS  = 5'd12;    // sends a notice with a unit in which its packet ends
    localparam [4:0] PAIRS_OLD    = 5'd13;    // ... with one that came more than SLACK clocks ago
    localparam [4:0] SURE_LONG    = 5'd14;    // packet mode seems to last for one unit more
    localparam [4:0] TELLS_SM     = 5'd15;    // sends notices though there is no packet mode, ...
    localparam [4:0] SURE_SM      = 5'd16;    // ... or seems to be in it

    localparam [4:0] LOOKS_BACK   = 5'd17;    // looks back without end
    localparam [4:0] WAITS_NOT    = 5'd18;    // never waits for a lock

    wire [4:0]       now;
    fault_when faults (.clk (clk), .rst (rst), .turn (chosen), .fault (fault), .now (now));

    wire             good_chosen;
    wire [$clog2(FLOWS)-1:0] good_flow;
    wire             noticed;
    wire             hurry;
    wire             sure;
    reg              odd;                      // choices so far, over resets
    initial odd = 1'b0;
    always @(posedge clk) if (chosen && !rst) odd <= !odd;
    reg  [$clog2(FLOWS)-1:0] last;             // chosen last
    always @(posedge clk) if (rst || chosen) last <= rst ? {$clog2(FLOWS){1'b0}} : chosen_flow;
    wire [FLOWS-1:0] again   = {{FLOWS-1{1'b0}}, now == LOOKS_BACK && continues} << last;
    wire [FLOWS-1:0] lowest  = waiting & (~waiting + 1'b1);
    wire [FLOWS-1:0] offered = (now == READS_EMPTY) ? {FLOWS{1'b1}} : (now == LOWEST_FIRST) ? lowest :
                               |(waiting & again) ? waiting & again :
                               (now == KEEPS_LAST && odd && |(waiting & ~lowest)) ? waiting & ~lowest : waiting;

    pm_output_scheduler #(.FLOWS(FLOWS), .PACKET_MODE(PACKET_MODE), .SLACK(SLACK), .LOOK_BACK(LOOK_BACK)) sound (
        .clk (clk), .rst (rst), .weight_write (weight_write), .weight_flow (weight_flow), .weight (weight),
        .waiting (offered), .arriving ((now == PAIRS_OLD) ? waiting : arriving),
        .partial ((now == LOWEST_FIRST && |waiting) ? {FLOWS{1'b0}} : partial),
        .lock_free ((now == FORCES_LOCKS) ? {FLOWS{1'b1}} : lock_free), .choose (choose), .continues (continues),
        .chosen (good_chosen), .chosen_flow (good_flow), .chosen_partial (chosen_partial), .served (served),
        .served_words ((now == WAITS_NOT) ? 13'd0 : served_words), .served_full (served_full),
        .served_ends (served_ends), .served_whole (served_whole), .served_late ((now == TOO_LATE) ? 4'd0 : served_late),
        .served_locked (served_locked), .served_packet (served_packet), .notice (noticed), .urgent (hurry),
        .mode (sure), .cancelled (cancelled)
    );

    assign chosen = (good_chosen && !(now == DAWDLES && (waiting | partial) == {{FLOWS-1{1'b0}}, 1'b1})) ||
                    (now == UNASKED && !choose && |waiting);
    wire [$clog2(FLOWS)-1:0] other;
    round_robin #(.N(FLOWS)) others (
        .request (waiting), .last (good_flow), .any (), .grant (), .index (other)
    );
    assign chosen_flow = (now == LEAVES_EARLY && sure && continues) ? other : good_flow;
    reg  before;                               // packet mode in the clock before
    reg  tail;                                 // what leaves is the unit behind it
    wire tail_now = served ? before && !sure : tail;
    always @(posedge clk) begin
        before <= sure && !rst;
        tail   <= tail_now && !rst;
    end
    assign notice = (noticed && now != SILENT) || (now == PAIRS_TAILS && served && served_full && served_ends) ||
                    (now == TELLS_SM && served && served_full && !served_ends);
    assign urgent = hurry && now != UNHURRIED;
    assign mode   = (sure && now != NEVER_SURE) || (now == SURE_LONG && tail_now) || (now == SURE_SM && continues);
endmodule
`default_nettype wire
