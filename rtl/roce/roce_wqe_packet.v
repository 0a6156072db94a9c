// Decodes a WQE (S5 table 2-1), and the packet of it with number `place`. Combinational.
//
// Kinds: SEND and WRITE are cut by the path MTU; a READ is one request, and its `packets` are those of the answer. A
// READ requested from packet `place` on requests only the remainder.
//
// An invalid WQE is refused, with the reasons in `refused`, a bit each:
//   0 opcode other than WRITE, READ, SEND  1 SEND of 0 bytes (S5 unsupported features)  2 LADDR above 4 GiB
//   3 more than 2^31 bytes (IBA 9.7.1)     4 its data would end above 4 GiB             5 QP 1: no SEND, or over MTU
// Path MTU codes 5 to 7 (S5: reserved) count as 4, 4096 bytes.
`default_nettype none
module roce_wqe_packet (
    input  wire [511:0] wqe,
    input  wire [2:0]   mtu_code,       // QPCONF[10:8]
    input  wire         datagrams,      // QP 1
    input  wire [23:0]  place,          // number of the packet, 0 is the first one

    output wire         is_read,
    output wire [5:0]   refused,        // reasons; 0: it is good
    output wire [23:0]  packets,        // of the whole message, >= 1
    output wire [7:0]   opcode,         // of the packet (IBA 9.2.1)
    output wire         last,           // the packet is the message's last one; a READ request always is
    output wire         inline_data,    // the payload is SDATA
    output wire [12:0]  mtu,            // bytes
    output wire [12:0]  payload,        // bytes of packet `place`, of a READ's answer, too
    output wire         ends,           // packet `place` ends the message, or the READ's answer
    output wire [31:0]  left,           // bytes from `place` on
    output wire [31:0]  address,        // of the payload in local memory
    output wire [63:0]  remote          // address at the other end
);
    localparam [7:0] WRITE = 8'h00, SEND = 8'h02, READ = 8'h04;

    wire [31:0] length = wqe[127:96];
    wire [7:0]  kind   = wqe[135:128];
    wire [2:0]  code   = (mtu_code > 3'd4) ? 3'd4 : mtu_code;
    wire [3:0]  shift  = {1'b1, code};                       // 8 .. 12
    wire [31:0] up     = length + {19'd0, mtu} - 32'd1;
    wire [31:0] count  = up >> shift;
    wire [31:0] offset = {8'd0, place} << shift;
    wire        first  = (place == 24'd0);
    wire        send   = (kind == SEND);

    assign is_read     = (kind == READ);
    assign mtu         = 13'd256 << code;
    assign packets     = (length == 32'd0) ? 24'd1 : count[23:0];
    assign left        = length - offset;
    assign ends        = (left <= {19'd0, mtu});
    assign payload     = ends ? left[12:0] : mtu;
    assign last        = is_read || ends;
    assign inline_data = send && (length <= 32'd16);
    assign address     = wqe[63:32] + offset;
    assign remote      = wqe[223:160] + {32'd0, offset};

    // SEND 00 first, 01 middle, 02 last, 04 only; WRITE 06, 07, 08, 0A; READ 0C; datagram 64
    assign opcode = datagrams ? 8'h64 : is_read ? 8'h0c :
                    (send ? 8'h00 : 8'h06) + (first ? (ends ? 8'h04 : 8'h00) : (ends ? 8'h02 : 8'h01));

    wire [32:0] data_end = {1'b0, wqe[63:32]} + {1'b0, length};

    assign refused[0] = (kind != WRITE) && !send && !is_read;
    assign refused[1] = send && (length == 32'd0);
    assign refused[2] = (wqe[95:64] != 32'd0);
    assign refused[3] = (length > 32'h8000_0000);
    assign refused[4] = !inline_data && (data_end > 33'h1_0000_0000);
    assign refused[5] = datagrams && (!send || (length > {19'd0, mtu}));

    wire unused = &{1'b0, count[31:24], wqe[31:0], wqe[159:136], wqe[511:224]};
endmodule
`default_nettype wire
