// Proof of snoop_arbiter: no request sees more than 10 picks of others before it is picked, whatever is allowed when,
// and a pick goes to one that is requested and allowed. Assumed: a request stays until it is picked.
`default_nettype none
module prove_snoop_arbiter (
    input  wire       clk,
    input  wire [2:0] any_request,
    input  wire [2:0] any_allowed,
    input  wire       any_free,
    input  wire [1:0] any_mine,
    output wire       bad
);
    reg        running;          // 0 in the first clock
    reg  [2:0] request;
    reg  [1:0] mine;             // 0..2; 3: none
    reg  [3:0] passed;           // picks of others while mine waits
    initial    running = 1'b0;
    wire       any;
    wire [1:0] winner;
    wire       followed = mine != 2'd3 && request[mine];
    wire       pick = running && any_free && any;

    snoop_arbiter arbiter (
        .clk (clk), .rst (!running), .request (request), .allowed (any_allowed), .free (any_free && running),
        .any (any), .winner (winner)
    );

    always @(posedge clk) begin
        running <= 1'b1;
        request <= running ? (request & ~(pick ? 3'd1 << winner : 3'd0)) | any_request : 3'd0;
        if (!running) mine <= any_mine;
        if (!running || !followed || (pick && winner == mine)) passed <= 4'd0;
        else if (pick) passed <= passed + 4'd1;
    end

    assign bad = running && (passed > 4'd10 || (pick && !(request[winner] && any_allowed[winner])));
endmodule
`default_nettype wire
