// Header CRC of check records, of which only flow and units differ: in three clocks, so that few LUTs do it.
//
//     clock     n        n+1      n+2      n+3
//     start   /~~~~~~~~\__________________________    the first 52 bits of the header: 0, flow, 44 zeros
//     high    __________/~~~~~~~~\________________    units[11:6]; in the next clock units[5:0]
//     crc                                 |crc   |
//
// `flow` is looked at with `start`, `units` must stand still in the two clocks behind it. Polynomial and initial value: crc16_word64.
`default_nettype none
module link_record_crc (
    input  wire        clk,
    input  wire        start,
    input  wire [6:0]  flow,
    input  wire        high,
    input  wire [11:0] units,
    output reg  [15:0] crc
);
    localparam [15:0] INITIAL    = 16'hFFFF;
    localparam [15:0] POLYNOMIAL = 16'h1021;

    // what is left of a CRC behind so many zeros
    function [15:0] behind;
        input [15:0] crc_before;
        input [31:0] zeros;
        integer i;
        begin
            behind = crc_before;
            for (i = 0; i < zeros; i = i + 1)
                behind = {behind[14:0], 1'b0} ^ (POLYNOMIAL & {16{behind[15]}});
        end
    endfunction

    // the CRC is linear: each bit of the flow adds its own part
    localparam [15:0] NONE = behind(INITIAL, 52);
    localparam [15:0] BIT0 = behind(POLYNOMIAL, 44), BIT1 = behind(BIT0, 1), BIT2 = behind(BIT0, 2), BIT3 = behind(BIT0, 3),
                      BIT4 = behind(BIT0, 4), BIT5 = behind(BIT0, 5), BIT6 = behind(BIT0, 6);

    wire [15:0] first = NONE ^ (BIT0 & {16{flow[0]}}) ^ (BIT1 & {16{flow[1]}}) ^ (BIT2 & {16{flow[2]}}) ^ (BIT3 & {16{flow[3]}})
                        ^ (BIT4 & {16{flow[4]}}) ^ (BIT5 & {16{flow[5]}}) ^ (BIT6 & {16{flow[6]}});
    wire [5:0]  bits  = high ? units[11:6] : units[5:0];

    always @(posedge clk)
        crc <= start ? first : behind(crc ^ {bits, 10'd0}, 6);

    // ---- measuring
    wire probe_busy = high;
endmodule
`default_nettype wire
