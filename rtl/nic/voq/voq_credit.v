// Credits of the VOQs: per lane (virtual channel), units handed to the link, units of it forwarded by the other side,
// and so whether a packet may start. With several links by packet voq_path_credit replaces it.
//
// Units are clocks of the link; a packet of n words counts 2n + 4. Counters have 12 bits and wrap. Per lane
//     sent    T / 2: units handed to the link FIFO so far; all packets are of an even number
//     last    the last credit, counter bits [11:5]; T - {last, 0} may still be in the other side's buffer
//     seen    since reset a credit has arrived
// A packet fits if a credit of the lane has been seen and T - {last, 0} + its units <= cfg_capacity. link_credit_rx has
// checked every credit; a value below the last one is possible (a wrong credit is corrected by the next right one) and
// raises `lower`.
//
// All of it is in two small memories; `clear` zeroes one lane per clock. Answers are combinational, updates count from
// the next clock on.
`default_nettype none
module voq_credit #(
    // lanes (virtual channels), 2..16
    parameter LANES = 8
) (
    input  wire                     clk,
    input  wire                     clear,        // lane `clear_lane` is reset
    input  wire [$clog2(LANES)-1:0] clear_lane,

    // credits
    input  wire                     credit_valid,
    input  wire [6:0]               credit_lane,
    input  wire [6:0]               credit_value,
    input  wire [11:0]              cfg_capacity, // buffer behind each lane [units]
    output wire                     changed,      // a lane has a new credit from the next clock on: `credit_lane`
    output wire                     lower,        // ... and less of it than before

    // may a packet go?
    input  wire [$clog2(LANES)-1:0] look_lane,
    input  wire [9:0]               look_words,   // its payload, 1..512
    output wire                     look_fits,

    // a packet has been handed to the link FIFO
    input  wire                     sent_valid,
    input  wire [$clog2(LANES)-1:0] sent_lane,
    input  wire [9:0]               sent_words    // its payload
);
    localparam LOG2_LANES = $clog2(LANES);

    initial
        if (LANES < 2 || LANES > 16 || (LANES & (LANES - 1)) != 0) begin
            $display("%m: LANES must be 2, 4, 8 or 16, is %0d", LANES);
            $finish;
        end

    (* ram_style = "distributed" *) reg [10:0] sent [0:LANES-1];
    (* ram_style = "distributed" *) reg [7:0]  last [0:LANES-1];   // {seen, counter bits [11:5]}

    // ---- which packets may go
    wire [7:0]  look_last = last[look_lane];
    wire [10:0] look_out  = sent[look_lane] - {look_last[6:0], 4'd0};
    wire [10:0] look_half = {1'b0, look_words} + 11'd2;
    wire [12:0] look_room = {1'b0, cfg_capacity} - {1'b0, look_half, 1'b0};
    assign look_fits = look_last[7] && !look_room[12] && (look_out <= look_room[11:1]);

    // ---- credits
    wire                  known    = ({1'b0, credit_lane} < LANES[7:0]);
    wire [LOG2_LANES-1:0] new_lane = clear ? clear_lane : credit_lane[LOG2_LANES-1:0];
    wire [7:0]            old      = last[new_lane];
    wire [6:0]            gain     = credit_value - old[6:0];

    assign changed = credit_valid && known;
    assign lower   = changed && old[7] && gain[6];

    always @(posedge clk)
        if (clear || changed)
            last[new_lane] <= {!clear, credit_value};

    // ---- packets
    wire [LOG2_LANES-1:0] add_lane = clear ? clear_lane : sent_lane;
    wire [10:0]           added    = sent[add_lane] + {1'b0, sent_words} + 11'd2;

    always @(posedge clk)
        if (clear || sent_valid)
            sent[add_lane] <= added & {11{!clear}};

    wire unused = &{1'b0, gain[5:0], look_room[0]};

    // ---- measuring
    wire probe_busy  = changed || sent_valid;
    wire probe_start = sent_valid;
    wire probe_done  = sent_valid;
endmodule
`default_nettype wire
