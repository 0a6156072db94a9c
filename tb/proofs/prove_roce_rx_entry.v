// Proof of roce_rx_entry: `bad` is never high, whatever frames come, and whenever descriptions and verdicts are taken.
//
//   verdicts   each verdict has a place: no more descriptions wait for theirs (`waiting`) than the queue holds
//
// `lemmas` is what makes a step enough: it waits for its frame's end, for the ICRC, or its verdict is queued.
`default_nettype none
module prove_roce_rx_entry #(
    // log2 of the verdicts, as edited
    parameter LOG2 = 9,
    // 0: what is claimed alone, for faults
    parameter LEMMAS = 1
) (
    input  wire        clk,
    input  wire        any_enable,
    input  wire        any_valid,
    input  wire [63:0] any_data,
    input  wire        any_last,
    input  wire [1:0]  any_ready,
    output wire        bad
);
    reg running;                      // 0 in the first clock
    initial running = 1'b0;
    always @(posedge clk) running <= 1'b1;

    (* hierconn *) wire \entry.verdicts_room , \entry.decided , \entry.kept_head ;
    (* hierconn *) wire [4:0] \entry.delayed ;
    (* hierconn *) wire [9:0] \entry.waiting ;
    (* hierconn *) wire [LOG2:0] \entry.verdicts.level ;
    wire verdict_valid;

    roce_rx_entry #(.BYTES(8), .LOG2_WORDS(4)) entry (
        .clk (clk), .rst (!running), .chip_enable (any_enable), .mac (48'd0), .ipv4 (32'd0), .ipv6 (128'd0),
        .rx_tvalid (any_valid && running), .rx_tdata (any_data), .rx_tkeep (8'hff), .rx_tlast (any_last),
        .rx_tuser (1'b0), .ring_fits (1'b1), .ring_start (4'd0), .ring_next (4'd0), .head_ready (any_ready[0]),
        .verdict_valid (verdict_valid), .verdict_ready (any_ready[1])
    );

    wire [9:0] before = {9'd0, \entry.decided && \entry.kept_head } + {9'd0, \entry.delayed [0]}
                        + {9'd0, \entry.delayed [1]} + {9'd0, \entry.delayed [2]} + {9'd0, \entry.delayed [3]}
                        + {9'd0, \entry.delayed [4]};
    wire lemmas = \entry.verdicts.level <= (1 << LOG2) && \entry.waiting <= (10'd1 << LOG2) + 10'd1
                  && (verdict_valid || \entry.verdicts.level <= 1)
                  && \entry.waiting == before + {9'd0, verdict_valid} + {{9-LOG2{1'b0}}, \entry.verdicts.level };

    assign bad = running && ((\entry.delayed [4] && !\entry.verdicts_room ) || (LEMMAS != 0 && !lemmas));
endmodule
`default_nettype wire
