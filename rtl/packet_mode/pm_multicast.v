// Packets of an ingress card that name sets of outputs: the next unit of them, and the outputs that it still has to go
// to. One of these per priority; the words are in the card's memory.
//
// A unit is the first SEGMENT_WORDS of a packet or the remainder of it (UNIT_IS_PACKET: all of it), never of two
// packets. It is sent once, into the crosspoints of all outputs that the packet names, when there is credit for all of
// it at each of them. With SPLIT it goes to those that have credit, and again to the others later; the next unit is
// sent when every output has it.
//
// Fairness: unicast units could take the credit for ever, so when PORTS of them have been chosen while a unit waited,
// the credit of its outputs is reserved for it. And a VOQ may need much credit at once, which units of sets take in
// small parts: when PORTS of these have left it without enough, its output is closed to them until it has been chosen.
// A closed output is not reserved for a set, so one of both always moves.
//
//   first word of a packet on the line at t     its unit counts for the choice of the input from t + 1 on
`default_nettype none
module pm_multicast #(
    parameter PORTS          = 16,          // 2..16
    parameter SEGMENT_WORDS  = 64,          // a unit at most, 2..1024
    parameter UNIT_IS_PACKET = 0,           // 1: a unit is a packet
    parameter SPLIT          = 0,           // 1: a unit may go to a part of its outputs first
    parameter PACKETS        = 16384,       // that may wait, a power of 2
    parameter LATE           = 0            // clocks from the line to `arrived`, 0..14
) (
    input  wire             clk,
    input  wire             rst,

    // the line
    input  wire             arrived,        // a packet, in this clock
    input  wire [12:0]      arrived_words,
    input  wire [PORTS-1:0] arrived_set,
    output wire             full,           // there is no place for one
    output reg  [23:0]      stored,         // words that wait

    // the unit at the head
    output wire             eligible,
    output wire [12:0]      words,
    output wire             ends,           // it is the last one of its packet
    output wire             again,          // it has been sent to other outputs before
    input  wire [PORTS-1:0] room,           // outputs that have credit for `words`
    output wire [PORTS-1:0] outputs,        // it goes to these if it is chosen now
    output wire [PORTS-1:0] kept,           // outputs whose credit is reserved for it
    input  wire             chosen,
    input  wire             chosen_other,   // another unit of this priority is

    // the VOQs of this priority
    input  wire [PORTS-1:0] lacks,          // one has words, and no credit for its unit
    input  wire [PORTS-1:0] served          // one is chosen, or has no words
);
    localparam RING = $clog2(PACKETS);
    localparam [31:0] ROUND   = PORTS;
    localparam [31:0] SEGMENT = SEGMENT_WORDS;
    localparam [31:0] MOST    = PACKETS - 1 - LATE; // places for packets that arrive within LATE clocks are kept free

    initial
        if ((1 << RING) != PACKETS || PACKETS < LATE + 2) begin
            $display("%m: PACKETS must be a power of 2, and LATE + 2 = %0d at least, is %0d", LATE + 2, PACKETS);
            $finish;
        end

    reg [PORTS+12:0] packets [0:PACKETS-1]; // behind the head: outputs, words
    reg [RING-1:0]   place_in;
    reg [RING-1:0]   place_out;
    reg              valid;                 // the head:
    reg [PORTS-1:0]  set;                   // ... outputs of its packet
    reg [PORTS-1:0]  rest;                  // ... outputs that do not have this unit yet
    reg [12:0]       left;                  // ... words of its packet that were in no unit yet
    reg [4:0]        passed;                // others that were chosen while it waited
    reg [PORTS-1:0]  went;                  // outputs that a unit took credit of in the clock before
    reg [5*PORTS-1:0] taken;                // units that left the VOQ short of credit since its service, per output
    wire [PORTS-1:0] closed;

    wire [RING-1:0]   next_place  = place_in + 1'b1;
    wire [RING-1:0]   waiting     = place_in - place_out;
    wire              none        = (place_in == place_out);
    wire [PORTS+12:0] behind      = packets[place_out];
    wire              unit_done   = chosen && (rest & ~outputs) == {PORTS{1'b0}};
    wire              take        = !valid || (unit_done && ends);

    assign full     = (waiting >= MOST[RING-1:0]);
    assign words    = (UNIT_IS_PACKET == 0 && left > SEGMENT[12:0]) ? SEGMENT[12:0] : left;
    assign ends     = (UNIT_IS_PACKET != 0) || left <= SEGMENT[12:0];
    assign again    = (rest != set);
    wire [PORTS-1:0]  may         = room & ~closed;
    assign outputs  = rest & ((SPLIT != 0) ? may : {PORTS{1'b1}});
    assign eligible = valid && ((SPLIT != 0) ? |(rest & may) : (rest & ~may) == {PORTS{1'b0}});
    assign kept     = (valid && passed == ROUND[4:0]) ? rest & ~closed : {PORTS{1'b0}};
    genvar            g;
    generate
        for (g = 0; g < PORTS; g = g + 1) begin : voq
            assign closed[g] = (taken[5*g +: 5] == ROUND[4:0]);
            always @(posedge clk)
                if (rst || served[g]) taken[5*g +: 5] <= 5'd0;
                else if (went[g] && lacks[g] && !closed[g]) taken[5*g +: 5] <= taken[5*g +: 5] + 5'd1;
        end
    endgenerate

    always @(posedge clk) if (arrived && !(take && none)) packets[place_in] <= {arrived_set, arrived_words};

    always @(posedge clk)
        if (rst) begin
            place_in  <= {RING{1'b0}};
            place_out <= {RING{1'b0}};
            valid     <= 1'b0;
            stored    <= 24'd0;
            passed    <= 5'd0;
            went      <= {PORTS{1'b0}};
        end else begin
            went <= chosen ? outputs : {PORTS{1'b0}};
            if (arrived && !(take && none)) place_in <= next_place;
            if (take && !none) place_out <= place_out + 1'b1;
            if (take) valid <= arrived || !none;
            stored <= stored + (arrived ? {11'd0, arrived_words} : 24'd0) - (unit_done ? {11'd0, words} : 24'd0);
            if (chosen) passed <= 5'd0;
            else if (valid && chosen_other && passed != ROUND[4:0]) passed <= passed + 5'd1;
        end

    always @(posedge clk)
        if (take) begin
            set  <= none ? arrived_set : behind[PORTS+12:13];
            rest <= none ? arrived_set : behind[PORTS+12:13];
            left <= none ? arrived_words : behind[12:0];
        end else if (unit_done) begin
            rest <= set;
            left <= left - SEGMENT[12:0];
        end else if (chosen) rest <= rest & ~outputs;
endmodule
`default_nettype wire
