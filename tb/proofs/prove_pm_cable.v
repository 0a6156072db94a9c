// Proof of pm_cable: `bad` is never high, whatever enters it. The ring has a place for each clock of the cable but one:
//
//   delay    what enters leaves LENGTH later, and nothing else does
`default_nettype none
module prove_pm_cable #(
    parameter LENGTH = 6
) (
    input  wire clk,
    input  wire any_valid,
    input  wire any_data,
    output wire bad
);
    reg running;                      // 0 in the first clock
    initial running = 1'b0;
    always @(posedge clk) running <= 1'b1;

    wire                valid, data;
    reg  [2*LENGTH-1:0] entered;      // in the clocks before, the last one lowest: a word, its bit
    always @(posedge clk) entered <= running ? {entered[2*LENGTH-3:0], any_valid, any_data} : {2*LENGTH{1'b0}};

    pm_cable #(.WIDTH(1), .CLOCKS(LENGTH)) cable (
        .clk (clk), .rst (!running), .in_valid (any_valid), .in_data (any_data), .out_valid (valid), .out_data (data)
    );

    assign bad = running && (valid != entered[2*LENGTH-1] || (valid && data != entered[2*LENGTH-2]));
endmodule
`default_nettype wire
