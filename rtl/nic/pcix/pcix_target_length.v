// Number of data phases of a burst, and its last byte. Combinational, from address and attribute phase: its probes are
// in pcix_target.
//
// A burst that would run past the end of a BAR is limited to it: `runs_over` then requests Disconnect at Next ADB in
// the last 128 bytes, and `phases` ends there.
`default_nettype none
module pcix_target_length #(
    // log2 of the bytes in the BAR whose end matters
    parameter BAR_BITS = 15
) (
    input  wire [12:0]         address_low,      // of the first byte, modulo 8192
    input  wire [BAR_BITS-1:2] address,          // inside the BAR
    input  wire                limited,          // the BAR's end matters
    input  wire [11:0]         byte_count,       // 0 means 4096
    input  wire                wide,             // 64-bit data phases
    input  wire                single,           // a DWORD command
    output wire [10:0]         phases,           // data phases, at most up to the end of the BAR
    output wire                runs_over,        // it has more bytes than the BAR from there on
    output wire [12:0]         last_byte         // address of the last byte, modulo 8192
);
    wire [12:0] count    = {byte_count == 12'd0, byte_count};
    wire [12:0] wide_end = count + {10'd0, address_low[2:0]} + 13'd7;
    wire [12:0] half_end = count + {11'd0, address_low[1:0]} + 13'd3;
    wire [10:0] wanted   = wide ? {1'b0, wide_end[12:3]} : half_end[12:2];

    localparam WIDTH = BAR_BITS - 1;
    wire [WIDTH-1:0] dwords_left = {1'b1, {WIDTH-1{1'b0}}} - {1'b0, address};
    wire [WIDTH-1:0] room        = wide ? (dwords_left + {{WIDTH-1{1'b0}}, 1'b1}) >> 1 : dwords_left;
    wire [31:0]      room_full   = {{32-WIDTH{1'b0}}, room};
    wire [31:0]      wanted_full = {21'd0, wanted};

    assign runs_over = limited && !single && (wanted_full > room_full);
    assign phases    = single ? 11'd1 : runs_over ? room_full[10:0] : wanted;
    assign last_byte = address_low + count - 13'd1;

    wire unused_bits  = ^{wide_end[2:0], half_end[1:0], room_full[31:11]};
endmodule
`default_nettype wire
