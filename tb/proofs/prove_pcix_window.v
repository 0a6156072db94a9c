// Proof of pcix_target, pcix_target_sink and pcix_window, as pcix_core connects them: `bad` is never high, whatever
// happens on the bus, and whenever the memory takes a word:
//
//   write    a write to the window comes while the write buffer is free: 3 clocks behind its answer, before the next
`default_nettype none
module prove_pcix_window #(
    parameter DECODE = 4
) (
    input  wire        clk,
    input  wire [31:0] any_ad,
    input  wire [3:0]  any_cbe_n,
    input  wire [5:0]  any_bus,
    input  wire        any_ack,
    input  wire [1:0]  any_setting,
    output wire        bad
);
    reg running;                      // 0 in the first clock
    initial running = 1'b0;
    always @(posedge clk) running <= 1'b1;

    wire        write_ok, read_hit, read_ask, read_taken, write_valid;
    wire        wide, is_config, is_bar0, is_bar1, is_completion, receive_first, receive;
    wire [31:0] address, attribute;
    wire [3:0]  command, attribute_cbe_n;
    wire [12:0] last_byte;
    pcix_target #(.DECODE(DECODE)) target (
        .clk (clk), .rst (!running), .pcix_mode (any_bus[0]), .in_ad (any_ad), .in_cbe_n (any_cbe_n),
        .in_frame_n (any_bus[1]), .in_irdy_n (any_bus[2]), .in_req64_n (any_bus[3]), .in_idsel (any_bus[4]),
        .in_own_frame (any_bus[5]), .control_error (any_setting[0]), .bar0 (5'd1), .bar1 (17'd1),
        .memory_enable (any_setting[1]), .bus_number (8'd0), .device_number (5'd0), .reg_rd_data (64'd0),
        .config_data (32'd0), .window_write_ok (write_ok), .window_read_hit (read_hit), .window_read_data (64'd0),
        .window_read_ask (read_ask), .window_read_taken (read_taken), .address (address), .command (command),
        .wide (wide), .attribute (attribute), .attribute_cbe_n (attribute_cbe_n), .last_byte (last_byte),
        .is_config (is_config), .is_bar0 (is_bar0), .is_bar1 (is_bar1), .is_completion (is_completion),
        .receive_first (receive_first), .receive (receive)
    );
    pcix_target_sink sink (
        .clk (clk), .rst (!running), .in_ad (64'd0), .in_cbe_n (8'd0), .address (address), .command (command),
        .wide (wide), .attribute (attribute), .attribute_cbe_n (attribute_cbe_n), .last_byte (last_byte),
        .is_config (is_config), .is_bar0 (is_bar0), .is_bar1 (is_bar1), .is_completion (is_completion),
        .receive_first (receive_first), .receive (receive), .window_write_valid (write_valid), .look_known (1'b0),
        .look_match (1'b0)
    );
    pcix_window window (
        .clk (clk), .rst (!running), .address (address[26:3]), .write_ok (write_ok), .write_valid (write_valid),
        .write_data (64'd0), .write_be (8'd0), .read_hit (read_hit), .read_ask (read_ask), .read_taken (read_taken),
        .win_ack (any_ack), .win_rdata (64'd0)
    );

    assign bad = running && write_valid && !write_ok;
endmodule
`default_nettype wire
