module old_ports (clk, full, wr_en, din, pad, \odd.name , q);
input clk, wr_en; input [0:66] din; output full; inout [3:0] pad; input \odd.name ; output q;
reg q; wire full = q; assign pad = q ? 4'bz : din[0:3];
localparam S_IDLE = 0, S_RUN = 1; reg state;
always @(posedge clk) begin state <= state == S_IDLE ? S_RUN : S_IDLE; q <= wr_en & ^din & \odd.name ; end
below #(.N(2)) b (.clk(clk), .x(q), .y());
endmodule
module below #(parameter N = 1) (input clk, input x, output reg [N-1:0] y); always @(posedge clk) y <= {N{x}}; endmodule
