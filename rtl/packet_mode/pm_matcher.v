// Pairs inputs with outputs, for the bufferless crossbar: iSLIP with one iteration (S3 VI-A). Each output grants the
// first requesting input from its pointer on; each input accepts the first granting output from its own. Both pointers
// move behind an accepted pair, and not otherwise.
`default_nettype none
module pm_matcher #(
    parameter PORTS = 16,                            // 2..16
    // computed, not to be set
    parameter PW    = $clog2(PORTS)
) (
    input  wire                   clk,
    input  wire                   rst,
    input  wire                   step,              // a matching is made in this clock
    input  wire [PORTS*PORTS-1:0] request,           // [PORTS * input + output]; of inputs and outputs that are free
    output reg  [PORTS-1:0]       matched,           // while step: per input
    output reg  [PORTS*PW-1:0]    matched_output     // ... with that output
);
    localparam [31:0] ENDS_AT = PORTS;               // the pointer behind the last port is 0

    reg [PORTS*PW-1:0]    grant_from;                // per output
    reg [PORTS*PW-1:0]    accept_from;               // per input
    reg [PORTS*PORTS-1:0] granted;                   // [PORTS * input + output]: granted
    reg [PORTS-1:0] asks;
    reg [PORTS-1:0] from;
    reg [PORTS-1:0] first;
    integer         i;
    integer         o;
    always @* begin
        o              = 0;
        matched        = {PORTS{1'b0}};
        matched_output = {PORTS*PW{1'b0}};
        asks           = {PORTS{1'b0}};
        from           = {PORTS{1'b0}};
        first          = {PORTS{1'b0}};
        granted        = {PORTS*PORTS{1'b0}};
        i              = 0;
        if (step) begin
            for (o = 0; o < PORTS; o = o + 1) begin
                for (i = 0; i < PORTS; i = i + 1) asks[i] = request[PORTS*i + o];
                from  = asks & ({PORTS{1'b1}} << grant_from[PW*o +: PW]);
                first = (|from) ? (from & (~from + 1'b1)) : (asks & (~asks + 1'b1));
                for (i = 0; i < PORTS; i = i + 1) granted[PORTS*i + o] = first[i];
            end
            for (i = 0; i < PORTS; i = i + 1) begin
                from  = granted[PORTS*i +: PORTS] & ({PORTS{1'b1}} << accept_from[PW*i +: PW]);
                first = (|from) ? (from & (~from + 1'b1))
                        : (granted[PORTS*i +: PORTS] & (~granted[PORTS*i +: PORTS] + 1'b1));
                matched[i] = |granted[PORTS*i +: PORTS];
                for (o = 0; o < PORTS; o = o + 1)
                    if (first[o]) matched_output[PW*i +: PW] = o[PW-1:0];
            end
        end
    end

    function [PW-1:0] behind(input [PW-1:0] port);
        behind = ({{32-PW{1'b0}}, port} + 32'd1 == ENDS_AT) ? {PW{1'b0}} : port + 1'b1;
    endfunction

    always @(posedge clk)
        if (rst) begin
            grant_from  <= {PORTS*PW{1'b0}};
            accept_from <= {PORTS*PW{1'b0}};
        end else if (step)
            for (i = 0; i < PORTS; i = i + 1)
                if (matched[i]) begin
                    grant_from[PW*matched_output[PW*i +: PW] +: PW] <= behind(i[PW-1:0]);
                    accept_from[PW*i +: PW] <= behind(matched_output[PW*i +: PW]);
                end
endmodule
`default_nettype wire
