// Proof of pcix_reads: `bad` is never high, whatever reads are opened, how they are answered, and when abandoned:
//
//   one     two reads never end in one clock, which `rd_done` could not report
//   once    a read ends only if it is open, and its tag is taken again only when it has ended
//
// Assumed: of a transaction on the bus all data and its failure have one tag, and nothing comes behind the failure; a
// clock without either is between two transactions (an idle clock and an address phase at least). Tags are 0 to 3;
// reads are abandoned by `abandon` only, at any time.
`default_nettype none
module prove_pcix_reads #(
    parameter SPLITS = 4,
    // clocks between transactions
    parameter APART  = 1
) (
    input  wire       clk,
    input  wire       any_open,
    input  wire [1:0] any_open_tag,
    input  wire [1:0] any_words,
    input  wire       any_own,
    input  wire       any_data,
    input  wire       any_fail,
    input  wire       any_split,
    input  wire       any_wide,
    input  wire       any_drop,
    input  wire       any_abandon,
    input  wire       any_begin,
    input  wire [1:0] any_tag,
    output wire       bad
);
    reg running;                      // 0 in the first clock
    initial running = 1'b0;
    always @(posedge clk) running <= 1'b1;

    // ---- transactions: one goes on, or begins behind APART clocks without one
    reg        own, over;
    reg  [1:0] tag;
    reg  [1:0] idle;                  // clocks, 3 at most
    wire       begins    = any_begin && idle >= APART;
    wire       on        = running && idle == 2'd0 && !over;
    wire       data      = on && any_data && !any_fail;
    wire       fail      = on && any_fail && !any_data;
    always @(posedge clk)
        if (!running) {own, over, tag, idle} <= {1'b0, 1'b0, 2'd0, 2'd3};
        else if (begins || (idle == 2'd0 && !any_begin)) begin
            idle <= 2'd0;
            over <= !begins && (over || fail);
            if (begins) {own, tag} <= {any_own, any_tag};
        end else begin
            idle <= (idle == 2'd3) ? 2'd3 : idle + 2'd1;
            over <= 1'b0;
        end

    wire       can_open, done;
    wire [4:0] done_tag;
    wire       opens = any_open && can_open && any_words != 2'd0 && running;
    pcix_reads #(.SPLITS(SPLITS)) reads (
        .clk (clk), .rst (!running), .max_splits (SPLITS[2:0]), .time_limit (24'd0), .drop (any_drop),
        .abandon (any_abandon),
        .can_open (can_open), .open (opens), .open_tag ({3'd0, any_open_tag}), .open_words ({8'd0, any_words}),
        .open_low (4'd0), .own_tag ({3'd0, tag}), .own_asked (any_own), .own_split (on && own && any_split),
        .own_fail (fail && own), .own_fail_status (3'd2), .own_data (data && own), .own_wide (any_wide),
        .look_tag ({3'd0, tag}), .look_low (7'd0), .look_count (13'd0), .look_modified (1'b0),
        .completion_data (data && !own), .completion_wide (any_wide), .completion_error (fail && !own), .in_ad (64'd0),
        .data_bad (1'b0), .rd_done (done), .rd_done_tag (done_tag)
    );

    // ---- tags of open reads
    (* hierconn *) wire [SPLITS-1:0] \reads.done ;
    reg  [3:0] open;
    always @(posedge clk)
        open <= !running ? 4'd0 : (open & ~({3'd0, done} << done_tag[1:0])) | ({3'd0, opens} << any_open_tag);

    assign bad = running && ((\reads.done & (\reads.done - 1'b1)) != {SPLITS{1'b0}} || (done && !open[done_tag[1:0]])
                             || (opens && open[any_open_tag]));
endmodule
`default_nettype wire
