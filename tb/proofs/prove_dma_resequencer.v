// Proof of dma_resequencer with two sources, two paths and four places of each: `bad` is never high, whatever numbers
// come, also ones that have come before, and whenever they time out.
//
//   account   `waiting` counts the places that are taken, and some_wait says whether there are any
//   behind    when E goes on, the place that it leaves is free; none is taken behind E
//
// Assumed: as the head of the module says, a packet asked for stays as it is until its `done`, which comes once; E does
// not advance by 512 numbers meanwhile. `lemmas` is what makes a step enough.
`default_nettype none
module prove_dma_resequencer (
    input  wire        clk,
    input  wire        any_ask,
    input  wire [12:0] any_packet,         // path, source, number
    input  wire        any_done,
    input  wire [46:0] any_kept,
    input  wire [3:0]  any_paths,
    input  wire [23:0] any_timeout,
    input  wire [5:0]  any_flags,
    output wire        bad
);
    reg running;                           // 0 in the first clock
    initial running = 1'b0;

    // ---- the caller
    reg         asks, writes;
    reg  [12:0] packet;
    wire        ready, late;
    wire        ask  = running && !writes && (asks || any_ask);
    wire [12:0] now  = asks || writes ? packet : any_packet;
    wire        done = running && writes && any_done;
    always @(posedge clk) begin
        running <= 1'b1;
        asks    <= ask && !ready;
        writes  <= running && ((ask && ready && !late) || (writes && !done));
        packet  <= now;
    end

    dma_resequencer #(.SOURCES(2), .PATHS(2), .LOG2_PLACES(2)) dut (
        .clk (clk), .rst (!running), .cfg_paths (any_paths), .cfg_timeout (any_timeout), .time_runs (any_flags[0]),
        .flush (any_flags[1]), .ask_valid (ask), .ask_source (now[10]), .ask_number (now[9:0]),
        .ask_path ({1'b0, now[11]}), .ask_ready (ready), .ask_late (late), .done_valid (done),
        .done_kept (any_kept[45:0]), .done_damaged (any_kept[46]), .note_taken (any_flags[2]),
        .mark_valid (any_flags[3]), .mark_source (any_flags[4])
    );

    (* hierconn *) wire \dut.sweeping , \dut.writing , \dut.fresh , \dut.here , \dut.looking , \dut.looked_at ,
                        \dut.goes_on , \dut.at , \dut.keep ;
    (* hierconn *) wire [9:0] \dut.ahead ;
    (* hierconn *) wire [1:0] \dut.some_wait ;
    (* hierconn *) wire [2:0] \dut.sweep , \dut.waiting[0] , \dut.waiting[1] ;
    (* hierconn *) wire [9:0] \dut.due[0] , \dut.due[1] ;
    (* hierconn *) wire [47:0] \dut.shown , \dut.places[0] , \dut.places[1] , \dut.places[2] , \dut.places[3] ,
                               \dut.places[4] ;
    (* hierconn *) wire [47:0] \dut.places[5] , \dut.places[6] , \dut.places[7] ;
    wire [7:0] taken = {\dut.places[7] [47], \dut.places[6] [47], \dut.places[5] [47], \dut.places[4] [47],
                        \dut.places[3] [47], \dut.places[2] [47], \dut.places[1] [47], \dut.places[0] [47]};
    wire [2:0] sum_0 = {2'd0, taken[0]} + {2'd0, taken[1]} + {2'd0, taken[2]} + {2'd0, taken[3]};
    wire [2:0] sum_1 = {2'd0, taken[4]} + {2'd0, taken[5]} + {2'd0, taken[6]} + {2'd0, taken[7]};
    wire [1:0] some  = {sum_1 != 3'd0, sum_0 != 3'd0};

    reg        went;                       // E has gone on from this place
    reg  [2:0] from;
    always @(posedge clk) begin
        went <= running && \dut.goes_on ;
        from <= {\dut.at , \dut.at ? \dut.due[1] [1:0] : \dut.due[0] [1:0]};
    end
    wire claims = sum_0 == \dut.waiting[0] && sum_1 == \dut.waiting[1] && some == \dut.some_wait
                  && !(went && taken[from]) && !(\dut.keep && \dut.ahead >= 10'd4);

    // ---- lemmas
    wire [9:0] ahead = packet[9:0] - (packet[10] ? \dut.due[1] : \dut.due[0] );
    wire [2:0] asked  = {packet[10], packet[1:0]};
    wire [2:0] looked = {\dut.looked_at , \dut.looked_at ? \dut.due[1] [1:0] : \dut.due[0] [1:0]};
    wire [7:0] swept  = ~(8'hff << \dut.sweep );
    wire lemmas = writes == \dut.writing
                  && (!\dut.fresh || (writes && !\dut.looking && \dut.shown [47] == taken[asked]))
                  && (!writes || \dut.fresh || ahead[9] || \dut.here == taken[asked])
                  && (!\dut.looking || \dut.shown [47] == taken[looked]);
    wire begins = (taken & swept) == 8'd0 && \dut.some_wait == 2'd0 && !writes && !\dut.fresh && !\dut.looking
                  && !\dut.writing && !went && (!(|swept[3:0]) || \dut.waiting[0] == 3'd0)
                  && (!(|swept[7:4]) || \dut.waiting[1] == 3'd0);

    reg        kept;                       // as is assumed, so far
    wire       still = (kept || !running) && !(writes && ahead >= 10'd4 && ahead < 10'd512);
    always @(posedge clk) kept <= still;

    assign bad = running && still && !(\dut.sweeping ? begins : claims && lemmas);
endmodule
`default_nettype wire
