// The network counters (S1 3.1.4.3 and what design.md adds), in the network clock, and their way into the PCI domain.
//
// Counter i counts the clocks in which event_vector[i] is high; places whose bit in PLACES is 0 have no counter and read 0. One after the
// other is handed to `copy_index`/`copy_value`, where a sync_word carries it across: a new one per `copy_taken`, so that the copy
// in the PCI domain (nic_registers) lags by one round of all 32, a few hundred network clocks.
//
// `clear` sets all to 0 (S1: a store to the first network counter clears them all).
`default_nettype none
module network_counters #(
    // places with a counter
    parameter [31:0] PLACES = 32'hffff_ffff
) (
    input  wire        clk,
    input  wire        rst,
    input  wire        clear,
    input  wire [31:0] event_vector,
    output reg  [4:0]  copy_index,
    output reg  [31:0] copy_value,
    input  wire        copy_taken
);
    wire [32*32-1:0] counts;

    genvar i;
    generate
        for (i = 0; i < 32; i = i + 1) begin : place
            if (PLACES[i]) begin : counter
                event_counter place_count (
                    .clk (clk), .rst (rst), .event_here (event_vector[i]),
                    .load (clear), .load_value (32'd0), .count (counts[i*32 +: 32])
                );
            end else begin : none
                assign counts[i*32 +: 32] = 32'd0;
                wire unused = event_vector[i];
            end
        end
    endgenerate

    wire [4:0] next_index = copy_index + 5'd1;

    always @(posedge clk)
        if (rst) begin
            copy_index <= 5'd0;
            copy_value <= 32'd0;
        end else if (copy_taken) begin
            copy_index <= next_index;
            copy_value <= counts[next_index*32 +: 32];
        end

    // ---- measuring
    wire probe_busy  = |(event_vector & PLACES);
    wire probe_stall = 1'b0;
endmodule
`default_nettype wire
