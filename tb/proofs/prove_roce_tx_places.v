// Proof of roce_tx, its payloads at most 16 bytes and its FIFO for frames smaller by as much: `bad` is never high,
// whatever commands come, however late their payload is, and whenever the MAC takes a word.
//
//   frames      a word of a frame finds a place: a frame begins only if there is one for the longest, and for the words
//               before it that are still on their way
//   reports     so does the report at its end
//
// Assumed: commands have no more than 16 bytes of payload. MEMORIES=free, so that is said of the job at the head of the
// queue; the words in roce_tx_icrc are seen. `lemmas` is what makes a step enough.
`default_nettype none
module prove_roce_tx_places #(
    // 0: what is claimed alone, for faults
    parameter LEMMAS = 1
) (
    input  wire         clk,
    input  wire         any_enable,
    input  wire         any_cmd,
    input  wire [127:0] any_row,
    input  wire [1:0]   any_ready,
    input  wire         any_read,
    output wire         bad
);
    reg running;                      // 0 in the first clock
    initial running = 1'b0;

    (* hierconn *) wire \tx.whole_valid , \tx.data_wr_ready , \tx.data_too_long , \tx.ended , \tx.reports_full ;
    (* hierconn *) wire \tx.frame.going , \tx.word_valid , \tx.word_last , \tx.room ;
    (* hierconn *) wire [12:0] \tx.job_length ;
    (* hierconn *) wire [9:0] \tx.frame.left ;
    (* hierconn *) wire [5:0] \tx.frames.used , \tx.frames.whole , \tx.frames.rd_pointer ;
    (* hierconn *) wire \tx.frames.swallow ;
    (* hierconn *) wire [6:0] \tx.reports ;
    (* hierconn *) wire [4:0] \tx.icrc.valid ;
    (* hierconn *) wire [3:0] \tx.icrc.at ;
    (* hierconn *) wire [106:0] \tx.icrc.ring[0] , \tx.icrc.ring[1] , \tx.icrc.ring[2] , \tx.icrc.ring[3] ;
    (* hierconn *) wire [106:0] \tx.icrc.ring[4] , \tx.icrc.ring[5] , \tx.icrc.ring[6] , \tx.icrc.ring[7] ;
    (* hierconn *) wire [106:0] \tx.icrc.ring[8] , \tx.icrc.ring[9] , \tx.icrc.ring[10] , \tx.icrc.ring[11] ;
    (* hierconn *) wire [106:0] \tx.icrc.ring[12] , \tx.icrc.ring[13] , \tx.icrc.ring[14] , \tx.icrc.ring[15] ;
    reg  short;                       // as is assumed, so far
    wire still = (short || !running) && \tx.job_length <= 13'd16;
    always @(posedge clk) begin
        running <= 1'b1;
        short   <= still;
    end

    roce_tx #(.BYTES(8)) tx (
        .clk (clk), .rst (!running), .chip_enable (any_enable), .udp_source (16'd0), .mac (48'd0), .ipv4 (32'd0),
        .ipv6 (128'd0), .cfg_data (any_row), .ack_valid (1'b0), .ack_qp (7'd0), .ack_psn (24'd0), .ack_syndrome (8'd0),
        .ack_msn (24'd0), .cmd_valid (any_cmd && running), .cmd_qp (7'd0), .cmd_opcode (8'd0), .cmd_psn (24'd0),
        .cmd_ackreq (1'b0), .cmd_va (64'd0), .cmd_rkey (32'd0), .cmd_dma_length (32'd0), .cmd_inline (1'b0),
        .cmd_data (128'd0), .cmd_addr (32'd0), .cmd_length (13'd16), .top_arready (any_ready[0]),
        .top_rvalid (any_read && running), .top_rdata (64'd0), .top_rresp (2'd0), .top_rlast (1'b1),
        .tx_tready (any_ready[1]), .tx_other_tdata (64'd0), .tx_other_tkeep (8'd0), .tx_other_tlast (1'b0),
        .tx_other_tvalid (1'b0)
    );

    // ---- lemmas: words and frames that are on their way, and what is left of the one that goes, have places
    wire [15:0] ends = {\tx.icrc.ring[15] [65], \tx.icrc.ring[14] [65], \tx.icrc.ring[13] [65], \tx.icrc.ring[12] [65],
                        \tx.icrc.ring[11] [65], \tx.icrc.ring[10] [65], \tx.icrc.ring[9] [65], \tx.icrc.ring[8] [65],
                        \tx.icrc.ring[7] [65], \tx.icrc.ring[6] [65], \tx.icrc.ring[5] [65], \tx.icrc.ring[4] [65],
                        \tx.icrc.ring[3] [65], \tx.icrc.ring[2] [65], \tx.icrc.ring[1] [65], \tx.icrc.ring[0] [65]};
    reg [9:0] words;
    reg [7:0] frames;
    integer   k;
    always @* begin
        words  = {4'd0, \tx.frames.used } + {9'd0, \tx.word_valid };
        frames = {1'b0, \tx.reports } + {7'd0, \tx.frame.going } + {7'd0, \tx.word_valid && \tx.word_last };
        for (k = 0; k < 5; k = k + 1) begin
            words  = words + {9'd0, \tx.icrc.valid [k]};
            frames = frames + {7'd0, \tx.icrc.valid [k] && ends[(\tx.icrc.at - k[3:0] - 4'd1) & 4'd15]};
        end
        if (\tx.frame.going ) words = words + \tx.frame.left ;
    end
    wire [5:0] shown = \tx.frames.whole - \tx.frames.rd_pointer ;     // words of whole frames
    wire lemmas = shown <= \tx.frames.used && !\tx.frames.swallow && words <= 10'd32 && frames <= 8'd64
                  && (!\tx.frame.going || (\tx.frame.left != 10'd0 && \tx.frame.left <= 10'd15))
                  && (!\tx.room || (\tx.frames.used <= 6'd2 && \tx.reports <= 7'd48));

    assign bad = running && still && ((\tx.whole_valid && (!\tx.data_wr_ready || \tx.data_too_long ))
                                      || (\tx.ended && \tx.reports_full ) || (LEMMAS != 0 && !lemmas));
endmodule
`default_nettype wire
