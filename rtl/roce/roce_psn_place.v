// Position of the packet sequence number (PSN) of a packet: relative to the expected one, and in a window. PSNs have 24
// bits and count modulo 2**24, so "before" and "behind" go by the shorter way (IBA 9.7.2, 9.7.4.1, 9.7.5.1):
//
//     from - 2**23 .. from - 1   before: a packet that arrived already
//     from + 1 .. from + 2**23 - 1   ahead: some are missing
//     from .. to - 1             inside: one of the to - from packets that wait for an answer; none if to is from
//
// The responder uses the expected PSN as `from`, the requester its oldest unacknowledged one and the one behind its
// newest. Combinational.
`default_nettype none
module roce_psn_place (
    input  wire [23:0] psn,
    input  wire [23:0] from,
    input  wire [23:0] to,        // of the window, not in it
    output wire [23:0] steps,     // from `from` on to `psn`
    output wire        expected,  // one of these three
    output wire        before,
    output wire        ahead,
    output wire        inside
);
    wire [23:0] window = to - from;

    assign steps    = psn - from;
    assign expected = psn == from;
    assign before   = steps[23];
    assign ahead    = !expected && !before;
    assign inside   = steps < window;
endmodule
`default_nettype wire
