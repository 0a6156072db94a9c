// Output side of the coherent NI: packets of the two send queues and of part A's answers, one at a time, into the
// host-to-net FIFO (H2N), with credits and sequence numbers as in rtl/nic/voq.
//
// A packet is offered only when all its words can be read without a gap, so nothing else waits for a slow reader of
// memory. The requests are looked at in turn, one per clock; a packet without credit is passed over, so a blocked
// destination holds up only the queue whose head it is. Answers (requester 2) never wait for requests, and one without
// credit makes way for those to other destinations: `answer_room` of its destination falls until a credit comes.
//
//     clock       0       1       2       3      n+1
//     h2n_valid   /header \_______/w0     /w1 .. \____     request looked at in 0, it has credit, H2N has room
//     word        ----0 ---0 ------1 ------2             data are due a clock after `word`
//     taken       ____________________________/~~~\____    with the last word
//
// Latency: request to header 0..2 clocks. After reset the numbers and credits of all lanes are cleared, one per clock;
// nothing is sent and no credit taken meanwhile. H2N never overflows: a packet pauses while fewer than 4 of its places
// are free, and it is drained by a link that takes a word in every 2.5 clocks, so the link sees no gap.
`default_nettype none
module cni_out #(
    // destinations, 2, 4, 8 or 16
    parameter LANES = 8,
    // log2 of the words of H2N, 6..10
    parameter LOG2_H2N = 6
) (
    input  wire                  clk,
    input  wire                  rst,

    // packets: requester r has the bits from r x width on; held while valid until taken, or withdrawn while not moving
    input  wire [2:0]            valid,
    input  wire [3*$clog2(LANES)-1:0] flow,
    input  wire [17:0]           words,        // payload, 1..62
    input  wire [95:0]           address,      // header [31:0]
    input  wire [8:0]            flags,        // header [54:52]
    input  wire [17:0]           group,        // cfg_groups: header [47:42]
    input  wire [2:0]            last,         // the last packet of its transfer: its departure is reported
    output wire [2:0]            moving,       // its packet goes in this clock, or is on its way: no withdrawal
    output wire [2:0]            started,      // one clock, with the header
    output wire [2:0]            taken,        // one clock, with the last word
    input  wire [3:0]            offset,       // requesters 0, 1: place of the first word in the buffer
    output wire [6:0]            buffer_place, // {requester, place} whose word is due in the next clock
    input  wire [63:0]           buffer_data,
    input  wire [63:0]           answer,       // requester 2: its word

    // H2N
    output wire                  h2n_valid,
    output wire [67:0]           h2n_data,
    input  wire [LOG2_H2N:0]     h2n_count,    // words in it, never too low

    // credits
    input  wire                  credit_valid,
    input  wire [6:0]            credit_lane,
    input  wire [6:0]            credit_value,
    output wire                  credit_taken,

    // set-up
    input  wire                  enable,       // level: packets may start
    input  wire                  cfg_direct,   // level: all share lane 0
    input  wire                  cfg_sequence_zero,
    input  wire                  cfg_groups,   // level: packets carry groups instead of numbers
    input  wire [11:0]           cfg_capacity,
    output reg  [LANES-1:0]      answer_room,  // level: there may be credit for an answer to this destination
    output wire                  idle          // no packet is on its way
);
    localparam LOG2_LANES = $clog2(LANES);
    localparam [31:0] STOP_WORDS = (1 << LOG2_H2N) - 4;
    localparam [LOG2_LANES-1:0] LAST_LANE = {LOG2_LANES{1'b1}};

    initial
        if (LANES < 2 || LANES > 16 || (LANES & (LANES - 1)) != 0 || LOG2_H2N < 6 || LOG2_H2N > 10) begin
            $display("%m: LANES must be 2, 4, 8 or 16, is %0d; LOG2_H2N 6..10, is %0d", LANES, LOG2_H2N);
            $finish;
        end

    // ---- lanes are cleared after reset
    reg                   clearing;
    reg  [LOG2_LANES-1:0] clear_lane;

    always @(posedge clk)
        if (rst) begin
            clearing   <= 1'b1;
            clear_lane <= {LOG2_LANES{1'b0}};
        end else begin
            clear_lane <= clear_lane + {{LOG2_LANES-1{1'b0}}, clearing};
            if (clear_lane == LAST_LANE) clearing <= 1'b0;
        end

    assign credit_taken = !clearing;

    // ---- the request looked at, and its packet
    reg  [1:0]            turn;        // request that is looked at, or that is moving
    reg                   busy;        // its words are on their way
    reg  [2:0]            moves;
    reg                   out_word;    // `data` has a word
    reg                   out_last;
    reg  [5:0]            next_word;
    reg  [LOG2_LANES-1:0] at_flow;
    reg  [5:0]            at_words;
    reg  [31:0]           at_address;
    reg  [2:0]            at_flags;
    reg  [5:0]            at_group;
    reg  [1:0]            at_offset;

    always @* begin
        at_flow    = flow[0 +: LOG2_LANES];
        at_words   = words[5:0];
        at_address = address[31:0];
        at_flags   = flags[2:0];
        at_group   = group[5:0];
        at_offset  = offset[1:0];
        if (turn == 2'd1) begin
            at_flow    = flow[LOG2_LANES +: LOG2_LANES];
            at_words   = words[11:6];
            at_address = address[63:32];
            at_flags   = flags[5:3];
            at_group   = group[11:6];
            at_offset  = offset[3:2];
        end
        if (turn == 2'd2) begin
            at_flow    = flow[2*LOG2_LANES +: LOG2_LANES];
            at_words   = words[17:12];
            at_address = address[95:64];
            at_flags   = flags[8:6];
            at_group   = group[17:12];
        end
    end

    wire [2:0] here     = 3'd1 << turn;
    wire       at_valid = |(valid & here);
    wire       at_last  = |(last & here);
    wire [LOG2_LANES-1:0] lane = cfg_direct ? {LOG2_LANES{1'b0}} : at_flow;
    wire       fits, changed, lower;
    wire [8:0] number;
    wire [8:0] at_number = cfg_groups ? {3'd0, at_group} : cfg_sequence_zero ? 9'd0 : number;
    wire       room     = (h2n_count < STOP_WORDS[LOG2_H2N:0]);
    wire       start    = !busy && !out_word && at_valid && fits && room && enable && !clearing;
    wire       read     = busy && room;

    voq_credit #(.LANES(LANES)) credits (
        .clk (clk), .clear (clearing), .clear_lane (clear_lane), .credit_valid (credit_valid && !clearing),
        .credit_lane (credit_lane), .credit_value (credit_value), .cfg_capacity (cfg_capacity), .changed (changed),
        .lower (lower), .look_lane (lane), .look_words ({4'd0, at_words}), .look_fits (fits), .sent_valid (start),
        .sent_lane (lane), .sent_words ({4'd0, at_words})
    );

    voq_sequence #(.LANES(LANES)) numbers (
        .clk (clk), .clear (clearing), .clear_lane (clear_lane), .look_lane (lane), .look_number (number),
        .step (start), .step_lane (lane)
    );

    assign buffer_place = {turn[0], next_word + {4'd0, at_offset}};
    assign h2n_valid = start || out_word;
    assign h2n_data  = out_word ? {2'b00, out_last, 1'b0, turn[1] ? answer : buffer_data}
                       : {1'b0, at_last, 1'b0, 1'b1, 1'b0, {7-LOG2_LANES{1'b0}}, at_flow, 1'b0, at_flags, 1'b1,
                          at_number, 4'd0, at_words, at_address};
    assign taken     = here & {3{out_word && out_last}};
    assign idle      = !busy && !out_word;
    assign started   = here & {3{start}};
    assign moving    = start ? here : moves;

    always @(posedge clk)
        if (rst) begin
            turn     <= 2'd0;
            busy     <= 1'b0;
            out_word <= 1'b0;
            moves    <= 3'd0;
        end else begin
            out_word <= read;
            if (start)                                  busy <= 1'b1;
            else if (read && next_word == at_words - 6'd1) busy <= 1'b0;
            if (start)                                  moves <= here;
            else if (out_word && out_last)              moves <= 3'd0;
            if (!start && !busy && (!out_word || out_last)) turn <= (turn == 2'd2) ? 2'd0 : turn + 2'd1;
        end

    always @(posedge clk)
        if (rst) answer_room <= {LANES{1'b1}};
        else if (changed) begin
            answer_room[credit_lane[LOG2_LANES-1:0]] <= 1'b1;
            if (cfg_direct) answer_room <= {LANES{1'b1}};
        end else if (turn == 2'd2 && !busy && !out_word && at_valid && !fits && !clearing)
            answer_room[at_flow] <= 1'b0;

    always @(posedge clk) begin
        out_last  <= (next_word == at_words - 6'd1);
        if (start)     next_word <= 6'd0;
        else if (read) next_word <= next_word + 6'd1;
    end

    wire unused = &{1'b0, lower};

    // ---- measuring
    wire probe_busy        = !idle || (|valid);
    wire probe_stall_words = busy && !room;
    wire probe_stall_credit = !busy && !out_word && at_valid && !fits;
    wire probe_start       = start;
    wire probe_done        = |taken;
endmodule
`default_nettype wire
