// Credit scheduler of an input (S1 3.2.4): which credits its port returns to the sender, one virtual channel (lane) per
// output. Default module of the plug-in point "credit scheduler"; contract: rtl/switch/contracts.md.
//
// Accounts per lane, 12 bits modulo 4096, in units (a packet counts 2 x length + 4):
//     received    what the sender has transmitted as known here: + the units of every packet stored; set by check
//                 records
//     forwarded   what of it no longer occupies the crosspoint: + the units of every packet that departs; credits carry
//                 it
// The difference is what the crosspoint holds. So a check record that says T is exact at any time: forwarded += T -
// received, received := T. `received` changes for one lane in a clock, so it is a small memory; it cannot be reset,
// `known` says whether a lane holds a value yet. A record whose lane has a departure in the same clock waits a clock;
// records come at least three clocks apart.
//
// credit_choice decides whose credits go next (modified lanes first, round robin, the others after `refresh`). A
// departure in clock n may raise `request` in n+2.
`default_nettype none
module credit_scheduler #(
    // outputs of the switch, 2..16
    parameter OUTPUTS = 8
) (
    input  wire                       clk,              // the input's
    input  wire                       rst,

    // from the outputs, in this clock: a packet of this input has started to leave (or is drained), any number at once
    input  wire [OUTPUTS-1:0]         departed,
    input  wire [OUTPUTS*10-1:0]      departed_units,   // of output o in [10*o +: 10], valid with its `departed`

    // from the receiving half of the port
    input  wire                       stored,           // a packet is going into a crosspoint
    input  wire [$clog2(OUTPUTS)-1:0] stored_output,
    input  wire [9:0]                 stored_units,
    input  wire                       record,           // a good check record; never with `stored`, 3 clocks apart
    input  wire [$clog2(OUTPUTS)-1:0] record_output,
    input  wire [11:0]                record_units,     // what the sender has transmitted on that lane
    output wire [9:0]                 occupied,         // units in stored_output; `stored` counts a clock later

    // credit words: `word`, two credits, [31:16] first, an odd one twice, is valid, and may change, while `request`
    input  wire                       refresh,          // one clock: all lanes are due
    output wire                       request,
    output wire [31:0]                word,
    input  wire                       take
);
    localparam LOG2_OUTPUTS = $clog2(OUTPUTS);

    initial
        if (OUTPUTS < 2 || OUTPUTS > 16) begin
            $display("%m: OUTPUTS must be 2..16, is %0d", OUTPUTS);
            $finish;
        end

    // ---- received
    reg  [11:0]             received_memory [0:(1<<LOG2_OUTPUTS)-1];
    reg  [OUTPUTS-1:0]      known;
    wire [LOG2_OUTPUTS-1:0] lane          = record ? record_output : stored_output;
    wire [11:0]             received      = received_memory[lane] & {12{known[lane]}};
    wire [11:0]             received_next = record ? record_units : received + {2'b00, stored_units};

    always @(posedge clk)
        if (record || stored)
            received_memory[lane] <= received_next;

    // ---- a record on its way to `forwarded`
    reg                     repair;
    reg  [LOG2_OUTPUTS-1:0] repair_lane;
    reg  [11:0]             repair_units;
    wire                    repair_now = repair && !departed[repair_lane];

    always @(posedge clk)
        if (rst) begin
            known        <= {OUTPUTS{1'b0}};
            repair       <= 1'b0;
            repair_lane  <= {LOG2_OUTPUTS{1'b0}};
            repair_units <= 12'd0;
        end else begin
            if (record || stored)
                known[lane] <= 1'b1;
            if (record) begin
                repair       <= 1'b1;
                repair_lane  <= record_output;
                repair_units <= record_units - received;
            end else if (repair_now)
                repair <= 1'b0;
        end

    // ---- forwarded
    wire [7*OUTPUTS-1:0]  forwarded;
    wire [10*OUTPUTS-1:0] not_forwarded;
    wire [OUTPUTS-1:0]    changed;

    genvar o;
    generate
        for (o = 0; o < OUTPUTS; o = o + 1) begin : lane_of
            // Kept inverted and counted down: a subtraction takes one LUT per bit with the multiplexer before it.
            reg  [11:0] inverted;
            reg  [11:0] inverted_next;
            reg         changes;
            wire        repaired = repair_now && (repair_lane == o);
            always @* begin
                inverted_next = inverted;
                changes       = 1'b0;
                if (departed[o] || repaired) begin
                    inverted_next = inverted - (departed[o] ? {2'b00, departed_units[10*o +: 10]} : repair_units);
                    changes       = !departed[o] || inverted_next[11:5] != inverted[11:5];
                end
            end
            always @(posedge clk)
                if (rst)
                    inverted <= 12'hFFF;
                else if (departed[o] || repaired)
                    inverted <= inverted_next;
            assign forwarded[7*o +: 7]       = ~inverted[11:5];
            assign not_forwarded[10*o +: 10] = inverted[9:0] & {10{stored_output == o}};
            assign changed[o]                = changes;
        end
    endgenerate

    // ---- received - forwarded of one lane; no more than a crosspoint holds, so the low bits say it
    reg [9:0] not_forwarded_here;
    integer i;
    always @* begin
        not_forwarded_here = 10'd0;
        for (i = 0; i < OUTPUTS; i = i + 1)
            not_forwarded_here = not_forwarded_here | not_forwarded[10*i +: 10];
    end
    assign occupied = received[9:0] + not_forwarded_here + 10'd1;

    credit_choice #(.LANES(OUTPUTS)) choice (
        .clk (clk), .rst (rst), .units (forwarded), .changed (changed), .refresh (refresh), .request (request),
        .word (word), .take (take)
    );

    // ---- measuring
    wire probe_busy       = request;
    wire probe_stall_link = request && !take;
    wire probe_start      = take;
    wire probe_done       = take;
endmodule
`default_nettype wire
