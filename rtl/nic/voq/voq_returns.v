// Words on their way back from external memory: 16 places, taken when a word is requested, filled when it arrives,
// emptied by the ring.
//
// So a requested word always has a place, however long the ring makes it wait. Words arrive and leave in the order of
// the requests. They wait in a block RAM: a word that arrives in clock n is at out_data in n + 2, then one per clock. A
// word keeps the mark of its request.
`default_nettype none
module voq_returns #(
    // bits of a VOQ number
    parameter LOG2_VOQS = 3
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire                 clear,        // words here, and those still to arrive, are dropped

    input  wire                 ask,          // a word of VOQ ask_voq has been requested; only with `room`
    input  wire [LOG2_VOQS-1:0] ask_voq,
    input  wire                 ask_mark,
    output wire                 room,
    input  wire                 come_valid,   // the oldest word requested
    output wire                 come_mark,    // of the oldest word requested
    input  wire [67:0]          come_data,

    output reg                  out_valid,
    output wire [LOG2_VOQS-1:0] out_voq,
    output wire [67:0]          out_data,
    input  wire                 out_ready,

    output wire                 none,         // none requested and none here
    output reg  [4:0]           asked,        // words so far, modulo 32
    output reg  [4:0]           handed,
    output wire                 unexpected    // a word arrived without a request
);
    localparam WIDTH = 68 + LOG2_VOQS;

    reg [LOG2_VOQS:0]   voqs  [0:15];
    reg [WIDTH-1:0]     words [0:15];
    reg [WIDTH-1:0]     head;
    reg [4:0]           come;
    reg [4:0]           next;                 // place to be fetched into `head`

    wire [LOG2_VOQS:0] oldest = voqs[come[3:0]];

    wire accept = come_valid && !unexpected;
    wire hand   = out_valid && out_ready;
    wire fetch  = (next != come) && (!out_valid || out_ready);

    assign room       = (asked != {~handed[4], handed[3:0]});
    assign {out_voq, out_data} = head;
    assign come_mark  = oldest[0];
    assign none       = (asked == handed);
    assign unexpected = come_valid && (come == asked);

    always @(posedge clk)
        if (ask)
            voqs[asked[3:0]] <= {ask_voq, ask_mark};

    always @(posedge clk)
        if (accept)
            words[come[3:0]] <= {oldest[LOG2_VOQS:1], come_data};

    always @(posedge clk)
        if (fetch)
            head <= words[next[3:0]];

    always @(posedge clk)
        if (rst) begin
            asked     <= 5'd0;
            come      <= 5'd0;
            next      <= 5'd0;
            handed    <= 5'd0;
            out_valid <= 1'b0;
        end else begin
            if (ask)    asked <= asked + 5'd1;
            if (accept) come  <= come + 5'd1;
            if (clear) begin
                next      <= come;
                handed    <= come;
                out_valid <= 1'b0;
            end else begin
                if (fetch) next   <= next + 5'd1;
                if (hand)  handed <= handed + 5'd1;
                out_valid <= fetch || (out_valid && !out_ready);
            end
        end

    // ---- measuring
    wire probe_busy        = !none;
    wire probe_stall_taker = out_valid && !out_ready;
    wire probe_start       = ask;
    wire probe_done        = hand;
endmodule
`default_nettype wire
