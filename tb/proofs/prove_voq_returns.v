// Proof of voq_returns: `bad` is never high, whatever is asked for, however late it arrives and whenever it is taken.
//
//   places   a word that was asked for has a place, and keeps it until it is taken
//   order    words come out with their VOQ and mark in the order in which they were asked for
//
// Assumed: `ask` only with `room`; no `clear` (voq_body waits for `none` behind one). A word is its number, and so is
// its VOQ. `lemmas` is what makes a step enough.
`default_nettype none
module prove_voq_returns #(
    // 1: words are asked for without a look at `room`
    parameter BLIND = 0,
    // 0: what is claimed alone, for faults
    parameter LEMMAS = 1
) (
    input  wire clk,
    input  wire any_ask,
    input  wire any_come,
    input  wire any_ready,
    output wire bad
);
    reg running;                      // 0 in the first clock
    initial running = 1'b0;
    always @(posedge clk) running <= 1'b1;

    reg  [4:0]  asked, came, taken;   // words
    wire        room, mark, valid, unexpected, none;
    wire [4:0]  voq, n_asked, n_handed;
    wire [67:0] data;
    wire        ask  = any_ask && running && (room || BLIND != 0);
    wire        come = any_come && running && came != asked;
    always @(posedge clk)
        if (!running) {asked, came, taken} <= 15'd0;
        else begin
            asked <= asked + {4'd0, ask};
            came  <= came + {4'd0, come};
            taken <= taken + {4'd0, valid && any_ready};
        end

    voq_returns #(.LOG2_VOQS(5)) returns (
        .clk (clk), .rst (!running), .clear (1'b0), .ask (ask), .ask_voq (asked), .ask_mark (asked[0]), .room (room),
        .come_valid (come), .come_mark (mark), .come_data ({63'd0, came}), .out_valid (valid), .out_voq (voq),
        .out_data (data), .out_ready (any_ready), .none (none), .asked (n_asked), .handed (n_handed),
        .unexpected (unexpected)
    );

    // ---- lemmas: what is in the places
    (* hierconn *) wire [4:0] \returns.come , \returns.next ;
    (* hierconn *) wire [5:0] \returns.voqs[0] , \returns.voqs[1] , \returns.voqs[2] , \returns.voqs[3] ;
    (* hierconn *) wire [5:0] \returns.voqs[4] , \returns.voqs[5] , \returns.voqs[6] , \returns.voqs[7] ;
    (* hierconn *) wire [5:0] \returns.voqs[8] , \returns.voqs[9] , \returns.voqs[10] , \returns.voqs[11] ;
    (* hierconn *) wire [5:0] \returns.voqs[12] , \returns.voqs[13] , \returns.voqs[14] , \returns.voqs[15] ;
    (* hierconn *) wire [72:0] \returns.words[0] , \returns.words[1] , \returns.words[2] , \returns.words[3] ;
    (* hierconn *) wire [72:0] \returns.words[4] , \returns.words[5] , \returns.words[6] , \returns.words[7] ;
    (* hierconn *) wire [72:0] \returns.words[8] , \returns.words[9] , \returns.words[10] , \returns.words[11] ;
    (* hierconn *) wire [72:0] \returns.words[12] , \returns.words[13] , \returns.words[14] , \returns.words[15] ;
    wire [95:0]  voqs = {
        \returns.voqs[15] , \returns.voqs[14] , \returns.voqs[13] , \returns.voqs[12] , \returns.voqs[11] ,
        \returns.voqs[10] , \returns.voqs[9] , \returns.voqs[8] , \returns.voqs[7] , \returns.voqs[6] ,
        \returns.voqs[5] , \returns.voqs[4] , \returns.voqs[3] , \returns.voqs[2] , \returns.voqs[1] ,
        \returns.voqs[0] };
    wire [159:0] words = {
        \returns.words[15] [72:68], \returns.words[15] [4:0], \returns.words[14] [72:68], \returns.words[14] [4:0],
        \returns.words[13] [72:68], \returns.words[13] [4:0], \returns.words[12] [72:68], \returns.words[12] [4:0],
        \returns.words[11] [72:68], \returns.words[11] [4:0], \returns.words[10] [72:68], \returns.words[10] [4:0],
        \returns.words[9] [72:68], \returns.words[9] [4:0], \returns.words[8] [72:68], \returns.words[8] [4:0],
        \returns.words[7] [72:68], \returns.words[7] [4:0], \returns.words[6] [72:68], \returns.words[6] [4:0],
        \returns.words[5] [72:68], \returns.words[5] [4:0], \returns.words[4] [72:68], \returns.words[4] [4:0],
        \returns.words[3] [72:68], \returns.words[3] [4:0], \returns.words[2] [72:68], \returns.words[2] [4:0],
        \returns.words[1] [72:68], \returns.words[1] [4:0], \returns.words[0] [72:68], \returns.words[0] [4:0]};
    reg  [4:0] number;
    reg        fit;
    integer    k;
    always @* begin
        fit    = 1'b1;
        number = 5'd0;
        for (k = 0; k < 16; k = k + 1) begin
            number = taken + k[4:0];
            fit    = fit && (asked - taken <= k[4:0] || voqs[6*number[3:0] +: 6] == {number, number[0]})
                     && (came - taken <= k[4:0] || words[10*number[3:0] +: 10] == {number, number});
        end
    end
    wire lemmas = fit && n_asked == asked && \returns.come == came && n_handed == taken && asked - taken <= 5'd16
                  && came - taken <= asked - taken && \returns.next == taken + {4'd0, valid}
                  && (!valid || came != taken);

    assign bad = running && ((LEMMAS != 0 && !lemmas) || unexpected || (come && mark != came[0])
                             || (valid && (voq != taken || data[4:0] != taken)));
endmodule
`default_nettype wire
