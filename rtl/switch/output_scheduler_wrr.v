// Output scheduler, weighted round robin: second module of the plug-in point "output scheduler" (contract:
// rtl/switch/contracts.md; S2 3). Inputs that always have packets share the output in proportion to their weights,
// counted in link words, whatever their packet sizes.
//
// Every input has an account in units. Round robin goes over the waiting inputs whose account is not negative; the size
// of a packet is subtracted when it starts (deficit round robin that pays afterwards, so the size need not be known
// before). While no waiting input has a non-negative account, every negative account gets 4 x its weight per clock,
// until one has. The refunds for a packet of n units take at most n / 4 clocks, less than the packet is on the link; so
// if the input served last still waits, the next choice is ready in time. If it is not (that input has no packet left
// and the others are in debt), the output does not idle: the choice falls on a waiting input in debt, round robin, and
// its packet is not charged.
//
// With all inputs waiting, the service of input i = 4 x weight(i) x refunds - its account, which is between -1023 (the
// longest packet) and 4 x weight(i) - 1: so the shares differ from the weights by less than a packet and a refund at
// any time. An account that is not negative does not grow: an idle input saves nothing. Weight 0 counts as 1. Latency
// as in output_scheduler: one clock from `arrived` to `chosen`.
`default_nettype none
module output_scheduler_wrr #(
    // inputs of the switch, 2..16
    parameter INPUTS = 8
) (
    input  wire                      clk,           // the output's
    input  wire                      rst,

    // from the crosspoints and the monitor
    input  wire [INPUTS-1:0]         arrived,       // one clock per packet whose first word has been written
    input  wire [INPUTS*10-1:0]      occupancy,     // words in the crosspoint of input i, in [10*i +: 10]; not used
    input  wire [INPUTS-1:0]         enable,        // inputs that may be served
    input  wire [INPUTS*8-1:0]       weight,        // of input i in [8*i +: 8]

    // to and from the output port
    input  wire                      choose,        // level: a choice could be used
    output wire                      chosen,        // level: there is one
    output wire [$clog2(INPUTS)-1:0] chosen_input,
    output wire [INPUTS-1:0]         chosen_onehot,
    input  wire                      taken,         // one clock, only while `chosen`
    input  wire [9:0]                taken_units,   // size of that packet

    // to the monitor
    output wire [INPUTS-1:0]         waiting,       // inputs with packets, enabled or not
    output wire                      overflow       // event: a count has reached its end
);
    wire [INPUTS-1:0] eligible;
    wire [INPUTS-1:0] served;
    wire [INPUTS-1:0] in_debt;
    wire [INPUTS-1:0] solvent = eligible & ~in_debt;
    wire              refund  = !(|(waiting & enable & ~in_debt));

    output_choice #(.INPUTS(INPUTS)) choice (
        .clk (clk), .rst (rst), .arrived (arrived), .enable (enable), .choose (choose), .chosen (chosen),
        .chosen_input (chosen_input), .chosen_onehot (chosen_onehot), .taken (taken), .waiting (waiting),
        .overflow (overflow), .eligible (eligible), .served (served), .pick ((|solvent) ? solvent : eligible)
    );

    // ---- accounts: -1023 .. 1019, signed
    genvar i;
    generate
        for (i = 0; i < INPUTS; i = i + 1) begin : account_of
            reg  [10:0] account;
            wire [7:0]  share  = weight[8*i +: 8] | {7'd0, weight[8*i +: 8] == 8'd0};
            wire        pays   = served[i] && !in_debt[i];
            wire        gets   = refund && in_debt[i];
            wire [10:0] change = in_debt[i] ? {1'b0, share, 2'b00} : ~{1'b0, taken_units};
            always @(posedge clk)
                if (rst)
                    account <= 11'd0;
                else if (pays || gets)
                    account <= account + change + {10'd0, pays};
            assign in_debt[i] = account[10];
        end
    endgenerate

    wire unused = &{1'b0, occupancy};

    // ---- measuring
    reg  chosen_before;
    always @(posedge clk) chosen_before <= chosen && !rst;
    wire probe_busy       = |(waiting & enable) || chosen;
    wire probe_stall_link = chosen && !taken;
    wire probe_start      = chosen && !chosen_before;
    wire probe_done       = chosen && taken;
endmodule
`default_nettype wire
