// Proof of dma_departures, of two queues and links, with 16 places of each queue and MANY of 11: `bad` is never high,
// whatever packets are put, and in whatever order links send them.
//
//   places   a packet has a place in its queue: `full` rises in time, and stays high while any queue is crowded
//
// Assumed: in the three clocks from the rise of `full` on packets may be put, not later. A queue passes a packet only
// if it has one (the links' lists: test_departures).
`default_nettype none
module prove_dma_departures (
    input  wire       clk,
    input  wire       any_put,
    input  wire       any_path,
    input  wire       any_queue,
    input  wire [2:0] any_flags,
    input  wire [1:0] any_gone,
    input  wire [1:0] any_lost,
    input  wire       any_taken,
    output wire       bad
);
    reg running;                      // 0 in the first clock
    initial running = 1'b0;

    (* hierconn *) wire \departures.pass , \departures.sweeping , \departures.at ;
    (* hierconn *) wire \departures.deciding , \departures.entry_valid ;
    (* hierconn *) wire [1:0] \departures.crowded , \departures.changed , \departures.sweep ;
    (* hierconn *) wire [3:0] \departures.tails[0] , \departures.tails[1] , \departures.heads[0] ,
                              \departures.heads[1] ;
    wire [3:0] level_0 = \departures.tails[0] - \departures.heads[0] ;
    wire [3:0] level_1 = \departures.tails[1] - \departures.heads[1] ;
    reg        some;                  // as is assumed, so far
    wire       still = (some || !running)
                       && !(\departures.pass && !\departures.sweeping && (\departures.at ? level_1 : level_0) == 4'd0);

    wire       full;
    reg  [2:0] was_full;              // in the clocks before
    reg  [1:0] late;                  // packets put since it has risen
    wire       put = any_put && running && !(full && (&was_full));
    always @(posedge clk) begin
        running  <= 1'b1;
        some     <= still;
        was_full <= running ? {was_full[1:0], full} : 3'd7;
        late     <= running && full ? late + {1'b0, put} : 2'd0;
    end

    dma_departures #(.QUEUES(2), .PATHS(2)) departures (
        .clk (clk), .rst (!running), .put_valid (put), .put_path ({1'b0, any_path}), .put_queue (any_queue),
        .put_first (any_flags[0]), .put_ends (any_flags[1]), .put_local (any_flags[2]), .full (full),
        .gone_valid (any_gone), .gone_lost (any_lost), .lost_taken (any_taken)
    );

    // ---- lemmas: a queue that is not crowded has MANY packets at most, another the one more and late ones
    wire [3:0] most_0 = !\departures.crowded [0] ? 4'd11 : full ? 4'd12 + {2'd0, late} : 4'd12;
    wire [3:0] most_1 = !\departures.crowded [1] ? 4'd11 : full ? 4'd12 + {2'd0, late} : 4'd12;
    wire       levels = level_0 <= most_0 && level_1 <= most_1
                        && (late == 2'd0
                            || (was_full[0] && (late == 2'd1 || (was_full[1] && (late == 2'd2 || was_full[2])))));
    wire [1:0] cleared = {\departures.sweep [1], |\departures.sweep };     // queues, after reset
    wire       begins = \departures.crowded == 2'd0 && \departures.changed == 2'd0 && !\departures.deciding
                        && !\departures.entry_valid && (&was_full) && late == 2'd0 && (!cleared[0] || level_0 == 4'd0)
                        && (!cleared[1] || level_1 == 4'd0);
    wire       lemmas = \departures.sweeping ? begins : levels;

    assign bad = running && still && ((put && (any_queue ? level_1 : level_0) == 4'd15) || !lemmas);
endmodule
`default_nettype wire
