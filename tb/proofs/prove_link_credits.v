// Proof of link_credit_rx and link_credit_news, as nic_link has them: `bad` is never high, whatever credits arrive and
// whenever the FIFO into the PCI clock is full.
//
//   heals   a credit that is accepted while the FIFO has a place is the last one of its lane there: it enters, or has
//           entered. So a credit that was lost at a full FIFO is replaced when it is repeated (link_credit_tx)
//
// With EACH = 1 all that are accepted enter. MEMORIES=seen.
`default_nettype none
module prove_link_credits (
    input  wire        clk,
    input  wire        any_lane,      // in the first clock: the lane that is followed
    input  wire        any_direct,
    input  wire [63:0] any_words,
    input  wire [9:0]  any_flags,
    input  wire        any_full,
    output wire        bad
);
    reg running, mine;                // running: 0 in the first clock
    initial running = 1'b0;
    always @(posedge clk) begin
        running <= 1'b1;
        mine    <= running ? mine : any_lane;
    end

    wire       accepted, again, news;
    wire [6:0] lane, value;
    link_credit_rx #(.FLOWS(2)) receiver (
        .clk (clk), .rst (!running), .cfg_direct (any_direct), .cfg_flow_enable (any_flags[1:0]),
        .cfg_capacity (any_words[11:0]), .ask_flow (any_words[18:12]), .ask_length (any_words[28:19]),
        .take (any_flags[2]), .credit_valid (any_flags[3]), .credit_bad (any_flags[4]), .credit_word (any_words[63:32]),
        .record_take (any_flags[5]), .record_lane (any_flags[6]), .hold (any_flags[7]), .view_flow (7'd0),
        .ev_accepted (accepted), .accepted_again (again), .accepted_lane (lane), .accepted_value (value)
    );
    link_credit_news #(.FLOWS(2)) filter (
        .clk (clk), .rst (!running), .accepted (accepted), .again (again), .lane (lane[0]), .full (any_full),
        .news (news)
    );

    reg        entered;               // a credit of the lane has,
    reg  [6:0] last;                  // ... the last one with this value
    wire       here = accepted && lane == {6'd0, mine};
    always @(posedge clk)
        if (!running) entered <= 1'b0;
        else if (here && news && !any_full) {entered, last} <= {1'b1, value};

    assign bad = running && ((accepted && lane > 7'd1) || (here && !any_full && !news && !(entered && last == value)));
endmodule
`default_nettype wire
