// What the five channels of AXI4 and AXI4-Lite and the one of AXI4-Stream have in common: VALID, READY, the payload.
//
// An edge in reset, and the one behind it, are no part of a transfer: VALID may rise after the latter (A3.1.2). What is
// shown stays as it is until it is taken (A3.2.1). `seen`, `shown` and `taken` are what the rules of a protocol go by.
`default_nettype none
module axi_channel_properties #(
    // bits of what VALID stands for, >= 1
    parameter WIDTH = 1
) (
    input  wire             clk,
    input  wire             rst,
    input  wire             valid,
    input  wire             ready,
    input  wire [WIDTH-1:0] payload,
    output wire             seen,          // it stands there
    output wire             shown,         // ... for the first time
    output wire             taken,
    output wire             broken_held,   // it went or changed before it was taken
    output wire             broken_reset   // VALID in reset, or in the first clock after it
);
    reg             was_reset, waiting;
    reg [WIDTH-1:0] held;
    initial {was_reset, waiting} = 2'b00;
    always @(posedge clk) begin
        was_reset <= rst;
        waiting   <= seen && !ready;
        held      <= payload;
    end

    wire off = rst || was_reset;

    assign seen         = valid && !off;
    assign shown        = seen && !waiting;
    assign taken        = seen && ready;
    assign broken_held  = waiting && !off && (!valid || payload != held);
    assign broken_reset = was_reset && valid;
endmodule
`default_nettype wire
