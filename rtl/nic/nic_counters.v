// Counters of a NIC that are not among its registers: those of the network (S1 3.1.4.3), with the copies that cross to
// the registers, and those of the resequencer.
//
//     happens of each link, backpressure --> network_counters, or of links by packet link_counters
//                                        --> sync_word --> copy_..
//
// A link by packet stops its clock on its own. So of its events only those raise `net_busy` that occur while it is
// gated; any other follows something that has raised the link's `busy` before its clock stops.
`default_nettype none
`include "nic_registers.vh"
module nic_counters #(
    // links with packets of their own, 1, 2 or 4; links by byte of each, 1, 2 or 4
    parameter PORTS = 1,
    parameter BUNDLE = 1
) (
    // network clock
    input  wire        net_clk,
    input  wire        net_run_clk,         // gated while net_busy is low (clock_gate)
    input  wire        net_rst,
    output wire        net_busy,            // level: something counts
    input  wire [PORTS*`NIC_NC_COUNT-1:0] happens, // NIC_NC_COUNT bits a link
    input  wire [1:0]  happens_twice,       // words sent, received: two in this clock
    input  wire        backpressure,        // level
    input  wire [PORTS-1:0] counted,        // links whose counters are shown, in sum
    input  wire        clear,               // one clock

    // PCI clock: copies of the network counters, one after the other; counts of the resequencer, modulo 2**16
    input  wire        pci_clk,
    input  wire        pci_run_clk,         // gated; runs with an event
    input  wire        pci_rst,
    output wire        copy_update,
    output wire [5:0]  copy_index,
    output wire [31:0] copy_value,
    input  wire        ev_late,
    input  wire        ev_restart,
    output reg  [15:0] late_packets,
    output reg  [15:0] restart_packets
);
    // the last ones are those of the transceivers of links 1 to 3, four each; by packet each has those of one link
    localparam COUNTERS = `NIC_NC_COUNT - 4 * (4 - PORTS * BUNDLE);
    localparam OWN      = COUNTERS - 4 * (PORTS - 1);
    wire [PORTS*OWN-1:0] event_vector;
    wire [PORTS-1:0]     moves;
    genvar l;

    generate
        for (l = 0; l < PORTS; l = l + 1) begin : of_link
            wire [`NIC_NC_COUNT-1:0] now = happens[`NIC_NC_COUNT * l +: `NIC_NC_COUNT]
                                           | ({{`NIC_NC_COUNT-1{1'b0}}, backpressure && l == 0}
                                              << `NIC_NC_BACKPRESSURE);
            assign event_vector[OWN * l +: OWN] = now[OWN-1:0];
            assign moves[l] = (PORTS == 1) ? |now : (|now[`NIC_NC_GT_UNKNOWN +: 4]) || now[`NIC_NC_BACKPRESSURE];
        end
    endgenerate

    assign net_busy = |moves;

    wire [5:0]  net_index;
    wire [31:0] net_value;
    wire        taken, copy_wake;

    generate
        if (PORTS == 1) begin : one_counted
            wire [`NIC_NC_COUNT-1:0] twice = {{`NIC_NC_COUNT-1{1'b0}}, happens_twice[0]} << `NIC_NC_OUT_WORD
                                             | {{`NIC_NC_COUNT-1{1'b0}}, happens_twice[1]} << `NIC_NC_IN_WORD;

            network_counters #(.PLACES(COUNTERS), .TWICE((BUNDLE == 4) ? 1 : 0)) network_count (
                .clk (net_run_clk), .copy_clk (net_clk), .rst (net_rst), .clear (clear),
                .event_vector (event_vector), .twice_vector (twice[OWN-1:0]),
                .copy_index (net_index), .copy_value (net_value), .copy_taken (taken)
            );
            wire unused_counters = &{1'b0, twice, counted};
        end else begin : several_counted
            link_counters #(.LINKS(PORTS), .OWN(OWN), .ALONE(`NIC_NC_GT_UNKNOWN)) network_count (
                .clk (net_run_clk), .copy_clk (net_clk), .rst (net_rst), .clear (clear), .event_vector (event_vector),
                .counted (counted), .copy_index (net_index), .copy_value (net_value), .copy_taken (taken)
            );
            wire unused_counters = &{1'b0, happens_twice};
        end
    endgenerate

    sync_word #(.WIDTH(38)) counter_crossing (
        .src_clk (net_clk), .src_rst (net_rst), .src_taken (taken), .src_data ({net_index, net_value}),
        .dst_clk (pci_clk), .dst_run_clk (pci_clk), .dst_wake (copy_wake), .dst_rst (pci_rst),
        .dst_update (copy_update), .dst_data ({copy_index, copy_value})
    );

    always @(posedge pci_run_clk)
        if (pci_rst) begin
            late_packets    <= 16'd0;
            restart_packets <= 16'd0;
        end else begin
            if (ev_late) late_packets <= late_packets + 16'd1;
            if (ev_restart) restart_packets <= restart_packets + 16'd1;
        end

    wire unused = &{1'b0, copy_wake};
endmodule
`default_nettype wire
