// The network counters (S1 3.1.4.3 and what design.md adds), in the network clock, and their way into the PCI domain.
//
// Counter i counts the clocks in which event_vector[i] is high; places whose bit in PLACES is 0 have no counter and read 0. One after the
// other is handed to `copy_index`/`copy_value`, where a sync_word carries it across: a new one per `copy_taken`, so that the copy
// in the PCI domain (nic_registers) lags by one round of all 32, a few hundred network clocks.
//
// The totals are in one small memory with one adder. In front of it each place gathers its events in six bits, and every clock looks at
// one place and adds what it has gathered to its total: the next one in turn, or the one that is handed over. A place waits for 31 turns
// and 31 others handed over at most, so six bits hold what comes meanwhile. What is handed over includes all that was gathered
// before that clock.
//
// `clear` sets all to 0 (S1: a store to the first network counter clears them all) and wins over an event: what a total was before does
// not count at the place's next look.
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
    reg  [4:0]      turn;
    wire [4:0]      next_index = copy_index + 5'd1;
    wire [4:0]      look       = copy_taken ? next_index : turn;

    wire [32*6-1:0] gathered;
    wire [31:0]     cleared;          // the total was cleared and has not been looked at since

    genvar i;
    generate
        for (i = 0; i < 32; i = i + 1) begin : place
            if (PLACES[i]) begin : counter
                reg  [5:0] events;
                reg        old;
                wire       looked = (look == i);

                always @(posedge clk)
                    if (rst || clear) begin
                        events <= 6'd0;
                        old    <= 1'b1;
                    end else begin
                        events <= (looked ? 6'd0 : events) + {5'd0, event_vector[i]};
                        old    <= old && !looked;
                    end

                assign gathered[i*6 +: 6] = events;
                assign cleared[i]            = old;
            end else begin : none
                assign gathered[i*6 +: 6] = 6'd0;
                assign cleared[i]            = 1'b1;
                wire unused = event_vector[i];
            end
        end
    endgenerate

    (* ram_style = "distributed" *) reg [31:0] totals [0:31];
    wire [31:0] total = (totals[look] & {32{!cleared[look]}}) + {26'd0, gathered[look*6 +: 6]};

    always @(posedge clk) totals[look] <= total;

    always @(posedge clk)
        if (rst)              turn <= 5'd0;
        else if (!copy_taken) turn <= turn + 5'd1;

    always @(posedge clk)
        if (rst) begin
            copy_index <= 5'd0;
            copy_value <= 32'd0;
        end else if (copy_taken) begin
            copy_index <= next_index;
            copy_value <= total;
        end

    // ---- measuring
    wire probe_busy  = |(event_vector & PLACES);
    wire probe_stall = 1'b0;
endmodule
`default_nettype wire
