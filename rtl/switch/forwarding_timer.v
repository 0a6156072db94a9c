// Measures the time of packets from a crosspoint's `arrived` until they leave by one output, in its clocks.
//
// Of each input one packet at a time is measured: the first that arrives after the last measurement was over (the
// lowest input's, if several do in one clock). Its place in the queue is known by counting arrivals and departures,
// modulo 128; a crosspoint holds fewer. `measured` is high in the clock of `left`. Times of 65535 clocks and more are
// given as 65535; the timer wraps around after 2**24 (0.2 s).
`default_nettype none
module forwarding_timer #(
    // inputs of the switch, 2..16
    parameter INPUTS = 8,
    // added to every time, 0..255
    parameter OFFSET = 0,
    // bit i: input i is on clk_b; and whether this output is (1) or not (0)
    parameter DOMAIN = 0,
    parameter SIDE = 0,
    // added to the times of inputs in the other clock, 0..255
    parameter CROSSING_CLOCKS = 0
) (
    input  wire                      clk,
    input  wire                      rst,
    input  wire [INPUTS-1:0]         arrived,     // one clock per packet
    input  wire                      left,        // one clock per packet
    input  wire [$clog2(INPUTS)-1:0] left_input,
    output wire                      measured,    // the packet that leaves has been measured
    output wire [15:0]               clocks
);
    localparam LOG2_INPUTS = $clog2(INPUTS);
    localparam [31:0] ADDED     = OFFSET;
    localparam [31:0] ADDED_FAR = OFFSET + CROSSING_CLOCKS;

    // numbers of the next packet to arrive, of the next to leave, and {number, time} of the one under measurement
    reg  [INPUTS*7-1:0] arrivals;
    wire [INPUTS-1:0]   far;
    reg  [6:0]          departures [0:(1<<LOG2_INPUTS)-1];
    reg  [INPUTS-1:0]   departures_known;       // such a memory cannot be reset
    reg  [30:0]         stamps     [0:(1<<LOG2_INPUTS)-1];
    reg  [INPUTS-1:0]   measuring;
    reg  [23:0]         now;

    genvar g;
    generate
        for (g = 0; g < INPUTS; g = g + 1) begin : input_of
            assign far[g] = ((DOMAIN >> g) & 1) != SIDE;
        end
    endgenerate
    integer i;
    always @(posedge clk)
        if (rst)
            arrivals <= {INPUTS*7{1'b0}};
        else if (|arrived)
            for (i = 0; i < INPUTS; i = i + 1)
                if (arrived[i]) arrivals[7*i +: 7] <= arrivals[7*i +: 7] + 7'd1;

    wire [INPUTS-1:0]      candidates = arrived & ~measuring;
    wire                   start      = |candidates;
    reg  [LOG2_INPUTS-1:0] started;
    reg  [6:0]             started_number;
    integer k;
    always @* begin
        started        = {LOG2_INPUTS{1'b0}};
        started_number = 7'd0;
        for (k = INPUTS - 1; k >= 0; k = k - 1)
            if (candidates[k]) begin
                started        = k[LOG2_INPUTS-1:0];
                started_number = arrivals[7*k +: 7];
            end
    end

    wire [6:0]  number  = departures[left_input] & {7{departures_known[left_input]}};
    wire [30:0] stamp   = stamps[left_input];
    wire [23:0] elapsed = now - stamp[23:0] + (far[left_input] ? ADDED_FAR[23:0] : ADDED[23:0]);

    assign measured = left && measuring[left_input] && stamp[30:24] == number;
    assign clocks   = elapsed[15:0] | {16{|elapsed[23:16]}};

    always @(posedge clk)
        if (start)
            stamps[started] <= {started_number, now};
    always @(posedge clk)
        if (left)
            departures[left_input] <= number + 7'd1;

    always @(posedge clk)
        if (rst) begin
            now              <= 24'd0;
            measuring        <= {INPUTS{1'b0}};
            departures_known <= {INPUTS{1'b0}};
        end else begin
            now <= now + 24'd1;
            if (start)    measuring[started]           <= 1'b1;
            if (measured) measuring[left_input]        <= 1'b0;
            if (left)     departures_known[left_input] <= 1'b1;
        end
endmodule
`default_nettype wire
