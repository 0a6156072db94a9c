// Proof of pm_credit_row: `bad` is never high, whatever credit outputs give, but no more of one than WORDS at a time
// are on their way.
//
//   no more     credit sent for an output has been received from it
//   no less     when no credit has come in for SILENT clocks, all of it has gone out
//   in turn     credit of an output waits while others go PORTS - 1 times at most, if none is urgent
//   a notice    goes out once, with credit of the output that gave it
`default_nettype none
module prove_pm_credit_row #(
    parameter PORTS         = 3,
    parameter CREDIT_CLOCKS = 2,
    parameter WORDS         = 7,
    parameter SILENT        = PORTS * CREDIT_CLOCKS + 2,
    parameter PW            = $clog2(PORTS)
) (
    input  wire                clk,
    input  wire [PORTS-1:0]    any_valid,
    input  wire [PORTS*3-1:0]  any_words,
    input  wire [PORTS-1:0]    any_notice,
    input  wire [PORTS-1:0]    any_urgent,
    input  wire [PW-1:0]       any_output,     // that is looked at: the one of the first clock
    output wire                bad
);
    localparam [31:0] LIMIT = SILENT;
    localparam [31:0] LAST  = PORTS - 1;
    localparam [31:0] MOST  = WORDS;

    reg running;                                // 0 in the first clock
    initial running = 1'b0;
    always @(posedge clk) running <= 1'b1;
    wire rst = !running;

    reg  [PW-1:0]       watched;
    reg  [2:0]          inside;                 // words of it
    reg                 notified;               // a notice of it is inside
    reg  [PORTS-1:0]    valid;
    reg  [PORTS*13-1:0] words;
    reg  [PORTS-1:0]    notice;
    wire                out_valid;
    wire                unused_priority;
    wire [PW-1:0]       out_output;
    wire [12:0]         out_words;
    wire                out_notice;
    wire [7:0]          unused_id;
    wire [3:0]          unused_late;
    wire [2:0]          wish = any_words[3*watched +: 3];
    wire                comes = any_valid[watched] && wish != 3'd0 && {1'b0, inside} + {1'b0, wish} <= MOST[3:0];
    integer             i;
    always @* begin
        valid  = any_valid;
        notice = any_notice;
        for (i = 0; i < PORTS; i = i + 1) words[13*i +: 13] = {10'd0, any_words[3*i +: 3]};
        valid[watched]  = running && comes;
        notice[watched] = any_notice[watched] && !notified;
    end

    pm_credit_row #(.PORTS(PORTS), .CREDIT_CLOCKS(CREDIT_CLOCKS)) row (
        .clk (clk), .rst (rst), .number ({PW{1'b0}}), .in_valid (valid), .in_priority ({PORTS{1'b0}}),
        .in_input ({PORTS*PW{1'b0}}), .in_words (words), .in_notice (notice), .in_urgent (any_urgent),
        .in_id ({PORTS*8{1'b0}}), .late (unused_late), .out_valid (out_valid), .out_priority (unused_priority),
        .out_output (out_output), .out_words (out_words), .out_notice (out_notice), .out_id (unused_id)
    );

    wire       goes   = out_valid && out_output == watched;
    wire       brings = valid[watched];
    wire [2:0] gone   = goes ? out_words[2:0] : 3'd0;
    reg  [7:0] silent;
    reg        calm;                            // nothing urgent has come since reset
    reg  [PW:0] passed;
    always @(posedge clk)
        if (rst) begin
            watched  <= (any_output > LAST[PW-1:0]) ? {PW{1'b0}} : any_output;
            inside   <= 3'd0;
            notified <= 1'b0;
            silent   <= 8'd0;
            calm     <= 1'b1;
            passed   <= {PW+1{1'b0}};
        end else begin
            inside   <= inside + (brings ? wish : 3'd0) - gone;
            notified <= (brings && notice[watched]) || (notified && !(goes && out_notice));
            silent   <= |valid ? 8'd0 : (silent <= LIMIT[7:0]) ? silent + 8'd1 : silent;
            calm     <= calm && !(|(valid & any_urgent));
            if (goes || (inside == 3'd0 && !brings)) passed <= {PW+1{1'b0}};
            else if (out_valid && inside != 3'd0 && passed <= LAST[PW:0]) passed <= passed + 1'b1;
        end

    assign bad = running && ((goes && (out_words == 13'd0 || out_words > {10'd0, inside}
                                       || (out_notice && !notified))) ||
                             (silent > LIMIT[7:0] && (inside != 3'd0 || notified)) || (calm && passed > LAST[PW:0]));
endmodule
`default_nettype wire
