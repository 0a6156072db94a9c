// Proof of the departures of nic_link: `bad` is never high, whatever voq and the line bring and however slowly the PCI
// clock takes departures.
//
//   gone   a departure finds a place in the FIFO into the PCI clock; with EACH = 1 5 packets at most have left H2N and
//   are
//          not taken from there
//
// Assumed: the count of that FIFO is never too low (fifo-async, fifo_async_properties). `lemmas` is what makes a step
// enough; MEMORIES=free.
`default_nettype none
module prove_nic_link #(
    parameter LINKS = 1,
    parameter EACH = 0,
    // 0: what is claimed alone, for faults
    parameter LEMMAS = 1
) (
    input  wire       clk,
    input  wire [4:0] any_taken,      // departures are taken
    output wire       bad
);
    localparam L    = (EACH != 0) ? 3 : 4;
    localparam HALF = 1 << (L - 1);
    localparam [L:0] MOST = HALF + 1; // reported when the last packet starts, one on the way there, that packet
    reg running;                      // 0 in the first clock
    initial running = 1'b0;
    always @(posedge clk) running <= 1'b1;

    nic_link #(.LINKS(LINKS), .EACH(EACH), .LOG2_H2N(10)) link (
        .pci_clk (clk), .pci_run_clk (clk), .pci_rst (!running), .net_clk (clk), .net_run_clk (clk), .net_rst (!running)
    );

    (* hierconn *) wire [L:0] \link.gone.written ;
    (* hierconn *) reg  [L:0] \link.gone.seen ;
    (* hierconn *) wire [3:0] \link.port.single.tx.state , \link.port.bundle.tx.state ;
    (* hierconn *) wire \link.port.single.tx.with_packet , \link.port.bundle.tx.with_packet ;
    (* hierconn *) wire \link.tx_departed , \link.gone_overflow ;
    wire [L:0] waits = \link.gone.written - \link.gone.seen ;
    always @(posedge clk)
        if (!running) \link.gone.seen <= {L+1{1'b0}};
        else \link.gone.seen <= \link.gone.seen + (any_taken[L:0] < waits ? any_taken[L:0] : waits);

    wire [3:0] state = (LINKS == 1) ? \link.port.single.tx.state : \link.port.bundle.tx.state ;
    wire       sends = (LINKS == 1) ? \link.port.single.tx.with_packet : \link.port.bundle.tx.with_packet ;
    wire       body  = (LINKS == 1) ? state >= 4'd5 && state <= 4'd7 : state == 4'd4;
    wire       on    = state != 4'd0 && sends;
    wire       lemmas = (!body || sends) && waits <= MOST
                        && waits + {{L{1'b0}}, \link.tx_departed } + {{L{1'b0}}, on} <= MOST;
    assign bad = running && (\link.gone_overflow || (LEMMAS != 0 && !lemmas));
endmodule
`default_nettype wire
