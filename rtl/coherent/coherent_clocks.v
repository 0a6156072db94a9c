// The two clocks of a coherent node: resets, and every signal that crosses between them but the FIFOs (nic_link).
//
//     rst_n -------- reset_sync x 2 ---> rst, net_rst       one reset for both, released in step with each clock
//     settings ----- sync_word --------> net_.. set-up
//     net_view ----- sync_word --------> view; `switching` until the link has followed DIRECT
//     errors ------- sync_event x 4 ---> one clock each
//
// Set-up and views cross as whole words, one after the other: a change takes some clocks of both. Two events within
// some clocks of both may count as one. No clock is gated: processors poll.
`default_nettype none
`include "coherent_registers.vh"
module coherent_clocks (
    input  wire        clk,
    input  wire        net_clk,
    input  wire        rst_n,
    output wire        rst,
    output wire        net_rst,

    // set-up
    input  wire [`CNI_SETTING_BITS-1:0] settings,
    output wire [1:0]  net_loopback,
    output wire        net_direct,
    output wire [6:0]  net_node_id,
    output wire [11:0] net_tx_capacity,
    output wire [3:0]  net_view_flow,
    output wire        switching,        // level: DIRECT differs between the clocks

    // views
    input  wire [83:0] net_view,         // see nic_link
    output wire [83:0] view,

    // events of the network clock: {FIFO error, N2H overflow, credit rejected, packet dropped}; and in clk
    input  wire [3:0]  net_events,
    output wire [3:0]  events
);
    reset_sync reset     (.clk (clk), .rst_n_pin (rst_n), .rst (rst));
    reset_sync net_reset (.clk (net_clk), .rst_n_pin (rst_n), .rst (net_rst));

    wire cfg_direct = settings[`CNI_SETTING_CONTROL_DIRECT];
    wire direct_at_link, setup_taken, setup_update, setup_wake, view_taken, view_update, view_wake;

    sync_word #(.WIDTH(26), .RESET({2'd0, 1'b0, 7'd0, 12'd2046, 4'd0})) setup_crossing (
        .src_clk (clk), .src_rst (rst), .src_taken (setup_taken),
        .src_data ({settings[`CNI_SETTING_CONTROL_LOOPBACK], cfg_direct, settings[`CNI_SETTING_NODE_ID_ID],
                    settings[`CNI_SETTING_TX_CAPACITY_UNITS], settings[`CNI_SETTING_VIEW_FLOW_FLOW]}),
        .dst_clk (net_clk), .dst_run_clk (net_clk), .dst_wake (setup_wake), .dst_rst (net_rst),
        .dst_update (setup_update),
        .dst_data ({net_loopback, net_direct, net_node_id, net_tx_capacity, net_view_flow})
    );

    sync_word #(.WIDTH(85)) view_crossing (
        .src_clk (net_clk), .src_rst (net_rst), .src_taken (view_taken), .src_data ({net_direct, net_view}),
        .dst_clk (clk), .dst_run_clk (clk), .dst_wake (view_wake), .dst_rst (rst), .dst_update (view_update),
        .dst_data ({direct_at_link, view})
    );

    assign switching = (direct_at_link != cfg_direct);

    genvar e;
    generate
        for (e = 0; e < 4; e = e + 1) begin : of_event
            sync_event crossing (.src_clk (net_clk), .src_rst (net_rst), .src_event (net_events[e]),
                                 .dst_clk (clk), .dst_rst (rst), .dst_event (events[e]));
        end
    endgenerate

    wire unused = &{1'b0, settings, setup_taken, setup_update, setup_wake, view_taken, view_update, view_wake};
endmodule
`default_nettype wire
