// Sequence numbers of departing packets: one 9-bit counter per destination, in a small memory.
//
// `look_number` is the number of the next packet of `look_lane`, combinational. `step` increments a counter from the
// next clock on: when a packet has taken its number, and once more when a transfer of that destination has been
// dropped, so that the receiver notices the loss. `clear` zeroes one counter per clock.
`default_nettype none
module voq_sequence #(
    // destinations, 2..16
    parameter LANES = 8
) (
    input  wire                     clk,
    input  wire                     clear,
    input  wire [$clog2(LANES)-1:0] clear_lane,
    input  wire [$clog2(LANES)-1:0] look_lane,
    output wire [8:0]               look_number,
    input  wire                     step,
    input  wire [$clog2(LANES)-1:0] step_lane
);
    localparam LOG2_LANES = $clog2(LANES);

    initial
        if (LANES < 2 || LANES > 16 || (LANES & (LANES - 1)) != 0) begin
            $display("%m: LANES must be 2, 4, 8 or 16, is %0d", LANES);
            $finish;
        end

    (* ram_style = "distributed" *) reg [8:0] number [0:LANES-1];

    wire [LOG2_LANES-1:0] lane = clear ? clear_lane : step_lane;
    wire [8:0]            old  = number[lane] & {9{!clear}};

    assign look_number = number[look_lane];

    always @(posedge clk)
        if (clear || step)
            number[lane] <= old + {8'd0, !clear};

    // ---- measuring
    wire probe_busy  = step;
    wire probe_start = step;
    wire probe_done  = step;
endmodule
`default_nettype wire
