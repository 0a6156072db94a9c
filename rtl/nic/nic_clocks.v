// The two clocks of a NIC: resets, clock gating, and every signal that crosses between them but the FIFOs (nic_link)
// and the counters (nic_counters).
//
//     pci_rst_n --- reset_sync x 2 ----> pci_rst, net_rst    one reset for both, released in step with each clock
//     settings ---- sync_word ---------> net_.. set-up
//     net_view ---- sync_word ---------> view, waits; `switching` until the link has followed DIRECT and TIME_STAMPS
//     errors ------ sync_event x 4 ----> ev_..               one clock each
//     busy -------- clock_gate x 2 ----> pci_run, net_run    the clock of idle logic stops; pins, crossings, timers run
//
// Set-up and views cross as whole words, one after the other: a change takes some clocks of both, and of several
// changes within that time only the last crosses. Two events within some clocks of both may count as one.
`default_nettype none
`include "nic_registers.vh"
module nic_clocks (
    // PCI clock
    input  wire        pci_clk,
    input  wire        pci_run_clk,      // pci_clk through a clock buffer outside, with the enable pci_run
    output wire        pci_run,
    input  wire        pci_rst_n,        // RST#
    output wire        pci_rst,
    input  wire        pci_busy,         // level: there is work for pci_run_clk
    output wire [7:0]  pci_slept,        // clocks missed, see clock_gate

    // network clock, likewise
    input  wire        net_clk,
    input  wire        net_run_clk,
    output wire        net_run,
    output wire        net_rst,
    input  wire        net_busy,

    // set-up
    input  wire [`NIC_SETTING_BITS-1:0] settings,
    input  wire [1:0]  cfg_bus_class,
    output wire [1:0]  net_bus_class,
    output wire        net_stamps,
    output wire [1:0]  net_loopback,
    output wire        net_direct,
    output wire [6:0]  net_node_id,
    output wire [11:0] net_tx_capacity,
    output wire [3:0]  net_view_flow,
    output wire        switching,        // level: DIRECT or TIME_STAMPS differ between the clocks

    // views
    input  wire [83:0] net_view,         // see nic_link
    input  wire [15:0] net_waits,
    output wire [83:0] view,
    output wire [15:0] waits,

    // events of the network clock, and in the PCI clock
    input  wire        dropped,
    input  wire        rejected,
    input  wire        n2h_overflow,
    input  wire        fifo_error,
    output wire        ev_dropped,
    output wire        ev_rejected,
    output wire        ev_n2h_overflow,
    output wire        ev_fifo_error,

    // events of the PCI clock, and in the network clock
    input  wire        clear,            // one clock
    input  wire        backpressure,     // level
    output wire        net_clear,
    output wire        net_backpressure
);
    // ---- resets
    reset_sync pci_reset (.clk (pci_clk), .rst_n_pin (pci_rst_n), .rst (pci_rst));
    reset_sync net_reset (.clk (net_clk), .rst_n_pin (pci_rst_n), .rst (net_rst));

    // ---- set-up
    wire cfg_direct = settings[`NIC_SETTING_CONTROL_DIRECT];
    wire cfg_stamps = settings[`NIC_SETTING_CONTROL_TIME_STAMPS];
    wire setup_taken, setup_update, setup_wake;

    sync_word #(.WIDTH(29), .RESET({2'd0, 1'b0, 2'd0, 1'b0, 7'd0, 12'd2046, 4'd0})) setup_crossing (
        .src_clk (pci_clk), .src_rst (pci_rst), .src_taken (setup_taken),
        .src_data ({cfg_bus_class, cfg_stamps, settings[`NIC_SETTING_CONTROL_LOOPBACK], cfg_direct,
                    settings[`NIC_SETTING_NODE_ID_ID], settings[`NIC_SETTING_TX_CAPACITY_UNITS],
                    settings[`NIC_SETTING_VIEW_FLOW_FLOW]}),
        .dst_clk (net_clk), .dst_run_clk (net_run_clk), .dst_wake (setup_wake), .dst_rst (net_rst),
        .dst_update (setup_update),
        .dst_data ({net_bus_class, net_stamps, net_loopback, net_direct, net_node_id, net_tx_capacity, net_view_flow})
    );

    // ---- views. Registers only show these, but for two bits (`switching`): they change while all is gated, and wake
    // nothing.
    wire stamps_at_link, direct_at_link, view_taken, view_update, view_wake;

    sync_word #(.WIDTH(102)) view_crossing (
        .src_clk (net_clk), .src_rst (net_rst), .src_taken (view_taken),
        .src_data ({net_waits, net_stamps, net_direct, net_view}), .dst_clk (pci_clk), .dst_run_clk (pci_clk),
        .dst_wake (view_wake), .dst_rst (pci_rst), .dst_update (view_update),
        .dst_data ({waits, stamps_at_link, direct_at_link, view})
    );

    assign switching = (direct_at_link != cfg_direct) || (stamps_at_link != cfg_stamps);

    // ---- events
    wire [3:0] net_events = {fifo_error, n2h_overflow, rejected, dropped};
    wire [3:0] pci_events;
    genvar e;

    generate
        for (e = 0; e < 4; e = e + 1) begin : of_event
            sync_event crossing (.src_clk (net_clk), .src_rst (net_rst), .src_event (net_events[e]),
                                 .dst_clk (pci_clk), .dst_rst (pci_rst), .dst_event (pci_events[e]));
        end
    endgenerate

    assign {ev_fifo_error, ev_n2h_overflow, ev_rejected, ev_dropped} = pci_events;

    sync_event clear_crossing (.src_clk (pci_clk), .src_rst (pci_rst), .src_event (clear),
                               .dst_clk (net_clk), .dst_rst (net_rst), .dst_event (net_clear));

    reg  backpressure_held;

    always @(posedge pci_clk) backpressure_held <= backpressure && !pci_rst;

    sync_bit backpressure_crossing (.clk (net_clk), .rst (net_rst), .in (backpressure_held), .out (net_backpressure));

    // ---- clock gating
    wire [7:0] net_slept;

    clock_gate pci_rest (
        .clk (pci_clk), .rst (pci_rst), .busy (pci_busy || (|pci_events) || switching),
        .run (pci_run), .run_clk (pci_run_clk), .slept (pci_slept)
    );

    clock_gate net_rest (
        .clk (net_clk), .rst (net_rst), .busy (net_busy || net_clear || setup_wake),
        .run (net_run), .run_clk (net_run_clk), .slept (net_slept)
    );

    wire unused = &{1'b0, settings, setup_taken, setup_update, view_taken, view_update, view_wake, net_slept};
endmodule
`default_nettype wire
