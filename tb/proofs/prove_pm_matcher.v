// Proof of pm_matcher: `bad` is never high, whatever is requested.
//
//   a matching    pairs were asked for, an output has one input, and if anybody asks there is a pair
//   fair          an input that asks for an output has it within PORTS^2 + (PORTS - 1)^2 matchings, if all go on asking
//                 for what they lack. With PERSIST=0 others ask as they like: an input may wait for ever
`default_nettype none
`include "slots.vh"
module prove_pm_matcher #(
    parameter PORTS   = 3,
    parameter PERSIST = 1,
    parameter PW      = $clog2(PORTS)
) (
    input  wire                   clk,
    input  wire                   step,
    input  wire [PORTS*PORTS-1:0] any_request,
    input  wire [PW-1:0]          any_input,       // of the pair that `fair` is looked at for: those of the first clock
    input  wire [PW-1:0]          any_output,
    output wire                   bad
);
    localparam [31:0] LIMIT = PORTS * PORTS + (PORTS - 1) * (PORTS - 1);
    localparam [31:0] LAST  = PORTS - 1;
    localparam        CW    = $clog2(LIMIT + 2);

    reg running;                                    // 0 in the first clock
    initial running = 1'b0;
    always @(posedge clk) running <= 1'b1;

    reg  [PW-1:0]          from;
    reg  [PW-1:0]          to;
    reg  [PORTS*PORTS-1:0] pair;
    reg  [PORTS*PORTS-1:0] request;
    wire [PORTS-1:0]       matched;
    wire [PORTS*PW-1:0]    matched_output;
    integer                i;
    integer                o;
    integer                n;
    always @* begin
        o = 0;
        for (i = 0; i < PORTS; i = i + 1)
            for (o = 0; o < PORTS; o = o + 1) pair[PORTS*i + o] = from == i[PW-1:0] && to == o[PW-1:0];
    end
    reg  [PORTS*PORTS-1:0] still;                   // asked for before, and not got
    always @* request = any_request | pair | ((PERSIST != 0) ? still : {PORTS*PORTS{1'b0}});

    `PM_MATCHER #(.PORTS(PORTS)) matcher (
        .clk (clk), .rst (!running), .step (step && running), .request (request), .matched (matched),
        .matched_output (matched_output)
    );

    reg wrong;
    reg served;
    reg [PORTS*PORTS-1:0] got;
    always @* begin
        wrong  = !(step && running) && |matched;
        served = 1'b0;
        got    = {PORTS*PORTS{1'b0}};
        n      = 0;
        o      = 0;
        i      = 0;
        if (step && running) begin
            if (matched == {PORTS{1'b0}}) wrong = 1'b1;
            for (o = 0; o < PORTS; o = o + 1) begin
                n = 0;
                for (i = 0; i < PORTS; i = i + 1)
                    if (matched[i] && matched_output[PW*i +: PW] == o[PW-1:0]) begin
                        n = n + 1;
                        got[PORTS*i + o] = 1'b1;
                        if (!request[PORTS*i + o]) wrong = 1'b1;
                        if (pair[PORTS*i + o]) served = 1'b1;
                    end
                if (n > 1) wrong = 1'b1;
            end
        end
    end

    reg [CW-1:0] passed;
    always @(posedge clk)
        if (!running) begin
            from   <= (any_input > LAST[PW-1:0]) ? {PW{1'b0}} : any_input;
            to     <= (any_output > LAST[PW-1:0]) ? {PW{1'b0}} : any_output;
            passed <= {CW{1'b0}};
            still  <= {PORTS*PORTS{1'b0}};
        end else if (step) begin
            passed <= served ? {CW{1'b0}} : passed + 1'b1;
            still  <= request & ~got;
        end

    assign bad = running && (wrong || passed >= LIMIT[CW-1:0]);
endmodule
`default_nettype wire
