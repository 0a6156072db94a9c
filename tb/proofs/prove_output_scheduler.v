// Proof of output_scheduler with output_choice, packet_counts and round_robin: `bad` is never high, whatever arrives,
// is enabled and taken.
//
//   one       a choice is one input, the same in number and one-hot, and stays until it is taken
//   asks      it is one that was enabled and had a packet in the clock of the choice, the one of this clock too; there
//             is a choice in the clock behind each in which one was wanted and possible, and none in the clock behind
//             `taken`
//   counts    an input waits if and only if more of its packets have arrived than were taken
//   fair      an input that has packets and is enabled is passed over INPUTS - 1 times at most
//
// Assumed: `taken` comes only with `chosen`, and at most 127 packets of an input wait (prove_crosspoint: 85).
`default_nettype none
module prove_output_scheduler #(
    parameter INPUTS = 8,
    parameter LI     = $clog2(INPUTS)
) (
    input  wire              clk,
    input  wire [INPUTS-1:0] any_arrived,
    input  wire [INPUTS-1:0] any_enable,
    input  wire              any_choose,
    input  wire              any_taken,
    input  wire [LI-1:0]     any_mine,       // in the first clock: the input that is followed
    output wire              bad
);
    localparam [LI:0] LIMIT = INPUTS - 1;
    reg running;                             // 0 in the first clock
    initial running = 1'b0;

    reg  [LI-1:0]     mine;
    reg  [6:0]        packets;               // that wait, of the input that is followed
    wire [INPUTS-1:0] arrived = any_arrived & ~((&packets ? {{INPUTS-1{1'b0}}, 1'b1} : {INPUTS{1'b0}}) << mine);
    wire              chosen, overflow;
    wire [LI-1:0]     number;
    wire [INPUTS-1:0] onehot, waiting;
    wire              taken = any_taken && chosen;
    output_scheduler #(.INPUTS(INPUTS)) dut (
        .clk (clk), .rst (!running), .arrived (arrived), .occupancy ({10*INPUTS{1'b0}}), .enable (any_enable),
        .weight ({8*INPUTS{1'b0}}), .choose (any_choose), .chosen (chosen), .chosen_input (number),
        .chosen_onehot (onehot), .taken (taken), .taken_units (10'd0), .waiting (waiting), .overflow (overflow)
    );

    wire              asks    = any_enable[mine] && (packets != 7'd0 || arrived[mine]);
    wire              is_mine = chosen && number == mine;
    reg               was, was_chosen, was_taken, wanted, asked;
    reg  [LI-1:0]     was_number;
    reg  [LI:0]       passed;                // choices of others since the input asks
    wire              begins  = chosen && !was_chosen;
    always @(posedge clk) begin
        running    <= 1'b1;
        mine       <= running ? mine : any_mine < INPUTS ? any_mine : {LI{1'b0}};
        was        <= running;
        was_chosen <= running && chosen;
        was_taken  <= running && taken;
        was_number <= number;
        wanted     <= running && any_choose && asks && !chosen;
        asked      <= running && asks;
        packets    <= running ? packets + {6'd0, arrived[mine]} - {6'd0, taken && is_mine} : 7'd0;
        passed     <= !running || !asks || is_mine ? {LI+1{1'b0}} : passed + {{LI{1'b0}}, begins};
    end

    wire one    = !chosen || onehot == {{INPUTS-1{1'b0}}, 1'b1} << number;
    wire held   = !was || !was_chosen || (was_taken ? !chosen : chosen && number == was_number);
    wire right  = !(was && begins && is_mine && !asked) && !(was && wanted && !chosen);
    wire counts = waiting[mine] == (packets != 7'd0) && !(is_mine && packets == 7'd0);
    assign bad  = running && !(one && held && right && counts && passed <= LIMIT);
    wire unused = &{1'b0, overflow};
endmodule
`default_nettype wire
