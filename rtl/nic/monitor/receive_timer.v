// Measures the time of packets from the link to the bus: PCI clocks from the SOP on the pins until REQ# falls for the
// write of their data (S4 2.6, recv-NIC). Sum and number of the packets that were measured; both run on, modulo 2**32.
//
// Only a packet that finds the net-to-host FIFO empty is measured, so that the time is its own, not that of packets
// before it, and one at a time. It may have to wait for a sequence on the bus. A dropped one does not count. Times of
// 2**24 clocks and more (0.13 s at 133 MHz) are given modulo that.
//
//     SOP on the pins     ____/~\____________________________________
//     sop                 ________/~\________________________________   2 network clocks later
//     sop_time                        X time in PCI clocks               `net_now` of 3 network clocks ago (sync_count)
//     stored, buffer empty  __________________/~\____________________    the header enters the FIFO
//     requested           ________________________________________/~~    a rising edge ends it
`default_nettype none
module receive_timer (
    input  wire        net_clk,
    input  wire        net_rst,
    input  wire [23:0] net_now,      // PCI clocks, as sync_count shows them
    input  wire        sop,          // a SOP was on the pins two clocks ago
    input  wire        stored,       // the header of that frame enters the FIFO
    input  wire        empty,        // with it: the FIFO is empty

    input  wire        pci_clk,
    input  wire        pci_rst,
    input  wire        run,          // level: time runs
    input  wire [23:0] now,          // PCI clocks
    input  wire        taken,        // a header leaves the FIFO
    input  wire        requested,    // level: data of a packet are to be written, from REQ# on; low between two writes
    output reg  [31:0] clocks,
    output reg  [31:0] packets
);
    // ---- link
    reg        sop_before;
    reg [23:0] sop_time, time_held;

    always @(posedge net_clk)
        if (net_rst) sop_before <= 1'b0;
        else         sop_before <= sop;

    always @(posedge net_clk) begin
        if (sop_before)      sop_time  <= net_now;
        if (stored && empty) time_held <= sop_time;
    end

    // ---- bus. The FIFO shows a header one clock after `arrived` at the earliest (fifo_async: 1 + 3 clocks;
    // sync_pulse: 1 + 2 at most). So the first header that leaves while `waiting` is that of the packet measured. At a
    // second one it has been dropped.
    wire        arrived;
    wire [23:0] arrival;
    reg         waiting, left, requested_before;
    reg  [23:0] arrival_time;
    wire [23:0] elapsed  = now - arrival_time;
    wire        measured = waiting && run && requested && !requested_before;

    sync_held #(.WIDTH(24)) crossing (
        .src_clk (net_clk), .src_rst (net_rst), .src_pulse (stored && empty), .src_data (time_held),
        .dst_clk (pci_clk), .dst_rst (pci_rst), .dst_pulse (arrived), .dst_data (arrival)
    );

    always @(posedge pci_clk)
        if (pci_rst) begin
            waiting          <= 1'b0;
            left             <= 1'b0;
            requested_before <= 1'b0;
            clocks           <= 32'd0;
            packets          <= 32'd0;
        end else begin
            requested_before <= requested;
            if (!run)
                waiting <= 1'b0;
            else if (arrived && !waiting) begin
                waiting <= 1'b1;
                left    <= 1'b0;
            end else if (measured || (taken && left))
                waiting <= 1'b0;
            else if (taken)
                left <= 1'b1;
            if (measured) begin
                clocks  <= clocks + {8'd0, elapsed};
                packets <= packets + 32'd1;
            end
        end

    always @(posedge pci_clk)
        if (arrived && !waiting) arrival_time <= arrival;
endmodule
`default_nettype wire
