// Several links by packet: sources of which so many packets may have been lost in a row that no number shows it (1024, or a multiple).
//
// What is missing on a link is told by its check records. When the first packet after the loss comes, the last part of it may not have
// been told: on each link a buffer full at most, since the sender has no credit for more (units that are lost are forwarded only when a
// record has told of them). So of 1024 smallest packets LIMIT units have been told at least, over all links together. For each source it is
// kept how much has been told since its last packet: 0, 1, or 2 steps of half of LIMIT; 2 of them are reached by LIMIT units at the latest.
// A packet of a source with 2 is `suspect`. If nothing of its source was lost its notification is flagged for nothing: that takes a
// source that was silent while others lost as much. Which of two packets on links of unlike length came first is not known; so a loss whose
// last packet before it is overtaken by what was told of it may be missed. Headers are told one per clock, so a packet that comes over
// another link within LINKS clocks of such a one is flagged as well.
//
// With N2H of more than 1023 / LINKS words all of the loss may be untold, so nothing shows it; the steps are 256 units then.
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
    input  wire [LINKS*13-1:0] told,          // units that a record has told as missing on link l in this clock
    input  wire                stored,        // the header of a packet is stored in N2H, or was some clocks ago (link_order)
    input  wire [$clog2(SOURCES)-1:0] stored_source,
    output wire [SOURCES-1:0]  suspect        // bit s: the next packet of source s may come after such a loss
);
    localparam [31:0] LOST  = 1024 * 6;       // units of so many smallest packets
    localparam [31:0] HIDES = LINKS * 2 * DEPTH;
    localparam [31:0] HALF  = (LOST >= HIDES + 32'd512) ? (LOST - HIDES) / 2 : 32'd256;
    localparam [14:0] STEP  = HALF[14:0];

    initial
        if (LINKS < 2 || LINKS > 4 || SOURCES < 2 || SOURCES > 16 || (SOURCES & (SOURCES - 1)) != 0 || DEPTH < 1 || DEPTH > 1023) begin
            $display("%m: LINKS must be 2..4, is %0d; SOURCES 2, 4, 8 or 16, is %0d; DEPTH 1..1023, is %0d", LINKS, SOURCES, DEPTH);
            $finish;
        end

    reg  [14:0]        total;                 // since the last step
    reg  [SOURCES-1:0] one;                   // of steps since the last packet
    reg  [SOURCES-1:0] two;
    wire               step = (total >= STEP);

    assign suspect = two;

    wire [SOURCES-1:0] comes = {{SOURCES-1{1'b0}}, stored} << stored_source;
    reg  [14:0]        news;
    integer l;
    always @* begin
        news  = 15'd0;
        for (l = 0; l < LINKS; l = l + 1) news = news + {2'd0, told[13*l +: 13]};
    end

    always @(posedge clk)
        if (rst) begin
            total <= 15'd0;
            one   <= {SOURCES{1'b0}};
            two   <= {SOURCES{1'b0}};
        end else begin
            total <= total + news - (step ? STEP : 15'd0);
            one   <= (one | {SOURCES{step}}) & ~comes;
            two   <= (two | (one & {SOURCES{step}})) & ~comes;
        end

    wire probe_busy = step;
endmodule
`default_nettype wire
