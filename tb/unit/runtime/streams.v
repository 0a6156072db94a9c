// Modules without probes, for tb/unit/runtime/test_handshakes.c: a stream, a divider that lets its sender wait, a
// counter, a machine.
module streams (
    input clk, rst,
    input a, output a_taken, output b, input b_taken, // words through the stage
    input divide, output divided,                     // a job of the divider, held until it is taken
    input count, output [70:0] counted,
    input go, output [1:0] at
);
    stream_stage stage (.aclk(clk), .rst(rst), .s_axis_tvalid(a), .s_axis_tready(a_taken), .m_axis_tvalid(b),
                        .m_axis_tready(b_taken));
    stream_divider divider (.i_clk(clk), .i_reset(rst), .i_valid(divide), .o_ready(divided));
    stream_counter counter (.clk(clk), .rst(rst), .count(count), .counted(counted));
    stream_machine machine (.clk(clk), .rst(rst), .go(go), .at(at));
endmodule

module stream_stage (input aclk, rst, s_axis_tvalid, output s_axis_tready, output reg m_axis_tvalid,
                     input m_axis_tready);
    assign s_axis_tready = !m_axis_tvalid || m_axis_tready;
    always @(posedge aclk)
        if (rst) m_axis_tvalid <= 1'b0;
        else if (s_axis_tready) m_axis_tvalid <= s_axis_tvalid;
endmodule

// Takes a job in the third clock in which it is offered.
module stream_divider (input i_clk, i_reset, i_valid, output o_ready);
    reg [1:0] left;
    assign o_ready = left == 2'd0;
    always @(posedge i_clk)
        if (i_reset || (i_valid && o_ready)) left <= 2'd2;
        else if (i_valid) left <= left - 2'd1;
endmodule

module stream_counter (input clk, rst, count, output reg [70:0] counted);
    always @(posedge clk)
        if (rst) counted <= 71'd0;
        else if (count) counted <= counted + {1'b1, 69'd0, 1'b1};
endmodule

module stream_machine (input clk, rst, go, output reg [1:0] at);
    localparam [1:0] REST = 2'd0, WORK = 2'd1, LAST = 2'd2;
    always @(posedge clk)
        if (rst) at <= REST;
        else
            case (at)
                REST:    if (go) at <= WORK;
                WORK:    at <= LAST;
                default: at <= REST;
            endcase
endmodule
