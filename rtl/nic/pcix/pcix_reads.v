// The outstanding DMA reads: SPLITS entries, found by tag, and the one stream of words they return.
//
// At most one data phase per clock reaches this module, since there is one bus: immediate data from the initiator or
// completion data from the target, never both. Words leave in the cycle after the data phase.
// A Split Completion is looked up two cycles before its first data phase; the result is registered.
//
// A read that has not ended `time_limit` clocks after its Split Response is abandoned (status 5): it ends between 7/8
// of that time and all of it, a single one after all of it. One counter serves all, each entry counts eighths.
// `abandon` ends those that were split already when `drop` rose: others are outstanding to the host, and awaited. The
// caller has to take another tag for what has ended so: data that still arrive for the old one are unexpected.
`default_nettype none
module pcix_reads #(
    // outstanding reads, 1..4
    parameter SPLITS = 1
) (
    input  wire        clk,
    input  wire        rst,
    input  wire [2:0]  max_splits,             // 1..SPLITS, from configuration space

    input  wire [23:0] time_limit,             // [clocks], 0: none
    input  wire        drop, abandon,          // levels: the caller drops its reads; and no longer waits for them

    // ---- open: legal while `can_open`
    output wire        can_open,
    input  wire        open,
    input  wire [4:0]  open_tag,
    input  wire [9:0]  open_words,
    input  wire [3:0]  open_low,

    // ---- from the initiator
    input  wire [4:0]  own_tag,
    input  wire        own_asked,
    input  wire        own_split,
    input  wire        own_fail,
    input  wire [2:0]  own_fail_status,
    input  wire        own_data,
    input  wire        own_wide,

    // ---- from the target: a Split Completion
    input  wire [4:0]  look_tag,
    input  wire [6:0]  look_low,
    input  wire [12:0] look_count,
    input  wire        look_modified,          // BCM: byte count of this completion only
    output reg         look_known,
    output reg         look_match,
    input  wire        completion_data,
    input  wire        completion_wide,
    input  wire        completion_error,       // an error message for look_tag

    input  wire [63:0] in_ad,
    input  wire        data_bad,

    // ---- to the caller
    output reg  [63:0] rd_data,
    output reg         rd_data_valid,
    output reg  [4:0]  rd_data_tag,
    output wire        rd_done,
    output wire [4:0]  rd_done_tag,
    output wire [2:0]  rd_status,

    output wire        any_asked,              // a read is in progress, from its REQ# on
    output wire        split_waiting,          // a split read waits for its first word
    output wire        ev_abandoned            // one clock
);
    localparam [2:0] COMPLETION_ERROR = 3'd4;

    initial
        if (SPLITS < 1 || SPLITS > 4) begin
            $display("%m: SPLITS must be 1..4, is %0d", SPLITS);
            $finish;
        end

    wire [SPLITS-1:0]    active;
    wire [SPLITS-1:0]    asked;
    wire [SPLITS-1:0]    waiting;
    wire [SPLITS-1:0]    splitting;
    wire [SPLITS-1:0]    word_valid;
    wire [SPLITS-1:0]    known;
    wire [SPLITS-1:0]    match;
    wire [SPLITS-1:0]    done;
    wire [SPLITS-1:0]    usable;
    wire [SPLITS-1:0]    chosen = usable & (~usable + {{SPLITS-1{1'b0}}, 1'b1});   // the lowest usable entry
    wire [SPLITS-1:0]    same_tag;
    wire [SPLITS-1:0]    overdue;
    wire [64*SPLITS-1:0] words;
    wire [5*SPLITS-1:0]  tags;
    wire [3*SPLITS-1:0]  statuses;

    wire        data_valid = own_data || completion_data;
    wire [4:0]  data_tag   = completion_data ? look_tag : own_tag;
    wire        data_wide  = completion_data ? completion_wide : own_wide;
    wire        fail       = own_fail || completion_error;
    wire [4:0]  fail_tag   = completion_error ? look_tag : own_tag;
    wire [2:0]  fail_status = completion_error ? COMPLETION_ERROR : own_fail_status;

    // a part ends at an ADB; any other count matches nothing
    wire        look_part  = look_modified && (look_low + look_count[6:0] == 7'd0);

    // ---- time: an eighth of the limit at least 1 clock long, counted while a read is split
    reg  [20:0] eighth_left;
    reg         data_before;
    wire        any_split = |splitting;
    wire        eighth    = (eighth_left[20:1] == 20'd0);
    wire        tick      = eighth && (time_limit != 24'd0);
    reg               drop_before;
    reg  [SPLITS-1:0] dropped;                 // split when `drop` rose, and not ended yet
    // two ends at once cannot be reported: none is made together with data, or in the clock after, or with another one
    wire [SPLITS-1:0] late    = splitting & (overdue | (dropped & {SPLITS{abandon}}));
    wire [SPLITS-1:0] expire  = late & (~late + {{SPLITS-1{1'b0}}, 1'b1})
                                & {SPLITS{!data_valid && !data_before && !fail}};

    assign ev_abandoned = |expire;

    always @(posedge clk)
        if (rst) begin
            eighth_left <= 21'd0;
            data_before <= 1'b0;
            drop_before <= 1'b0;
            dropped     <= {SPLITS{1'b0}};
        end else begin
            drop_before <= drop;
            dropped     <= splitting & (dropped | {SPLITS{drop && !drop_before}});
            eighth_left <= (!any_split || eighth) ? time_limit[23:3] : eighth_left - 21'd1;
            data_before <= data_valid;
        end

    genvar i;
    generate
        for (i = 0; i < SPLITS; i = i + 1) begin : entry
            localparam [2:0] NUMBER = i;
            assign usable[i]   = !active[i] && (NUMBER < max_splits);
            assign same_tag[i] = active[i] && (tags[5*i+:5] == open_tag);

            pcix_read_entry slot (
                .clk (clk), .rst (rst),
                .open (open && chosen[i]), .open_tag (open_tag), .open_words (open_words), .open_low (open_low),
                .own_tag (own_tag), .own_asked (own_asked), .split (own_split),
                .data_tag (data_tag), .data_valid (data_valid), .data_wide (data_wide), .data (in_ad),
                .data_bad (data_bad), .word_valid (word_valid[i]), .word (words[64*i+:64]),
                .fail_tag (fail_tag), .fail (fail), .fail_status (fail_status),
                .tick (tick), .overdue (overdue[i]), .expire (expire[i]),
                .look_tag (look_tag), .look_low (look_low), .look_count (look_count), .look_part (look_part),
                .look_known (known[i]), .look_match (match[i]),
                .active (active[i]), .asked (asked[i]), .waiting (waiting[i]), .splitting (splitting[i]),
                .tag (tags[5*i+:5]), .done (done[i]), .status (statuses[3*i+:3])
            );
        end
    endgenerate

    // ---- merged: at most one entry is active at a time
    reg [2:0]  active_count;
    reg [63:0] word;
    reg [4:0]  done_tag;
    reg [2:0]  status;
    integer    n;

    always @* begin
        active_count = 3'd0;
        word         = 64'h0;
        done_tag     = 5'd0;
        status       = 3'd0;
        for (n = 0; n < SPLITS; n = n + 1) begin
            active_count = active_count + {2'b00, active[n]};
            word         = word | (words[64*n+:64] & {64{word_valid[n]}});
            done_tag     = done_tag | (tags[5*n+:5] & {5{done[n]}});
            status       = status | (statuses[3*n+:3] & {3{done[n]}});
        end
    end

    assign can_open              = (|usable) && (active_count < max_splits) && (same_tag == {SPLITS{1'b0}});
    assign rd_done               = |done;
    assign rd_done_tag           = done_tag;
    assign rd_status             = status;
    assign any_asked             = |asked;
    assign split_waiting         = |waiting;

    always @(posedge clk)
        if (rst) begin
            rd_data_valid <= 1'b0;
            look_known    <= 1'b0;
            look_match    <= 1'b0;
        end else begin
            rd_data_valid <= |word_valid;
            look_known    <= |known;
            look_match    <= |match;
        end

    always @(posedge clk) begin
        rd_data     <= word;
        rd_data_tag <= data_tag;
    end

    wire probe_busy        = |active;
    wire probe_stall_split = |active && !data_valid && |splitting;
endmodule
`default_nettype wire
