// Whose broadcast is next: round robin among the agents whose request is allowed.
//
// A request may be disallowed again and again while others use its line. One that 8 picks have passed over is overdue:
// then nobody else is picked until it has had its turn, so the reads under way end and its line becomes free. No
// request waits for more than 8 + 2 picks and the reads under way.
`default_nettype none
module snoop_arbiter (
    input  wire       clk,
    input  wire       rst,
    input  wire [2:0] request,  // level, until taken
    input  wire [2:0] allowed,
    input  wire       free,     // a pick is possible in this clock; it is made if `any`
    output wire       any,
    output wire [1:0] winner
);
    reg  [1:0] last;
    wire [2:0] overdue, grant;
    wire [2:0] late   = overdue & request;
    wire [2:0] chosen = request & allowed & (late != 3'd0 ? late : 3'd7);

    round_robin #(.N(3)) turns (.request (chosen), .last (last), .any (any), .grant (grant), .index (winner));

    always @(posedge clk)
        if (rst) last <= 2'd2;
        else if (free && any) last <= winner;

    genvar i;
    generate
        for (i = 0; i < 3; i = i + 1) begin : agent
            reg [3:0] passed;
            assign overdue[i] = passed[3];
            always @(posedge clk)
                if (rst || !request[i] || (free && grant[i])) passed <= 4'd0;
                else if (free && any && !passed[3])           passed <= passed + 4'd1;
        end
    endgenerate
endmodule
`default_nettype wire
