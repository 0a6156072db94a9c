// Words on their way back from external memory: 16 places, taken when a word is asked for, filled when it comes, emptied by the ring.
//
// So a word that was asked for always has a place, however long the ring keeps it waiting. Words come and go in the order asked.
`default_nettype none
module voq_returns #(
    // bits of a VOQ number
    parameter LOG2_VOQS = 3
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire                 clear,        // what is here and what comes is thrown away

    input  wire                 ask,          // a word of VOQ ask_voq has been asked for; only with `room`
    input  wire [LOG2_VOQS-1:0] ask_voq,
    output wire                 room,
    input  wire                 come_valid,   // the oldest word asked for
    input  wire [66:0]          come_data,

    output wire                 out_valid,
    output wire [LOG2_VOQS-1:0] out_voq,
    output wire [66:0]          out_data,
    input  wire                 out_ready,

    output wire                 none,         // nothing asked for and nothing here
    output reg  [4:0]           asked,        // words so far, modulo 32
    output reg  [4:0]           handed,
    output wire                 unexpected    // a word came that nobody had asked for
);
    reg [LOG2_VOQS-1:0] voqs  [0:15];
    reg [66:0]          words [0:15];
    reg [4:0]           come;

    wire accept = come_valid && !unexpected;
    wire hand   = out_valid && out_ready;

    assign room       = (asked != {~handed[4], handed[3:0]});
    assign out_valid  = (handed != come);
    assign out_voq    = voqs[handed[3:0]];
    assign out_data   = words[handed[3:0]];
    assign none       = (asked == handed);
    assign unexpected = come_valid && (come == asked);

    always @(posedge clk)
        if (ask)
            voqs[asked[3:0]] <= ask_voq;

    always @(posedge clk)
        if (accept)
            words[come[3:0]] <= come_data;

    always @(posedge clk)
        if (rst) begin
            asked  <= 5'd0;
            come   <= 5'd0;
            handed <= 5'd0;
        end else begin
            if (ask)        asked  <= asked + 5'd1;
            if (accept)     come   <= come + 5'd1;
            if (clear)      handed <= come;
            else if (hand)  handed <= handed + 5'd1;
        end

    // ---- measuring
    wire probe_busy  = !none;
    wire probe_stall = out_valid && !out_ready;
    wire probe_start = ask;
    wire probe_done  = hand;
endmodule
`default_nettype wire
