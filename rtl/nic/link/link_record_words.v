// Words of check records in a module without CRC engine (link_tx, CRCS = 0). Their headers differ only in flow and
// units, so the CRC takes few LUTs.
//
//     clock     n        n+1      n+2      n+3
//     take    /~~~~~~~~\__________________________    flow and units are taken; it restarts with each one, so it may be
//                                                     up before, too
//     high    __________/~~~~~~~~\________________    of a record; all low: `word` is 0
//     low     ___________________/~~~~~~~~\_______
//     last    ____________________________/~~~~~~~~
//     word              |flow    |units   |CRC    |
//
// The CRC (polynomial and initial value: crc16_word64) is linear. It starts with its value behind 52 bits of zeros;
// units[11:6] are added in the clock of `high`, together with the part of the flow, and units[5:0] in the next one.
`default_nettype none
module link_record_words (
    input  wire        clk,
    input  wire        take,
    input  wire [6:0]  flow,
    input  wire [11:0] units,
    input  wire        high,
    input  wire        low,
    input  wire        last,
    output wire [31:0] word
);
    localparam [15:0] INITIAL    = 16'hFFFF;
    localparam [15:0] POLYNOMIAL = 16'h1021;

    // remainder of a CRC behind this many zeros, 52 at most
    function [15:0] behind;
        input [15:0] crc_before;
        input [31:0] zeros;
        integer i;
        begin
            behind = crc_before;
            for (i = 0; i < 52; i = i + 1)
                if (i < zeros) behind = {behind[14:0], 1'b0} ^ (POLYNOMIAL & {16{behind[15]}});
        end
    endfunction

    // parts of the bits of the flow, behind all but the last six bits of the header
    localparam [15:0] START = behind(INITIAL, 52);
    localparam [15:0] BIT0 = behind(POLYNOMIAL, 50), BIT1 = behind(BIT0, 1), BIT2 = behind(BIT0, 2),
                      BIT3 = behind(BIT0, 3), BIT4 = behind(BIT0, 4), BIT5 = behind(BIT0, 5), BIT6 = behind(BIT0, 6);

    reg  [6:0]  flow_kept;         // 0 behind `high`
    reg  [11:0] units_kept;
    reg  [15:0] crc;
    wire [15:0] flow_part = (BIT0 & {16{flow_kept[0]}}) ^ (BIT1 & {16{flow_kept[1]}}) ^ (BIT2 & {16{flow_kept[2]}})
                            ^ (BIT3 & {16{flow_kept[3]}}) ^ (BIT4 & {16{flow_kept[4]}}) ^ (BIT5 & {16{flow_kept[5]}})
                            ^ (BIT6 & {16{flow_kept[6]}});
    wire [5:0]  bits      = high ? units_kept[11:6] : units_kept[5:0];

    always @(posedge clk)
        if (take) begin
            flow_kept  <= flow;
            units_kept <= units;
            crc        <= START;
        end else begin
            flow_kept  <= 7'd0;
            crc        <= behind(crc ^ {bits, 10'd0}, 6) ^ flow_part;
        end

    assign word = {1'b0, flow_kept & {7{high}}, 8'd0, (crc & {16{last}}) | {4'd0, units_kept & {12{low}}}};

    // ---- measuring
    wire probe_busy = high || low || last;
endmodule
`default_nettype wire
