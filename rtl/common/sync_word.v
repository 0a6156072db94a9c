// Keeps a copy of a whole word in another clock domain (settings, counters, views): every value seen at the destination
// was the source's value at one instant.
//
// A request toggle goes to the destination, the acknowledge toggle comes back; in between the source holds the word in
// a register. A new sample starts as soon as the last one is acknowledged, so the copy lags by at most two rounds, a
// round being about 3 source + 3 destination clocks. Values that last less than a round may be skipped: not for events
// (use sync_event).
`default_nettype none
module sync_word #(
    // bits of the word, >= 1
    parameter WIDTH = 8,
    // value at the destination after reset
    parameter [WIDTH-1:0] RESET = {WIDTH{1'b0}}
) (
    input  wire             src_clk,
    input  wire             src_rst,
    input  wire [WIDTH-1:0] src_data,
    output wire             src_taken,   // one clock: src_data has been sampled at the end of this clock
    input  wire             dst_clk,
    input  wire             dst_run_clk, // clocks dst_data; the same, may stop while dst_wake is low (clock_gate)
    output wire             dst_wake,    // dst_data will change
    input  wire             dst_rst,
    output reg  [WIDTH-1:0] dst_data,
    output reg              dst_update   // one clock: dst_data is new
);
    reg  [WIDTH-1:0] held;
    reg              request;
    wire             acknowledge;
    wire             dst_request;
    reg              dst_acknowledge;

    assign src_taken = (request == acknowledge);

    always @(posedge src_clk)
        if (src_rst) begin
            held    <= RESET;
            request <= 1'b0;
        end else if (src_taken) begin
            held    <= src_data;
            request <= !request;
        end

    sync_bit request_crossing     (.clk (dst_clk), .rst (dst_rst), .in (request), .out (dst_request));
    sync_bit acknowledge_crossing (.clk (src_clk), .rst (src_rst), .in (dst_acknowledge), .out (acknowledge));

    wire arrives = (dst_request != dst_acknowledge);

    assign dst_wake = arrives && (held != dst_data);

    always @(posedge dst_run_clk)
        if (dst_rst)      dst_data <= RESET;
        else if (arrives) dst_data <= held;

    always @(posedge dst_clk)
        if (dst_rst) begin
            dst_acknowledge <= 1'b0;
            dst_update      <= 1'b0;
        end else begin
            dst_update <= 1'b0;
            if (arrives) begin
                dst_acknowledge <= dst_request;
                dst_update      <= 1'b1;
            end
        end
endmodule
`default_nettype wire
