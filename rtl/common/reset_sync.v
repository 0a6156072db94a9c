// Reset at the edge of a clock domain: asserted at once (asynchronously), released in step with the clock.
//
// The pin is active low, everything inside is active high and synchronous (an active-low asynchronous reset would cost
// an inverter per flip-flop on Virtex-II Pro). Latency of the release: 2 to 3 clocks.
`default_nettype none
module reset_sync (
    input  wire clk,
    input  wire rst_n_pin,   // asynchronous, active low
    output wire rst          // synchronous release, active high
);
    (* ASYNC_REG = "TRUE" *) reg [1:0] pipe;

    always @(posedge clk or negedge rst_n_pin)
        if (!rst_n_pin) pipe <= 2'b11;
        else            pipe <= {pipe[0], 1'b0};

    assign rst = pipe[1];
endmodule
`default_nettype wire
