// Output scheduler of deterministic packet mode (DPM; S3 IV): packets in turn. A packet that is whole in its crosspoint may be sent at
// once; for one of which only a part is there the lock of its input is asked for. Whoever does not get it goes on in the turn.
`default_nettype none
module pm_output_dpm #(
    parameter PORTS = 16                            // 2..16
) (
    input  wire                     clk,
    input  wire                     rst,
    input  wire [PORTS-1:0]         waiting,        // inputs with a unit (DPM: a whole packet) in their crosspoint, or just arriving
    input  wire [PORTS-1:0]         arriving,       // the first word of a unit comes, and none was waiting there
    input  wire [PORTS-1:0]         partial,        // DPM: inputs with enough of a packet that is not whole
    input  wire [PORTS-1:0]         lock_free,      // DPM: inputs whose lock may be asked for
    input  wire                     choose,         // a choice made in this clock is used
    input  wire                     continues,      // while choose: what is being sent ends within a packet
    output wire                     chosen,         // `chosen_input` is one
    output wire [$clog2(PORTS)-1:0] chosen_input,
    output wire                     chosen_partial, // DPM: it is partial and needs the lock; what comes of that is `served`

    // two clocks behind a choice: the first word of the unit (DPM: of each part of the packet) leaves
    input  wire                     served,
    input  wire                     served_full,    // the unit is as long as may be
    input  wire                     served_ends,    // its first packet ends within it
    input  wire                     served_whole,   // all of it is in the crosspoint
    input  wire [3:0]               served_late,    // clocks that an urgent credit would have to wait now
    input  wire                     served_locked,  // DPM: it is of a packet for which the lock was taken
    input  wire                     served_packet,  // DPM: it begins the packet
    output wire                     notice,         // tell the input, in the credit, to stay
    output wire                     urgent,         // this credit goes before others
    output wire                     mode,           // packet mode: the rest of the packet follows without a gap
    output wire                     cancelled       // event: a notice would have been too late
);
    reg  [$clog2(PORTS)-1:0] last;
    wire                     any;
    wire [PORTS-1:0]         unused_grant;

    round_robin #(.N(PORTS)) turn (
        .request (waiting | (partial & lock_free)), .last (last), .any (any), .grant (unused_grant), .index (chosen_input)
    );

    assign chosen         = choose && any;
    assign chosen_partial = !waiting[chosen_input];
    assign notice         = served && served_locked && served_packet;
    assign urgent         = served && served_locked;
    assign mode           = 1'b0;
    assign cancelled      = 1'b0;

    always @(posedge clk)
        if (rst) last <= {$clog2(PORTS){1'b0}};
        else if (chosen) last <= chosen_input;

    wire unused = &{1'b0, unused_grant, arriving, continues, served_full, served_ends, served_whole, served_late};
endmodule
`default_nettype wire
