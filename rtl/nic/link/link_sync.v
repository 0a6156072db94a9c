// State of one link: in synchronisation after UP_CLOCKS clocks without a break, out of it at once; remote fault
// reported by the link partner; and the transceiver's own error events.
//
// Up means that both ends receive. An end that has received nothing for long sends words of remote fault (link_gt_tx):
// from the first of them until 32 clocks after the last one the link is not up here either. Remote fault is not
// reported back, so two ends never wait for each other.
`default_nettype none
module link_sync #(
    // clocks in synchronisation before the link counts as up, 1..65535
    parameter UP_CLOCKS = 128
) (
    input  wire       clk,
    input  wire       rst,
    input  wire [3:0] rx_notintable,     // per byte
    input  wire [3:0] rx_disperr,        // per byte
    input  wire       rx_loss_of_sync,
    input  wire       rx_buf_error,
    input  wire       tx_buf_error,
    input  wire       word_fault,        // see link_rx_align

    output reg        in_sync,
    output reg        remote_fault,      // the link partner receives nothing
    output wire       link_up,           // in_sync, and no remote fault
    output reg        ev_unknown,        // level: a character that is not in the table
    output reg        ev_loss_of_sync,   // pulse: synchronisation lost
    output reg        ev_disparity,      // level: a running disparity error
    output reg        ev_tx_buffer       // level: transmit buffer error
);
    localparam        UP_BITS = $clog2(UP_CLOCKS + 1);
    localparam [31:0] UP = UP_CLOCKS;

    initial
        if (UP_CLOCKS < 1 || UP_CLOCKS > 65535) begin
            $display("%m: UP_CLOCKS must be 1..65535, is %0d", UP_CLOCKS);
            $finish;
        end

    reg [UP_BITS-1:0] clocks_left;
    reg [4:0]  fault_left;
    reg        lost_before;

    assign link_up = in_sync && !remote_fault;

    always @(posedge clk)
        if (rst) begin
            clocks_left     <= UP[UP_BITS-1:0];
            in_sync         <= 1'b0;
            fault_left      <= 5'd0;
            remote_fault    <= 1'b0;
            lost_before     <= 1'b1;
            ev_unknown      <= 1'b0;
            ev_loss_of_sync <= 1'b0;
            ev_disparity    <= 1'b0;
            ev_tx_buffer    <= 1'b0;
        end else begin
            if (rx_loss_of_sync || rx_buf_error) begin
                clocks_left <= UP[UP_BITS-1:0];
                in_sync     <= 1'b0;
            end else if (clocks_left != {UP_BITS{1'b0}})
                clocks_left <= clocks_left - 1'b1;
            else
                in_sync     <= 1'b1;
            if (word_fault)
                fault_left <= 5'd31;
            else if (fault_left != 5'd0)
                fault_left <= fault_left - 5'd1;
            remote_fault    <= word_fault || (fault_left != 5'd0);
            lost_before     <= rx_loss_of_sync;
            ev_unknown      <= |rx_notintable;
            ev_loss_of_sync <= rx_loss_of_sync && !lost_before;
            ev_disparity    <= |rx_disperr;
            ev_tx_buffer    <= tx_buf_error;
        end

    wire probe_busy               = !link_up;
    wire probe_stall_loss_of_sync = rx_loss_of_sync;
endmodule
`default_nettype wire
