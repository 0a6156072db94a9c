// Proof of request_queues with 2 queues of 4 descriptors (edits: 8 places in all): `bad` is never high, whatever is
// written, taken and served, and whenever the queues are reset. One place of one queue is followed, by what is written
// and served alone:
//
//   written   a 32-bit word is rejected (`overwrite`) exactly if it waits there already, if its descriptor is taken and
//             not served, or during a reset. What is accepted does not change before it is served
//   taken     a descriptor is taken in the order of the places, when all four words are there, once for each time it is
//             written, and as written (a bit of each word; the start flag; the time stamp)
//   status    from head to tail all are whole or taken, and when `fulls` is 1, all
//   starts    a whole descriptor with the start flag makes its queue ready, if it has not been taken, except in the
//             clock after one is taken
//   scan      a whole descriptor at the tail moves it within 3 clocks
//
// Assumed: as in prove_request_pointers, which proves the pointers of the size in the NIC; no clock is missed
// (`slept`). `lemmas` is what makes a step enough; MEMORIES=seen, because they read the flags.
`default_nettype none
module prove_request_queues #(
    // 0: what is claimed alone, for faults
    parameter LEMMAS = 1
) (
    input  wire        clk,
    input  wire [2:0]  any_mine,             // in the first clock: the place that is followed, {queue, number}
    input  wire        any_reset,
    input  wire        any_write,
    input  wire [3:0]  any_addr,
    input  wire [63:0] any_data,
    input  wire [7:0]  any_be,
    input  wire        any_take,
    input  wire        any_take_queue,
    input  wire        any_served,
    input  wire        any_served_queue,
    input  wire        any_stamp,
    input  wire        any_now,
    output wire        bad
);
    reg running;                             // 0 in the first clock
    initial running = 1'b0;

    reg  [2:0]   mine, out_0, out_1;         // `out`: taken and not served
    reg  [1:0]   place;                      // that is taken next, of the queue that is followed
    wire [2:0]   out = mine[2] ? out_1 : out_0;
    wire [1:0]   ready, fulls;
    wire [13:0]  heads, tails;
    wire         take   = any_take && ready[any_take_queue];
    wire         served = any_served && (any_served_queue ? out_1 : out_0) != 3'd0;
    wire         resetting, overwrite;
    wire [127:0] descriptor;
    request_queues #(.QUEUES(2)) dut (
        .clk (clk), .rst (!running), .slept (8'd0), .queue_reset (any_reset), .wr_valid (any_write),
        .wr_addr ({7'd0, any_addr}), .wr_data (any_data), .wr_be (any_be), .rd_addr (11'd0), .stamp (any_stamp),
        .now ({31'd0, any_now}), .ready (ready), .take (take), .take_queue (any_take_queue),
        .take_descriptor (descriptor), .served (served), .served_queue (any_served_queue), .heads (heads),
        .tails (tails), .fulls (fulls), .resetting (resetting), .overwrite (overwrite)
    );

    // ---- the descriptor at the place that is followed: words that are there, a bit of each (the start flag is that of
    // the last word)
    reg         w_valid;                     // the write before, which is in the memory two clocks later
    reg  [3:0]  w_addr;
    reg  [3:0]  w_bits;
    reg  [7:0]  w_be;
    reg  [3:0]  have, kept;
    wire        mine_takes  = take && any_take_queue == mine[2];
    wire        mine_serves = served && any_served_queue == mine[2];
    wire [1:0]  head        = place - out[1:0];
    wire [1:0]  ahead       = mine[1:0] - head;
    wire        in_service  = {1'b0, ahead} < out;
    wire        here        = w_valid && w_addr[3:1] == mine;
    wire [3:0]  full        = w_addr[0] ? {&w_be[7:4], &w_be[3:0], 2'd0} : {2'd0, &w_be[7:4], &w_be[3:0]};
    wire [3:0]  busy        = have | {4{in_service || resetting}};
    wire [3:0]  enters      = here ? full & ~busy : 4'd0;
    wire        stamps      = any_stamp && enters != 4'd0 && (have | enters) == 4'hf;
    wire [3:0]  bits        = (kept & ~enters) | (w_bits & enters);
    reg         was_here, was_refused, took_mine, took_start;
    reg  [3:0]  took_bits;
    reg         in_order;                    // ... so far
    always @(posedge clk) begin
        running     <= 1'b1;
        mine        <= running ? mine : any_mine;
        w_valid     <= running && any_write;
        w_addr      <= any_addr;
        w_bits      <= any_addr[0] ? {any_data[59], any_data[0], 2'd0} : {2'd0, any_data[32], any_data[0]};
        w_be        <= any_be;
        was_here    <= running && here;
        was_refused <= |(full & busy);
        took_mine   <= running && mine_takes && place == mine[1:0];
        took_start  <= running && mine_takes && !any_reset;
        took_bits   <= kept;
        out_0       <= running ? out_0 + {2'd0, take && !any_take_queue} - {2'd0, served && !any_served_queue} : 3'd0;
        out_1       <= running ? out_1 + {2'd0, take && any_take_queue} - {2'd0, served && any_served_queue} : 3'd0;
        place       <= running && !any_reset ? place + {1'b0, mine_takes} : 2'd0;
        have        <= !running || any_reset || (mine_serves && ahead == 2'd0) ? 4'd0 : have | enters;
        kept        <= {bits[3:2], stamps ? any_now : bits[1], bits[0]};
        in_order    <= !running || (in_order && !(mine_takes && place == mine[1:0] && (in_service || have != 4'hf)));
    end

    // ---- the queue that is followed
    wire [1:0] h_low   = mine[2] ? heads[8:7] : heads[1:0];
    wire [1:0] t_low   = mine[2] ? tails[8:7] : tails[1:0];
    wire       is_full = fulls[mine[2]];
    wire [1:0] count   = t_low - h_low;
    wire       whole   = have == 4'hf && !in_service;
    wire       at_tail = running && !resetting && whole && t_low == mine[1:0] && !is_full;
    reg  [1:0] stuck;                        // clocks that a whole one has been at the tail, 3 at most
    always @(posedge clk) stuck <= at_tail ? stuck + {1'b0, stuck != 2'd3} : 2'd0;
    wire claims = (!was_here || overwrite == was_refused) && in_order
                  && (!took_mine || {descriptor[123], descriptor[64], descriptor[32], descriptor[0]} == took_bits)
                  && (resetting || h_low == head)
                  && (resetting || in_service || whole || !(is_full || ahead < count))
                  && (resetting || !(whole && kept[3] && place != t_low) || ready[mine[2]] || took_start)
                  && !(at_tail && stuck == 2'd3);

    // ---- inside
    (* hierconn *) wire [1:0] \dut.head_pass , \dut.tail_pass , \dut.waiting , \dut.started ;
    (* hierconn *) wire [5:0] \dut.taken , \dut.starts ;
    (* hierconn *) wire \dut.sweeping , \dut.sweeping_before , \dut.rebase , \dut.took , \dut.took_queue ,
                        \dut.b_valid ;
    (* hierconn *) wire \dut.scanned_queue , \dut.scan_queue ;
    (* hierconn *) wire \dut.scanned_bit_set ;
    (* hierconn *) wire [2:0] \dut.sweep_slot , \dut.scanned_tail ;
    (* hierconn *) wire [13:3] \dut.b_addr ;
    (* hierconn *) wire [63:0] \dut.b_data ;
    (* hierconn *) wire [7:0] \dut.b_be ;
    (* hierconn *) wire [4:0] \dut.b_flags ;
    (* hierconn *) wire [31:0] \dut.fetch3 ;
    (* hierconn *) wire [4:0] \dut.flags_for_write[0] , \dut.flags_for_write[1] , \dut.flags_for_write[2] ,
                              \dut.flags_for_write[3] ;
    (* hierconn *) wire [4:0] \dut.flags_for_write[4] , \dut.flags_for_write[5] , \dut.flags_for_write[6] ,
                              \dut.flags_for_write[7] ;
    (* hierconn *) wire [4:0] \dut.flags_for_scan[0] , \dut.flags_for_scan[1] , \dut.flags_for_scan[2] ,
                              \dut.flags_for_scan[3] ;
    (* hierconn *) wire [4:0] \dut.flags_for_scan[4] , \dut.flags_for_scan[5] , \dut.flags_for_scan[6] ,
                              \dut.flags_for_scan[7] ;
    (* hierconn *) wire [31:0] \dut.bank0[0] , \dut.bank0[1] , \dut.bank0[2] , \dut.bank0[3] , \dut.bank0[4] ,
                               \dut.bank0[5] ;
    (* hierconn *) wire [31:0] \dut.bank0[6] , \dut.bank0[7] , \dut.bank1[0] , \dut.bank1[1] , \dut.bank1[2] ,
                               \dut.bank1[3] ;
    (* hierconn *) wire [31:0] \dut.bank1[4] , \dut.bank1[5] , \dut.bank1[6] , \dut.bank1[7] , \dut.bank2[0] ,
                               \dut.bank2[1] ;
    (* hierconn *) wire [31:0] \dut.bank2[2] , \dut.bank2[3] , \dut.bank2[4] , \dut.bank2[5] , \dut.bank2[6] ,
                               \dut.bank2[7] ;
    (* hierconn *) wire [31:0] \dut.bank3[0] , \dut.bank3[1] , \dut.bank3[2] , \dut.bank3[3] , \dut.bank3[4] ,
                               \dut.bank3[5] ;
    (* hierconn *) wire [31:0] \dut.bank3[6] , \dut.bank3[7] ;
    wire [39:0] flags = {\dut.flags_for_write[7] , \dut.flags_for_write[6] , \dut.flags_for_write[5] ,
                         \dut.flags_for_write[4] , \dut.flags_for_write[3] , \dut.flags_for_write[2] ,
                         \dut.flags_for_write[1] , \dut.flags_for_write[0] };
    wire [39:0] again = {\dut.flags_for_scan[7] , \dut.flags_for_scan[6] , \dut.flags_for_scan[5] ,
                         \dut.flags_for_scan[4] , \dut.flags_for_scan[3] , \dut.flags_for_scan[2] ,
                         \dut.flags_for_scan[1] , \dut.flags_for_scan[0] };
    wire [31:0] words = {\dut.bank3[7] [27], \dut.bank2[7] [0], \dut.bank1[7] [0], \dut.bank0[7] [0],
                         \dut.bank3[6] [27], \dut.bank2[6] [0], \dut.bank1[6] [0], \dut.bank0[6] [0],
                         \dut.bank3[5] [27], \dut.bank2[5] [0], \dut.bank1[5] [0], \dut.bank0[5] [0],
                         \dut.bank3[4] [27], \dut.bank2[4] [0], \dut.bank1[4] [0], \dut.bank0[4] [0],
                         \dut.bank3[3] [27], \dut.bank2[3] [0], \dut.bank1[3] [0], \dut.bank0[3] [0],
                         \dut.bank3[2] [27], \dut.bank2[2] [0], \dut.bank1[2] [0], \dut.bank0[2] [0],
                         \dut.bank3[1] [27], \dut.bank2[1] [0], \dut.bank1[1] [0], \dut.bank0[1] [0],
                         \dut.bank3[0] [27], \dut.bank2[0] [0], \dut.bank1[0] [0], \dut.bank0[0] [0]};

    // ---- lemmas: of both queues, of the pointers (head, taken, tail); of the flags of the one that is followed
    wire [2:0] h_0 = {\dut.head_pass [0], heads[1:0]}, k_0 = \dut.taken [2:0], t_0 = {\dut.tail_pass [0], tails[1:0]};
    wire [2:0] h_1 = {\dut.head_pass [1], heads[8:7]}, k_1 = \dut.taken [5:3], t_1 = {\dut.tail_pass [1], tails[8:7]};
    wire [2:0] h   = mine[2] ? h_1 : h_0, k = mine[2] ? k_1 : k_0, t = mine[2] ? t_1 : t_0;
    wire [2:0] n   = mine[2] ? \dut.starts [5:3] : \dut.starts [2:0];
    wire [2:0] got_0 = k_0 - h_0, got_1 = k_1 - h_1, held_0 = t_0 - h_0, held_1 = t_1 - h_1, held = t - h;
    wire [4:0] sum = {2'd0, out_0} + {2'd0, out_1} + (\dut.sweeping ? {2'd0, \dut.sweep_slot } : 5'd8);
    wire       in_pointers = got_0 == out_0 && got_1 == out_1 && out_0 <= held_0 && out_1 <= held_1 && held_0 <= 3'd4
                             && held_1 <= 3'd4 && fulls == {held_1 == 3'd4, held_0 == 3'd4}
                             && \dut.waiting == {k_1 != t_1, k_0 != t_0} && \dut.started [mine[2]] == (n != 3'd0)
                             && place == (\dut.rebase ? 2'd0 : k[1:0])
                             && resetting == (\dut.sweeping || \dut.sweeping_before );
    wire       in_rebase   = !\dut.rebase || (sum <= 5'd8 && (sum != 5'd8 || \dut.waiting == 2'd0)
                                              && (\dut.sweeping || \dut.sweeping_before ));
    reg  [4:0] f;
    reg  [2:0] starts;
    reg  [1:0] dist;
    reg        pass, in_flags, swept;
    integer    x;
    always @* begin
        {f, starts, dist, pass, in_flags, swept} = {11'd0, 3'b011};
        for (x = 0; x < 4; x = x + 1) begin
            f        = flags[5*{mine[2], x[1:0]} +: 5];
            dist     = x[1:0] - h[1:0];
            pass     = h[2] != (x[1:0] < h[1:0]);
            starts   = starts + {2'd0, {1'b0, dist} >= out && f[3:0] == {4{!pass}} && f[4]};
            in_flags = in_flags && ({1'b0, dist} >= held || f[3:0] == {4{!pass}})
                       && ({1'b0, dist} < out || f[3] == pass || f[4] == words[4*{mine[2], x[1:0]} + 3]);
            swept    = swept && (f == 5'd0 || (\dut.sweeping && {mine[2], x[1:0]} >= \dut.sweep_slot ));
        end
    end
    wire [4:0] f_mine   = flags[5*mine +: 5];
    wire [3:0] w_mine   = words[4*mine +: 4];
    wire       p_mine   = h[2] != (mine[1:0] < h[1:0]);
    wire [4:0] f_tail   = flags[5*{mine[2], t[1:0]} +: 5];
    wire       in_mine  = in_service || ((f_mine[3:0] ^ {4{p_mine}}) == have && ((w_mine ^ kept) & have) == 4'd0);
    wire       in_write = !w_valid || resetting || w_addr[3] != mine[2] || \dut.b_flags == flags[5*w_addr[3:1] +: 5];
    wire       in_pipe  = w_valid == \dut.b_valid && (!w_valid || ({7'd0, w_addr} == \dut.b_addr && w_be == \dut.b_be
                              && w_bits == (w_addr[0] ?
                                            {\dut.b_data [59], \dut.b_data [0], 2'd0}
                                            : {2'd0, \dut.b_data [32], \dut.b_data [0]})));
    wire       in_scan  = !(\dut.scanned_queue == mine[2] && \dut.scanned_tail == t)
                          || ((!\dut.scanned_bit_set || f_tail[3:0] == {4{!t[2]}})
                              && (!(at_tail && stuck != 2'd0) || \dut.scanned_bit_set ));
    wire       in_time  = !at_tail || ((stuck < 2'd2 || \dut.scanned_queue == mine[2])
                                       && (stuck == 2'd0 || \dut.scanned_queue != mine[2] || \dut.scanned_tail == t));
    wire       in_start = n == starts + {2'd0, \dut.took && \dut.took_queue == mine[2] && \dut.fetch3 [27]};
    wire       in_reset = swept && have == 4'd0 && !\dut.took
                          && (\dut.rebase || (t_0 == 3'd0 && t_1 == 3'd0 && k == 3'd0 && n == 3'd0));
    wire       lemmas   = flags[20*mine[2] +: 20] == again[20*mine[2] +: 20] && in_pointers && in_rebase && in_pipe
                          && took_start == (\dut.took && \dut.took_queue == mine[2])
                          && (\dut.sweeping || \dut.rebase ? in_reset : in_flags && in_mine && in_write && in_scan
                              && in_time && in_start)
                          && (\dut.sweeping || !\dut.sweeping_before || in_reset)
                          && ((\dut.sweeping && \dut.sweep_slot == 3'd0) || \dut.scan_queue != \dut.scanned_queue );
    assign bad = running && !(claims && (LEMMAS == 0 || lemmas));
endmodule
`default_nettype wire
