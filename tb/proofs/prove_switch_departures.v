// Proof of what a port of the switch reports of its departures: switch_tx and monitor_flows of two inputs, and, in the
// same clock, the credit_scheduler of the first input. `bad` is never high, whatever words the crosspoints have and
// when, and whatever may leave:
//
//   apart    departures are 6 clocks apart at least (what crosses to the clock of the input is held until the next one)
//   event    monitor_flows has one event that waits: none comes before the one that waits is taken
//   repair   credit_scheduler has one record that waits for a departure: none comes before it is done
//
// Assumed: a packet in a crosspoint has the length of its header, 1 at least, and an end mark behind it; good records
// are 4 clocks apart (both: prove_crosspoint).
`default_nettype none
module prove_switch_departures #(
    // clocks from a record to the next one
    parameter RECORDS_APART = 4
) (
    input  wire       clk,
    input  wire [1:0] any_valid,
    input  wire [3:0] any_length,
    input  wire [1:0] any_chosen,
    input  wire [7:0] any_level,
    input  wire       any_record,
    input  wire       any_record_output,
    output wire       bad
);
    reg running;                      // 0 in the first clock
    initial running = 1'b0;
    always @(posedge clk) running <= 1'b1;

    // ---- the crosspoints
    wire [1:0]  rd_valid = any_valid & {2{running}};
    wire [1:0]  rd_end, rd_pop;
    wire [63:0] rd_data;
    genvar g;
    generate
        for (g = 0; g < 2; g = g + 1) begin : crosspoint
            reg  [2:0] left;          // words of the packet behind its header; 0: the header comes next
            reg  [1:0] length;        // its payload is longer by 1
            wire       begins = (left == 3'd0);
            assign rd_end[g] = rd_valid[g] && left == 3'd1;
            assign rd_data[32*g +: 32] = {30'd0, length} & {32{rd_valid[g] && begins}};
            always @(posedge clk)
                if (!running) {left, length} <= {3'd0, 2'd1};
                else if (rd_valid[g] && rd_pop[g]) begin
                    left <= begins ? {length, 1'b0} + 3'd2 : left - 3'd1;
                    if (rd_end[g]) length <= {any_length[2*g], !any_length[2*g]};
                end
        end
    endgenerate

    wire [1:0]  departed;
    wire [7:0]  departed_units;
    wire        ev_start, ev_drained;
    switch_tx #(.INPUTS(2), .MAX_WORDS(2), .STAMPS(0)) tx (
        .clk (clk), .rst (!running), .packets_may_start (any_level[0]), .down (any_level[1]),
        .window_start (any_level[2]), .window_late (any_level[3]), .now (32'd0), .chosen (any_chosen[0]),
        .chosen_onehot ({any_chosen[1], !any_chosen[1]}), .rd_valid (rd_valid), .rd_end (rd_end), .rd_poisoned (2'd0),
        .rd_data (rd_data), .rd_pop (rd_pop), .departed (departed), .departed_units (departed_units),
        .granted (any_level[4]), .credit_request (any_level[5]), .credit_word (32'd0), .record_request (any_level[6]),
        .record_units (12'd0), .word_sent (32'd0), .ev_start (ev_start), .ev_drained (ev_drained)
    );

    // ---- to the monitor
    wire        event_now = ev_start || ev_drained;
    monitor_flows #(.INPUTS(2)) flows (
        .clk (clk), .rst (!running), .clear (1'b0), .arrived (2'd0), .occupancy (20'd0), .out_start (ev_start),
        .out_drained (ev_drained), .out_input (1'b0), .out_units ({2'b00, departed_units}), .rd_start (any_level[7]),
        .rd_row (7'd0)
    );

    // ---- to an input, whose packets leave through another output, too
    reg  [2:0]  since, since_other;   // clocks since a departure, 7 at most
    reg  [2:0]  since_record;
    wire        departs_other = any_length[1] && since_other >= 3'd5;
    wire        record = any_record && since_record >= RECORDS_APART - 1;
    wire        returned;
    wire [7:0]  units;
    sync_held #(.WIDTH(8), .SAME_CLOCK(1)) departure (
        .src_clk (clk), .src_rst (!running), .src_pulse (departed[0]), .src_data (departed_units), .dst_clk (clk),
        .dst_rst (!running), .dst_pulse (returned), .dst_data (units)
    );
    credit_scheduler #(.OUTPUTS(2)) credits (
        .clk (clk), .rst (!running), .departed ({departs_other, returned}), .departed_units ({10'd6, 2'b00, units}),
        .stored (1'b0), .stored_output (1'b0), .stored_units (10'd0), .record (record),
        .record_output (any_record_output), .record_units (12'd0), .refresh (1'b0), .take (1'b0)
    );
    always @(posedge clk)
        if (!running) {since, since_other, since_record} <= {3{3'd7}};
        else begin
            since        <= |departed ? 3'd0 : since == 3'd7 ? 3'd7 : since + 3'd1;
            since_other  <= departs_other ? 3'd0 : since_other == 3'd7 ? 3'd7 : since_other + 3'd1;
            since_record <= record ? 3'd0 : since_record == 3'd7 ? 3'd7 : since_record + 3'd1;
        end

    (* hierconn *) wire \flows.waits , \flows.load , \credits.repair , \credits.repair_now ;
    assign bad = running && ((|departed && since < 3'd5) || (event_now && \flows.waits && !\flows.load )
                             || (record && \credits.repair && !\credits.repair_now ));
endmodule
`default_nettype wire
