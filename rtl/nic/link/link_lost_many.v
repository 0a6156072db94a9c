// Several links by packet: finds sources that may have lost so many packets in a row that no number shows it (n x
// 1024).
//
// Check records report the units lost on a link. When the first packet after the loss arrives, the last part of it may
// not be reported yet: on each link a buffer full at most, since the sender has no credit for more (lost units are
// forwarded only when a record has reported them). So of 1024 smallest packets LIMIT units have been reported at least,
// over all links together. For each source the units reported since its last packet are counted in steps of half of
// LIMIT: 0, 1 or 2; LIMIT units always reach 2. A packet of a source with 2 is `suspect`. If none of its packets was
// lost, its notification carries a false loss indication: that takes a source that was silent while others lost as
// much. The order of two packets on links of unlike length is not known; so a loss may be missed if the packet before
// it is overtaken by the reports. Headers are reported one per clock, so a packet that arrives over another link within
// LINKS clocks of such a one gets a loss indication as well.
//
// With N2H of more than 1023 / LINKS words all of the loss may be unreported, unseen; the steps are 256 units then.
`default_nettype none
module link_lost_many #(
    // links, 2..4
    parameter LINKS = 2,
    // sources, 8 or 16
    parameter SOURCES = 8,
    // words that the N2H of a link holds
    parameter DEPTH = 511
) (
    input  wire                clk,
    input  wire                rst,
    input  wire [LINKS*13-1:0] lost_units,        // units that a record has reported as missing on link l in this clock
    input  wire                stored,            // a header is stored in N2H, or was some clocks ago (link_order)
    input  wire [$clog2(SOURCES)-1:0] stored_source,
    output wire [SOURCES-1:0]  suspect        // bit s: the next packet of source s may follow such a loss
);
    localparam [31:0] LOST  = 1024 * 6;       // units of 1024 smallest packets
    localparam [31:0] HIDES = LINKS * 2 * DEPTH;
    localparam [31:0] HALF  = (LOST >= HIDES + 32'd512) ? (LOST - HIDES) / 2 : 32'd256;
    localparam [14:0] STEP  = HALF[14:0];

    initial
        if (LINKS < 2 || LINKS > 4 || SOURCES < 2 || SOURCES > 16 || (SOURCES & (SOURCES - 1)) != 0 || DEPTH < 1
            || DEPTH > 1023) begin
            $display("%m: LINKS must be 2..4, is %0d; SOURCES 2, 4, 8 or 16, is %0d; DEPTH 1..1023, is %0d", LINKS,
                     SOURCES, DEPTH);
            $finish;
        end

    reg  [14:0]        total;                 // since the last step
    reg  [SOURCES-1:0] one;                   // of steps since the last packet
    reg  [SOURCES-1:0] two;
    wire               step = (total >= STEP);

    assign suspect = two;

    wire [SOURCES-1:0] from_one = {{SOURCES-1{1'b0}}, stored} << stored_source;
    reg  [14:0]        news;
    integer l;
    always @* begin
        news  = 15'd0;
        for (l = 0; l < LINKS; l = l + 1) news = news + {2'd0, lost_units[13*l +: 13]};
    end

    always @(posedge clk)
        if (rst) begin
            total <= 15'd0;
            one   <= {SOURCES{1'b0}};
            two   <= {SOURCES{1'b0}};
        end else begin
            total <= total + news - (step ? STEP : 15'd0);
            one   <= (one | {SOURCES{step}}) & ~from_one;
            two   <= (two | (one & {SOURCES{step}})) & ~from_one;
        end

    wire probe_busy = step;
endmodule
`default_nettype wire
