// Two channels, a clock, a reset, a string; a file .probes behind it.
`timescale 1ns / 1ps
module stream #(parameter WIDTH = 8, parameter [7:0] NAME = "x") (
    input  wire             clk, rst_n,
    input  wire [WIDTH-1:0] s_axis_tdata,
    input  wire             s_axis_tvalid,
    output wire             s_axis_tready,
    output reg  [WIDTH-1:0] m_axis_tdata,
    output reg              m_axis_tvalid,
    input  wire             m_axis_tready
);
    /* a comment // in another */ assign s_axis_tready = !m_axis_tvalid || m_axis_tready;
    always @(posedge clk)
        if (!rst_n) m_axis_tvalid <= 1'b0;
        else if (s_axis_tready) begin
            m_axis_tvalid <= s_axis_tvalid;
            m_axis_tdata  <= s_axis_tdata;
        end
endmodule
//probes
# MODULE PROBE [@CLOCK] = EXPRESSION
stream probe_busy = m_axis_tvalid
stream probe_stall_reader @clk = m_axis_tvalid && !m_axis_tready
