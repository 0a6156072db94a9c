// Credits of the VOQs with several links by packet: voq_credit for each path of each lane, in fewer LUTs.
//
// Units are clocks of the link; a packet of n words counts 2n + 4. Counters have 12 bits and wrap. Per path and lane
//     sent    T / 2: units handed to the link FIFO of the path so far; all packets are of an even number
//     last    the last credit, counter bits [11:5], and whether one has arrived since reset
//     out     T / 2 less the last credit: units that may still be in the other side's buffer; 2047 before a credit has
//             arrived
// A packet fits if out and its units are cfg_capacity / 2 at most: before a credit none does. link_credit_rx has
// checked every credit; a value below the last one is possible (a wrong credit is corrected by the next right one) and
// raises `lower`.
//
// The packet that starts needs `out` of all paths at once, so it is kept in a memory of each path. Its operands, `sent`
// and `last`, are in one memory each: one path of one lane has a packet or a credit in a clock. A packet goes first,
// the credit waits for it (`credit_taken`). `clear` resets path `clear_path` of lane `clear_lane`. Answers are
// combinational, updates count from the next clock on.
`default_nettype none
module voq_path_credit #(
    // lanes (virtual channels), 2..16
    parameter LANES = 8,
    // paths, 2..4
    parameter PATHS = 4
) (
    input  wire                     clk,
    input  wire                     clear,
    input  wire [$clog2(LANES)-1:0] clear_lane,
    input  wire [1:0]               clear_path,

    // credits
    input  wire                     credit_valid, // until credit_taken
    input  wire [6:0]               credit_lane,
    input  wire [1:0]               credit_path,
    input  wire [6:0]               credit_value,
    output wire                     credit_taken, // with credit_valid or without: one would be taken
    input  wire [11:0]              cfg_capacity, // buffer behind each lane [units]
    output wire                     changed,      // lane `credit_lane` has a new credit from the next clock on
    output wire                     lower,        // ... and less of it than before

    // may a packet go, by each path?
    input  wire [$clog2(LANES)-1:0] look_lane,
    input  wire [9:0]               look_words,   // its payload, 1..512
    output wire [PATHS-1:0]         look_fits,
    output wire [PATHS-1:0]         look_idle,    // less is out than a credit can report: 16 halves

    // a packet has been handed to the link FIFO
    input  wire                     sent_valid,
    input  wire [$clog2(LANES)-1:0] sent_lane,
    input  wire [1:0]               sent_path,
    input  wire [9:0]               sent_words,   // its payload

    // T / 2 of the path and lane of that packet, or of the credit
    output wire [10:0]              units,        // before this clock
    output wire [10:0]              units_sent    // with the packet
);
    localparam LOG2_LANES = $clog2(LANES);
    localparam PATH_BITS  = (PATHS > 2) ? 2 : 1;

    initial
        if (LANES < 2 || LANES > 16 || (LANES & (LANES - 1)) != 0 || PATHS < 2 || PATHS > 4) begin
            $display("%m: LANES must be 2, 4, 8 or 16, is %0d; PATHS 2..4, is %0d", LANES, PATHS);
            $finish;
        end

    (* ram_style = "distributed" *) reg [10:0] sent [0:(LANES << PATH_BITS)-1];
    (* ram_style = "distributed" *) reg [7:0]  last [0:(LANES << PATH_BITS)-1];   // {seen, counter bits [11:5]}

    // ---- the path and lane that change
    wire                  known = ({1'b0, credit_lane} < LANES[7:0]);
    wire [LOG2_LANES-1:0] lane  = clear ? clear_lane : sent_valid ? sent_lane : credit_lane[LOG2_LANES-1:0];
    wire [1:0]            path  = clear ? clear_path : sent_valid ? sent_path : credit_path;
    wire [LOG2_LANES+PATH_BITS-1:0] at = {path[PATH_BITS-1:0], lane};
    wire [7:0]            old   = last[at];
    wire [6:0]            gain  = credit_value - old[6:0];
    wire [6:0]            value = sent_valid ? old[6:0] : credit_value;
    wire [10:0]           total = sent_valid ? units_sent : units;
    wire [10:0]           out_next = (total - {value, 4'd0}) | {11{clear}};
    wire                  moves = clear || sent_valid || changed;

    assign credit_taken = !clear && !sent_valid;
    assign changed      = credit_valid && credit_taken && known;
    assign lower        = changed && old[7] && gain[6];
    assign units        = sent[at];
    assign units_sent   = units + {1'b0, sent_words} + 11'd2;

    always @(posedge clk) begin
        if (clear || sent_valid) sent[at] <= units_sent & {11{!clear}};
        if (clear || changed)    last[at] <= {!clear, credit_value};
    end

    // ---- which packets may go
    wire [10:0] look_half = {1'b0, look_words} + 11'd2;
    wire [12:0] look_room = {1'b0, cfg_capacity} - {1'b0, look_half, 1'b0};
    genvar p;

    generate
        for (p = 0; p < PATHS; p = p + 1) begin : of_path
            (* ram_style = "distributed" *) reg [10:0] out [0:LANES-1];
            localparam [1:0] ME = p;
            wire [10:0] look_out = out[look_lane];

            assign look_fits[p] = !look_room[12] && (look_out <= look_room[11:1]);
            assign look_idle[p] = (look_out < 11'd16);

            always @(posedge clk)
                if (moves && path == ME) out[lane] <= out_next;
        end
    endgenerate

    wire unused = &{1'b0, gain[5:0], look_room[0], path};

    // ---- measuring
    wire probe_busy  = changed || sent_valid;
    wire probe_start = sent_valid;
    wire probe_done  = sent_valid;
endmodule
`default_nettype wire
