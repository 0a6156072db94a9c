// Words of frames from headers and payload: the payload begins in mid-word, at the byte behind the headers; zeros
// follow for pad and ICRC, which roce_tx_icrc inserts.
//
// A frame begins when its headers are ready and `room` is high: the FIFO behind has words for the longest frame. The
// words leave one per clock except those whose payload has not arrived yet; the next frame follows in the clock after
// the last word. The output cannot be stalled. Headers are an even number of bytes that is no multiple of four, and
// payload and pad are whole fours, so the ICRC begins at byte 2 of four, and may have a word of its own.
//
//   headers  hh hh hh hh hh hh hh hh | hh hh hh hh hh hh .. ..
//   payload                                              0  1  | 2  3  4  5  6  7  8  9  | 10 11 (pad) ...
//
// The payload is rotated to the place where it begins; of a rotated word, the bytes behind the place are sent at once,
// those before it with the next word.
`default_nettype none
module roce_tx_frame #(
    // bytes per word, 8, 16, 32 or 64
    parameter BYTES = 8,
    // bits of `info`
    parameter INFO = 39
) (
    input  wire                     clk,
    input  wire                     rst,
    input  wire                     room,
    // headers (roce_tx_header)
    input  wire                     head_valid,
    output wire                     head_taken,
    input  wire                     head_off,
    input  wire                     head_v6,
    input  wire [6:0]               head_bytes,
    input  wire [783:0]             head,
    input  wire [12:0]              head_length,   // bytes of payload behind them, without pad
    input  wire [INFO-1:0]          head_info,     // data of the frame, passed along
    // payload: exactly the words of those with a length (roce_axi_read)
    input  wire                     payload_valid,
    output wire                     payload_ready,
    input  wire [8*BYTES-1:0]       payload_data,
    input  wire                     payload_error, // with the last word of a payload: it is invalid
    // words
    output reg                      word_valid,
    output reg  [8*BYTES-1:0]       word_data,
    output reg                      word_v6,
    output reg  [3:0]               word_number,   // 0 .. 14, 15 = a later one
    output reg                      word_end,      // the last byte before the ICRC is in this word,
    output reg  [$clog2(BYTES)-3:0] word_place,    // and the ICRC begins at byte 2 of this group of four of it
    output reg                      word_last,     // the last word of the frame, the next one if the ICRC did not fit
    output reg                      word_off,      // with word_last: the frame must not leave: its QP is disabled,
    output reg                      word_error,    // or because memory failed
    output reg  [INFO-1:0]          word_info
);
    localparam LB   = $clog2(BYTES);
    localparam BITS = 8 * BYTES;

    // ---- sizes of the frame that waits
    wire [12:0]   padded  = {head_length[12:2] + {10'd0, |head_length[1:0]}, 2'b00};
    wire [12:0]   bytes   = {6'd0, head_bytes} + padded;                // before the ICRC, 54 .. 4186
    wire [12:0]   to_end  = (bytes + (BYTES[12:0] - 13'd1)) >> LB;      // words with them
    wire [12:0]   to_last = (bytes + (BYTES[12:0] + 13'd3)) >> LB;      // words with the ICRC, too
    wire [12:0]   loads   = (head_length + (BYTES[12:0] - 13'd1)) >> LB;
    wire [6:0]    before  = head_bytes >> LB;

    // ---- the frame that goes
    reg               going;
    reg  [783:0]      headers;      // the remaining ones
    reg  [3:0]        headers_left; // whole words of them
    reg  [9:0]        loads_left;   // words of payload
    reg  [9:0]        left;         // words of the frame
    reg               splits;       // its ICRC has bytes in two words
    reg  [LB-3:0]     group, place; // payload begins at byte 2 of this group of four, and so does the ICRC
    reg  [3:0]        number;
    reg               v6, off, error;
    reg  [INFO-1:0]   info;
    reg  [BITS-1:0]   carry;        // payload that waits for the next word
    reg  [BITS-1:0]   turned, word;

    wire behind   = headers_left == 4'd0;
    wire loading  = behind && loads_left != 10'd0;
    wire step     = going && (!loading || payload_valid);
    wire is_last  = left == 10'd1;
    wire [LB-1:0] start = {group, 2'b10};
    integer k, i;

    assign head_taken    = head_valid && room && (!going || (step && is_last));
    assign payload_ready = going && loading;

    always @* begin
        turned = loading ? {payload_data[BITS-17:0], payload_data[BITS-1 -: 16]} : {BITS{1'b0}};
        for (k = 2; k < LB; k = k + 1)
            if (start[k])
                turned = (turned << (8 << k)) | (turned >> (BITS - (8 << k)));
        word = headers[BITS-1:0];
        for (i = 0; i < BYTES; i = i + 1)
            if (behind)
                word[8*i +: 8] = word[8*i +: 8] | (i[LB-1:0] < start ? carry[8*i +: 8] : turned[8*i +: 8]);
    end

    always @(posedge clk)
        if (rst)             going <= 1'b0;
        else if (head_taken) going <= 1'b1;
        else if (step && is_last) going <= 1'b0;
    always @(posedge clk)
        if (head_taken) begin
            headers      <= head;
            headers_left <= before[3:0];
            loads_left   <= loads[9:0];
            left         <= to_last[9:0];
            splits       <= to_end != to_last;
            group        <= head_bytes[LB-1:2];
            place        <= bytes[LB-1:2];
            number       <= 4'd0;
            v6           <= head_v6;
            off          <= head_off;
            error        <= 1'b0;
            info         <= head_info;
            carry        <= {BITS{1'b0}};
        end else if (step) begin
            headers <= headers >> BITS;
            left    <= left - 10'd1;
            if (behind)  carry        <= turned;
            else         headers_left <= headers_left - 4'd1;
            if (loading) loads_left   <= loads_left - 10'd1;
            if (loading) error        <= payload_error;
            if (number != 4'd15) number <= number + 4'd1;
        end

    always @(posedge clk)
        word_valid <= step && !rst;
    always @(posedge clk)
        if (step) begin
            word_data   <= word;
            word_v6     <= v6;
            word_number <= number;
            word_end    <= left == (splits ? 10'd2 : 10'd1);
            word_place  <= place;
            word_last   <= is_last;
            word_off    <= off;
            word_error  <= error || (loading && payload_error);
            word_info   <= info;
        end

    wire unused = &{1'b0, to_end[12:10], to_last[12:10], loads[12:10], before[6:4]};

    // ---- measuring
    wire probe_busy          = going;
    wire probe_stall_payload = going && !step;
    wire probe_stall_room    = head_valid && !room;
endmodule
`default_nettype wire
