// A cable, or another delay: data leave CLOCKS after they enter. One word per clock.
//
// A ring of CLOCKS - 1 places and a register, so a simulator moves one word and not all of them.
`default_nettype none
module pm_cable #(
    // bits per word, >= 1
    parameter WIDTH = 8,
    // clocks from in to out, 2..256
    parameter CLOCKS = 30
) (
    input  wire             clk,
    input  wire             rst,        // the cable is empty
    input  wire             in_valid,
    input  wire [WIDTH-1:0] in_data,
    output reg              out_valid,
    output reg  [WIDTH-1:0] out_data    // while out_valid
);
    localparam PLACES = (CLOCKS > 2) ? CLOCKS - 1 : 1;
    localparam BITS   = (PLACES > 1) ? $clog2(PLACES) : 1;
    localparam [31:0] LAST_PLACE = PLACES - 1;

    initial
        if (CLOCKS < 2 || CLOCKS > 256) begin
            $display("%m: CLOCKS must be 2..256, is %0d", CLOCKS);
            $finish;
        end

    reg [WIDTH-1:0]  memory [0:PLACES-1];
    reg [PLACES-1:0] valid;
    reg [BITS-1:0]   place;

    always @(posedge clk) begin
        if (in_valid) memory[place] <= in_data;
        if (valid[place]) out_data <= memory[place];
    end

    always @(posedge clk)
        if (rst) begin
            valid     <= {PLACES{1'b0}};
            place     <= {BITS{1'b0}};
            out_valid <= 1'b0;
        end else begin
            valid[place] <= in_valid;
            out_valid    <= valid[place];
            place        <= (place == LAST_PLACE[BITS-1:0]) ? {BITS{1'b0}} : place + 1'b1;
        end
endmodule
`default_nettype wire
