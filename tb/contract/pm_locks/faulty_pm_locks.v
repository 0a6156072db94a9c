// The default locks of packet mode with faults that a test switches on one at a time, and that the contract suite must catch.
`default_nettype none
module faulty_pm_locks #(
    parameter PORTS = 8,
    parameter PW    = $clog2(PORTS)
) (
    input  wire                clk,
    input  wire                rst,
    input  wire [PORTS-1:0]    ask,
    input  wire [PORTS*PW-1:0] ask_input,
    output wire [PORTS-1:0]    granted,
    input  wire [PORTS-1:0]    release_valid,
    input  wire [PORTS*PW-1:0] release_input,
    output wire [PORTS-1:0]    free,
    input  wire [6:0]          fault     // fault_when.v; 0: none
);
    localparam [4:0] GRANTS_ALL   = 5'd1;   // who asks is granted
    localparam [4:0] UNASKED      = 5'd2;   // grants to one who did not ask
    localparam [4:0] LOSES_ASK    = 5'd3;   // requests of output 0 are ignored
    localparam [4:0] LOSES_LOCK   = 5'd4;   // releases of output 1 are ignored
    localparam [4:0] LOWEST_FIRST = 5'd5;
    localparam [4:0] KEEPS        = 5'd6;   // reset keeps the state

    wire [4:0] now;
    fault_when faults (.clk (clk), .rst (rst), .turn (|granted), .fault (fault), .now (now));

    reg              odd;
    reg  [PORTS-1:0] asked;
    wire [PORTS-1:0] given;
    reg  [PORTS-1:0] first;                   // who asks for the lock of input 0
    integer          o;
    always @* begin
        for (o = 0; o < PORTS; o = o + 1) first[o] = ask[o] && ask_input[PW*o +: PW] == 0;
    end
    wire [PORTS-1:0] lowest = (ask & ~first) | (first & (~first + 1'b1));
    initial odd = 1'b0;
    always @(posedge clk) begin
        asked <= ask;
        if (|granted && !rst) odd <= odd ^ ^granted ^ granted[0];
    end

    wire choosy = now == LOWEST_FIRST || (now == KEEPS && odd);
    wire alone  = now == LOSES_ASK && ask == {{PORTS-1{1'b0}}, 1'b1};
    pm_locks #(.PORTS(PORTS)) sound (
        .clk (clk), .rst (rst), .ask (choosy ? lowest : alone ? {PORTS{1'b0}} : ask), .ask_input (ask_input),
        .granted (given), .release_valid (release_valid & ~{{PORTS-2{1'b0}}, now == LOSES_LOCK, 1'b0}), .release_input (release_input),
        .free (free)
    );

    assign granted = (now == GRANTS_ALL) ? asked : given | {{PORTS-1{1'b0}}, now == UNASKED && !asked[0]};
endmodule
`default_nettype wire
