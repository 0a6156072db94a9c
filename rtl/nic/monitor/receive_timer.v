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
//
// Several links by packet: all their FIFOs must be empty, and no other header may enter one in that clock. By byte the
// SOP shows behind the deskew, where the next one may follow before this header is stored elsewhere; `net_now` of the
// `wait` clocks before are kept, so that the time is that on the pins of link 0.
`default_nettype none
module receive_timer #(
    // links by packet, 1..4
    parameter LINKS = 1,
    // 1: several links by byte
    parameter BUNDLE = 0
) (
    input  wire        net_clk,
    input  wire        net_rst,
    input  wire [23:0] net_now,          // PCI clocks, as sync_count shows them
    input  wire [LINKS-1:0] sop,         // a SOP was on the pins two clocks ago; by byte: three and sop_wait
    input  wire [3:0]  sop_wait,         // by byte: see link_deskew; 1..14
    input  wire [LINKS-1:0] stored,      // the header of that frame enters the FIFO
    input  wire        empty,            // with it: the FIFOs are empty

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
    wire [24*LINKS-1:0] sop_times;
    reg  [23:0]         arriving, time_held;
    wire                one    = ((stored & (stored - 1'b1)) == {LINKS{1'b0}}) && (stored != {LINKS{1'b0}});
    wire                begins = one && empty;
    genvar l;

    generate
        if (BUNDLE != 0) begin : by_byte
            (* ram_style = "distributed" *) reg [23:0] times [0:15];
            reg  [3:0]  place;
            reg  [23:0] sop_time;
            wire [3:0]  then_at = place - sop_wait;

            assign sop_times = sop_time;

            always @(posedge net_clk)
                if (net_rst) place <= 4'd0;
                else         place <= place + 4'd1;

            always @(posedge net_clk) begin
                times[place] <= net_now;
                if (sop[0]) sop_time <= times[then_at];
            end
        end else begin : of_links
            for (l = 0; l < LINKS; l = l + 1) begin : of_link
                reg        sop_before;
                reg [23:0] sop_time;

                assign sop_times[24*l +: 24] = sop_time;
                wire   unused = &{1'b0, sop_wait};

                always @(posedge net_clk)
                    if (net_rst) sop_before <= 1'b0;
                    else         sop_before <= sop[l];

                always @(posedge net_clk)
                    if (sop_before) sop_time <= net_now;
            end
        end
    endgenerate

    integer i;
    always @* begin
        arriving = 24'd0;
        for (i = 0; i < LINKS; i = i + 1)
            arriving = arriving | (sop_times[24*i +: 24] & {24{stored[i]}});
    end

    always @(posedge net_clk)
        if (begins) time_held <= arriving;

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
        .src_clk (net_clk), .src_rst (net_rst), .src_pulse (begins), .src_data (time_held),
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
