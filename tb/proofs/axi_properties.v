// The rules of an AXI4 port, for both of its sides: sim/model/axi/axi_rules.h has the list, this file what each of them
// means in gates.
//
// `broken` has a bit for each rule, in the order of the list; `AXI_MASTER_RULES and `AXI_SLAVE_RULES (bus_rules.vh,
// made from the list) have the bits of those that a side must keep. A proof of a side requires none of its bits as long
// as none of the other side's was set. It follows as much as the parameters say: while `writes_full` no further address
// of a write may be taken, while `early_full` no beat of data before its address, while `reads_full` none of a read.
//
// A response counts when it is shown, an address, data and reads when they are taken: an answer may come in the next
// clock at the earliest.
`default_nettype none
`include "bus_rules.vh"
module axi_properties #(
    // bytes of the data bus, a power of two, 4..64
    parameter BYTES = 8,
    // bits of an address, 13..64
    parameter ADDRESS = 32,
    // bits of an ID
    parameter ID = 1,
    // bursts of a direction under way, 2..16
    parameter MOST = 4,
    // beats of data taken before their address, 1..16
    parameter EARLY = 4
) (
    input  wire                  clk,
    input  wire                  rst,
    input  wire                  awvalid,
    input  wire                  awready,
    input  wire [ADDRESS-1:0]    awaddr,
    input  wire [7:0]            awlen,
    input  wire [2:0]            awsize,
    input  wire [1:0]            awburst,
    input  wire [ID-1:0]         awid,
    input  wire [7:0]            awkind,      // {lock, cache, prot}
    input  wire                  wvalid,
    input  wire                  wready,
    input  wire [8*BYTES-1:0]    wdata,
    input  wire [BYTES-1:0]      wstrb,
    input  wire                  wlast,
    input  wire                  bvalid,
    input  wire                  bready,
    input  wire [1:0]            bresp,
    input  wire [ID-1:0]         bid,
    input  wire                  arvalid,
    input  wire                  arready,
    input  wire [ADDRESS-1:0]    araddr,
    input  wire [7:0]            arlen,
    input  wire [2:0]            arsize,
    input  wire [1:0]            arburst,
    input  wire [ID-1:0]         arid,
    input  wire [7:0]            arkind,
    input  wire                  rvalid,
    input  wire                  rready,
    input  wire [8*BYTES-1:0]    rdata,
    input  wire [1:0]            rresp,
    input  wire                  rlast,
    input  wire [ID-1:0]         rid,
    output wire [`AXI_RULES-1:0] broken,
    output wire                  writes_full,
    output wire                  early_full,
    output wire                  reads_full
);
    localparam [31:0] LANE_BITS = $clog2(BYTES);
    localparam [2:0] WIDEST = LANE_BITS[2:0];
    localparam [1:0] FIXED = 2'd0, INCR = 2'd1, WRAP = 2'd2;
    localparam [31:0] BURSTS = MOST, BEATS = EARLY;

    // ---- the channels
    wire aw_shown, aw_taken, w_taken, b_shown, ar_shown, ar_taken, r_shown;
    wire [7:0] unused;
    axi_channel_properties #(.WIDTH(ADDRESS+ID+21)) aw (
        .clk (clk), .rst (rst), .valid (awvalid), .ready (awready),
        .payload ({awaddr, awlen, awsize, awburst, awid, awkind}), .seen (unused[0]), .shown (aw_shown),
        .taken (aw_taken), .broken_held (broken[`AXI_AW_HELD]), .broken_reset (broken[`AXI_AW_RESET])
    );
    axi_channel_properties #(.WIDTH(9*BYTES+1)) w (
        .clk (clk), .rst (rst), .valid (wvalid), .ready (wready), .payload ({wdata, wstrb, wlast}),
        .seen (unused[1]), .shown (unused[2]), .taken (w_taken), .broken_held (broken[`AXI_W_HELD]),
        .broken_reset (broken[`AXI_W_RESET])
    );
    axi_channel_properties #(.WIDTH(ID+2)) b (
        .clk (clk), .rst (rst), .valid (bvalid), .ready (bready), .payload ({bresp, bid}),
        .seen (unused[3]), .shown (b_shown), .taken (unused[4]), .broken_held (broken[`AXI_B_HELD]),
        .broken_reset (broken[`AXI_B_RESET])
    );
    axi_channel_properties #(.WIDTH(ADDRESS+ID+21)) ar (
        .clk (clk), .rst (rst), .valid (arvalid), .ready (arready),
        .payload ({araddr, arlen, arsize, arburst, arid, arkind}), .seen (unused[5]), .shown (ar_shown),
        .taken (ar_taken), .broken_held (broken[`AXI_AR_HELD]), .broken_reset (broken[`AXI_AR_RESET])
    );
    axi_channel_properties #(.WIDTH(8*BYTES+ID+3)) r (
        .clk (clk), .rst (rst), .valid (rvalid), .ready (rready), .payload ({rdata, rresp, rlast, rid}),
        .seen (unused[6]), .shown (r_shown), .taken (unused[7]), .broken_held (broken[`AXI_R_HELD]),
        .broken_reset (broken[`AXI_R_RESET])
    );

    // ---- addresses: {4 KB, kind, size}, the first of them that is broken. 4 KB are those of bursts that count up, the
    // only ones that can
    function [2:0] violations(input [11:0] address, input [7:0] len, input [2:0] size, input [1:0] burst);
        reg [11:0] within;             // of the address in a beat
        reg [15:0] behind;             // its last byte
        reg        power;             // of two, 2..16 beats
        begin
            within = address & ~(12'hfff << size);
            behind = {4'd0, address & (12'hfff << size)} + (({8'd0, len} + 16'd1) << size) - 16'd1;
            power  = len == 8'd1 || len == 8'd3 || len == 8'd7 || len == 8'd15;
            if (size > WIDEST) violations = 3'b001;
            else if (burst > WRAP || (burst == FIXED && len > 8'd15) || (burst == WRAP && (!power || within != 12'd0)))
                violations = 3'b010;
            else violations = {burst == INCR && behind > 16'hfff, 2'b00};
        end
    endfunction
    assign {broken[`AXI_AW_4KB], broken[`AXI_AW_KIND], broken[`AXI_AW_SIZE]} =
        aw_shown ? violations(awaddr[11:0], awlen, awsize, awburst) : 3'd0;
    assign {broken[`AXI_AR_4KB], broken[`AXI_AR_KIND], broken[`AXI_AR_SIZE]} =
        ar_shown ? violations(araddr[11:0], arlen, arsize, arburst) : 3'd0;

    // ---- data of writes. Bursts whose data are not complete, the oldest first; beats that came before their address
    reg  [ID+24:0]  wanting [0:MOST-1];       // {ID, address, beats less one, size, kind}
    reg  [5:0]      wants;
    reg  [8:0]      done;                     // beats of the oldest one
    reg  [BYTES:0]  early [0:EARLY-1];        // {strobes, last}
    reg  [5:0]      earlies;
    wire [ID+24:0]  came  = {awid, awaddr[11:0], awlen, awsize, awburst};
    wire [ID+24:0]  head  = (wants != 6'd0) ? wanting[0] : came;
    wire            known = wants != 6'd0 || aw_taken;
    wire [11:0]     h_address = head[24:13];
    wire [7:0]      h_len     = head[12:5];
    wire [2:0]      h_size    = head[4:2];
    wire [1:0]      h_kind    = head[1:0];
    wire [5:0]      beats     = earlies + {5'd0, w_taken};

    // lanes of a beat of the oldest burst
    function [BYTES-1:0] lanes(input [11:0] address, input [7:0] len, input [2:0] size, input [1:0] burst,
                               input [7:0] beat);
        reg [11:0] aligned, whole, at;
        reg [6:0]  end_lane;
        begin
            aligned = address & (12'hfff << size);
            whole   = (({4'd0, len} + 12'd1) << size) - 12'd1;
            at      = aligned + ({4'd0, beat} << size);
            if (beat == 8'd0 || burst == FIXED) at = address;
            else if (burst == WRAP) at = (aligned & ~whole) | (at & whole);
            end_lane = {1'b0, at[5:0] & (BYTES[5:0] - 6'd1)};
            lanes    = {BYTES{1'b1}} << end_lane;
            end_lane = (end_lane & (7'h7f << size)) + (7'd1 << size);
            if (size <= WIDEST) lanes = lanes & ~({BYTES{1'b1}} << end_lane);
        end
    endfunction

    reg            finished, strobes_bad, last_bad;
    reg [5:0]      used;
    reg [8:0]      after;
    reg [BYTES:0]  word;
    integer        i;
    always @* begin
        {finished, strobes_bad, last_bad, used} = 9'd0;
        after = done;
        word  = {wstrb, wlast};
        for (i = 0; i <= EARLY; i = i + 1)
            if (known && !finished && i[5:0] < beats) begin
                word        = (i[5:0] < earlies) ? early[(i < EARLY) ? i : 0] : {wstrb, wlast};
                strobes_bad = strobes_bad || (word[BYTES:1] & ~lanes(h_address, h_len, h_size, h_kind, after[7:0]))
                              != {BYTES{1'b0}};
                last_bad    = last_bad || word[0] != (after == {1'b0, h_len});
                finished    = word[0] || after == {1'b0, h_len};
                after       = after + 9'd1;
                used        = used + 6'd1;
            end
    end
    assign broken[`AXI_W_STROBES] = strobes_bad;
    assign broken[`AXI_W_LAST]    = last_bad;
    assign early_full             = earlies >= BEATS[5:0] && !known;
    reg  [5:0] all_due;                            // responses to writes that are due
    assign writes_full            = wants + all_due >= BURSTS[5:0];

    initial {wants, done, earlies} = 21'd0;
    always @(posedge clk)
        if (rst) {wants, done, earlies} <= 21'd0;
        else begin
            done    <= finished ? 9'd0 : after;
            wants   <= wants + {5'd0, aw_taken} - {5'd0, finished};
            earlies <= beats - used;
        end
    integer        m;
    always @(posedge clk) begin
        for (m = 0; m < MOST; m = m + 1)
            if (aw_taken && m[5:0] == wants - {5'd0, finished}) wanting[m] <= came;
            else if (finished && m + 1 < MOST) wanting[m] <= wanting[(m + 1 < MOST) ? m + 1 : 0];
        for (m = 0; m < EARLY; m = m + 1)
            if (m[5:0] + used < earlies) early[m] <= early[(m + {26'd0, used} < EARLY) ? m + {26'd0, used} : 0];
            else if (w_taken && m[5:0] + used == earlies) early[m] <= {wstrb, wlast};
    end

    // ---- responses to writes: how many of each ID are due
    reg  [5:0]    due [0:(1<<ID)-1];
    wire [ID-1:0] done_id = head[25 +: ID];
    wire          b_good  = b_shown && due[bid] != 6'd0;
    integer       k;
    initial begin
        all_due = 6'd0;
        for (k = 0; k < (1 << ID); k = k + 1) due[k] = 6'd0;
    end
    always @(posedge clk) begin
        all_due <= rst ? 6'd0 : all_due + {5'd0, finished} - {5'd0, b_good};
        for (k = 0; k < (1 << ID); k = k + 1)
            due[k] <= rst ? 6'd0 : due[k] + {5'd0, finished && done_id == k[ID-1:0]}
                      - {5'd0, b_good && bid == k[ID-1:0]};
    end
    assign broken[`AXI_B_ALONE] = b_shown && all_due == 6'd0;
    assign broken[`AXI_B_ID]    = b_shown && all_due != 6'd0 && !b_good;
    assign broken[`AXI_B_RESP]  = b_shown && bresp == 2'b01;

    // ---- reads: those under way, the oldest first
    reg  [ID+7:0] reading [0:MOST-1];         // {ID, beats that are to come, less one}
    reg  [5:0]    reads;
    reg  [5:0]    at;                         // the oldest with this ID; `reads`: none
    wire          r_due  = r_shown && at != reads;
    reg  [7:0]    left;                       // of it
    wire          r_ends = r_due && (rlast || left == 8'd0);
    integer       n, p;
    always @* begin
        at   = reads;
        left = 8'd0;
        for (n = MOST - 1; n >= 0; n = n - 1)
            if (n[5:0] < reads && reading[n][ID+7:8] == rid) begin
                at   = n[5:0];
                left = reading[n][7:0];
            end
    end
    initial reads = 6'd0;
    always @(posedge clk)
        if (rst) reads <= 6'd0;
        else     reads <= reads + {5'd0, ar_taken} - {5'd0, r_ends};
    always @(posedge clk)
        for (p = 0; p < MOST; p = p + 1)
            if (ar_taken && p[5:0] == reads - {5'd0, r_ends}) reading[p] <= {arid, arlen};
            else if (r_ends && p[5:0] >= at && p + 1 < MOST)  reading[p] <= reading[(p + 1 < MOST) ? p + 1 : 0];
            else if (r_due && !r_ends && p[5:0] == at)        reading[p] <= {reading[p][ID+7:8], left - 8'd1};

    assign reads_full           = reads >= BURSTS[5:0];
    assign broken[`AXI_R_ALONE] = r_shown && reads == 6'd0;
    assign broken[`AXI_R_ID]    = r_shown && reads != 6'd0 && !r_due;
    assign broken[`AXI_R_LAST]  = r_due && rlast != (left == 8'd0);
    assign broken[`AXI_R_RESP]  = r_shown && rresp == 2'b01;

    wire unused_here = &{1'b0, unused, after, awaddr, araddr};
endmodule
`default_nettype wire
