// Locks of the inputs, for deterministic packet mode (S3 IV-A): one per input, inside the crossbar, held by one output
// at most. Outputs that request the same one in the same clock get it round robin.
`default_nettype none
module pm_locks #(
    parameter PORTS = 16,                       // 2..16
    // computed, not to be set
    parameter PW    = $clog2(PORTS)
) (
    input  wire                clk,
    input  wire                rst,
    input  wire [PORTS-1:0]    ask,             // from each output: for the lock of ask_input
    input  wire [PORTS*PW-1:0] ask_input,
    output reg  [PORTS-1:0]    granted,         // one clock later; held until released
    input  wire [PORTS-1:0]    release_valid,   // from each output: the lock of release_input
    input  wire [PORTS*PW-1:0] release_input,
    output reg  [PORTS-1:0]    free             // per input
);
    // Per input: requests, and the output that is next.
    reg  [PORTS*PORTS-1:0] wants;           // bit PORTS * input + output
    reg  [PORTS-1:0] asks;
    reg  [PORTS-1:0] grant;
    reg  [PORTS*PW-1:0] last;               // output that had the lock before
    reg  [PORTS*PW-1:0] next;
    reg  [PORTS-1:0] above;
    reg  [PORTS-1:0] grants;
    reg  [PORTS-1:0] taken;
    reg  [PORTS-1:0] freed;
    integer          i;
    integer          o;
    always @* begin
        o      = 0;
        i      = 0;
        wants  = {PORTS*PORTS{1'b0}};
        grants = {PORTS{1'b0}};
        freed  = {PORTS{1'b0}};
        taken  = {PORTS{1'b0}};
        above  = {PORTS{1'b0}};
        asks   = {PORTS{1'b0}};
        grant  = {PORTS{1'b0}};
        next   = last;
        if (|release_valid)
            for (o = 0; o < PORTS; o = o + 1)
                if (release_valid[o]) freed[release_input[PW*o +: PW]] = 1'b1;
        if (|ask) begin
            for (o = 0; o < PORTS; o = o + 1)
                if (ask[o]) wants[PORTS*ask_input[PW*o +: PW] + o] = 1'b1;
            for (i = 0; i < PORTS; i = i + 1)
                if (free[i] && |wants[PORTS*i +: PORTS]) begin
                    asks     = wants[PORTS*i +: PORTS];
                    above    = asks & ({PORTS{1'b1}} << last[PW*i +: PW] << 1);
                    // the lowest one above the last, else the lowest
                    grant    = (|above) ? (above & (~above + 1'b1)) : (asks & (~asks + 1'b1));
                    grants   = grants | grant;
                    taken[i] = 1'b1;
                    for (o = 0; o < PORTS; o = o + 1) if (grant[o]) next[PW*i +: PW] = o[PW-1:0];
                end
        end
    end

    always @(posedge clk)
        if (rst) begin
            granted <= {PORTS{1'b0}};
            free    <= {PORTS{1'b1}};
            last    <= {PORTS*PW{1'b0}};
        end else begin
            granted <= grants;
            free    <= (free & ~taken) | freed;
            last    <= next;
        end
endmodule
`default_nettype wire
