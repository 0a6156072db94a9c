// Proof of sync_intake: `bad` is never high, whatever packets come, are dropped and released.
//
//   places    no packet begins without a place: the place that is shown, and the one that is still read, are not
//             written
//   shown     what is complete stays shown until it is taken
//
// Assumed: a packet begins only while op_ready, and ends once; one packet at a time is kept
// (sync_writer has one job).
`default_nettype none
module prove_sync_intake (
    input  wire        clk,
    input  wire        any_begin,
    input  wire        any_group,
    input  wire        any_word,
    input  wire        any_end,
    input  wire        any_drop,
    input  wire        any_take,
    input  wire        any_keep,
    input  wire        any_over,
    input  wire [1:0]  any_host,
    input  wire [63:0] any_header,
    output wire        bad
);
    reg running;                      // 0 in the first clock
    initial running = 1'b0;
    always @(posedge clk) running <= 1'b1;

    (* hierconn *) wire [8:0] \intake.wr_at ;
    (* hierconn *) wire [1:0] \intake.wr_half ;
    wire       ready, op_take, valid, complete;
    wire [2:0] place;
    reg        arriving, read;        // a packet has begun; the writer reads a place,
    reg  [2:0] read_place;            // ... this
    reg        was_complete;
    wire       begins = any_begin && ready && running;
    wire       group  = any_group && !any_begin && ready && running;
    wire       ends   = any_end && arriving;
    wire       take   = any_take && complete && running;
    wire       keep   = take && any_keep && !read;       // the writer still reads it
    wire       over   = any_over && read;

    always @(posedge clk)
        if (!running) {arriving, read, was_complete} <= 3'd0;
        else begin
            arriving     <= begins || (arriving && !ends);
            read         <= keep || (read && !over);
            was_complete <= complete && !take;
            if (keep) read_place <= place;
        end

    sync_intake intake (
        .clk (clk), .rst (!running), .op_ready (ready), .op_begin (begins), .op_header (any_header),
        .op_valid (any_word && arriving), .op_take (op_take), .op_word (64'd0), .op_end (ends), .op_drop (any_drop),
        .op_written (1'b0), .group_valid (group), .group_header (any_header), .group_damaged (1'b0),
        .loss_valid (1'b0), .loss_source (7'd0), .host_write (any_host), .host_second (any_header[0]),
        .host_data (64'd0), .shown_valid (valid), .shown_complete (complete), .shown_place (place),
        .shown_taken (take), .shown_kept (keep), .kept_over (over), .rd_enable (1'b0),
        .rd_place (3'd0), .rd_index (6'd0)
    );

    wire       writes = (\intake.wr_half != 2'd0) && (any_host == 2'd0);
    wire [2:0] to     = \intake.wr_at [8:6];

    assign bad = running && ((writes && ((complete && to == place) || (read && to == read_place)))
                             || (was_complete && !complete) || (complete && !valid));
endmodule
`default_nettype wire
