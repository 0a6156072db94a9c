// Proof of cells that carry something between two free clocks (as prove_fifo_async). CLOCKS=free. CELL:
//
//   0  sync_event   as many pulses as there were, none before it was sent; the next one at the latest in the fourth
//                   clock without one
//   1  sync_pulse   the same of single pulses
//   2  sync_word    what arrives is the last word that was sampled, and is shown once
//   3  sync_held    the same as of sync_pulse; each brings the value that the source holds until the next one
//
// Assumed: no more than 2**LOG2 - 1 pulses are under way; those of sync_pulse and sync_held are 3 clocks of the
// destination apart. Both sides have an edge in reset before either leaves it. (Departures of the switch are 6 clocks
// apart, see prove_switch_departures, in clocks that differ by some ppm only.)
`default_nettype none
module prove_crossings #(
    parameter CELL = 0,
    // pulses that may be under way; clocks of the destination between two
    parameter MOST = (CELL == 0) ? 3 : 1,
    parameter APART = (CELL == 1 || CELL == 3) ? 3 : 0
) (
    input  wire       src_clk,
    input  wire       dst_clk,
    input  wire       any_start,
    input  wire       any_event,
    input  wire [1:0] any_data,
    output wire       bad
);
    reg        src_seen, dst_seen, src_go, dst_go;     // an edge in reset; out of reset
    initial    {src_seen, dst_seen, src_go, dst_go} = 4'd0;
    always @(posedge src_clk) begin
        src_seen <= 1'b1;
        src_go   <= src_go || (src_seen && dst_seen && any_start);
    end
    always @(posedge dst_clk) begin
        dst_seen <= 1'b1;
        dst_go   <= dst_go || (src_seen && dst_seen && any_start);
    end

    // ---- numbers of pulses, modulo 8; clocks of the destination since the last one, and for which one has been due
    reg  [2:0] sent, came, sent_seen;
    reg  [1:0] apart;
    reg  [2:0] due;
    wire       event_out, taken;
    wire [2:0] under_way = sent - came;
    wire       far       = APART == 0 || (sent_seen == sent && apart >= APART);
    wire       event_in  = any_event && src_go && dst_go && under_way < MOST && far;
    wire       arrives   = CELL == 2 ? taken && src_go : event_in;
    always @(posedge src_clk)
        if (!src_go) sent <= 3'd0;
        else         sent <= sent + {2'd0, arrives};
    always @(posedge dst_clk)
        if (!dst_go) {came, sent_seen, apart, due} <= {3'd0, 3'd0, 2'd3, 3'd0};
        else begin
            came      <= came + {2'd0, event_out};
            sent_seen <= sent;
            apart     <= sent_seen != sent ? 2'd0 : apart == 2'd3 ? 2'd3 : apart + 2'd1;
            due       <= event_out || under_way == 3'd0 ? 3'd0 : due + 3'd1;
        end

    reg  [1:0] last, last_then;                        // the word sampled last, as the destination's last edge saw it
    wire [1:0] word;
    reg  [1:0] held;                                   // with the last pulse
    wire [1:0] held_now = event_in ? any_data : held;
    always @(posedge src_clk) held <= held_now;
    always @(posedge src_clk) if (CELL == 3 ? event_in : taken) last <= any_data;
    always @(posedge dst_clk) last_then <= last;
    generate
        if (CELL == 0) begin : events
            sync_event #(.LOG2(2)) dut (.src_clk (src_clk), .src_rst (!src_go), .src_event (event_in),
                                        .dst_clk (dst_clk), .dst_rst (!dst_go), .dst_event (event_out));
            assign {taken, word} = 3'd0;
        end else if (CELL == 1) begin : pulses
            sync_pulse dut (.src_clk (src_clk), .src_rst (!src_go), .src_pulse (event_in), .dst_clk (dst_clk),
                            .dst_rst (!dst_go), .dst_pulse (event_out));
            assign {taken, word} = 3'd0;
        end else if (CELL == 3) begin : values
            sync_held #(.WIDTH(2)) dut (.src_clk (src_clk), .src_rst (!src_go), .src_pulse (event_in),
                                        .src_data (held_now), .dst_clk (dst_clk), .dst_rst (!dst_go),
                                        .dst_pulse (event_out), .dst_data (word));
            assign taken = 1'b0;
        end else begin : words
            wire wake;
            sync_word #(.WIDTH(2)) dut (.src_clk (src_clk), .src_rst (!src_go), .src_data (any_data),
                                        .src_taken (taken), .dst_clk (dst_clk), .dst_run_clk (dst_clk),
                                        .dst_wake (wake), .dst_rst (!dst_go), .dst_data (word),
                                        .dst_update (event_out));
        end
    endgenerate

    assign bad = src_go && dst_go
                 && ((event_out && under_way == 3'd0) || due >= 3'd5 || (CELL >= 2 && event_out && word != last_then));
endmodule
`default_nettype wire
