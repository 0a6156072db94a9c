// Fetches WQEs from the send queues in memory ahead of their use, into a cache of 16 for each QP.
//
// A place of the cache belongs to a WQE from the read that fetches it until its completion is made: the requester sends
// and repeats packets from it, and finds the address of a READ's data in it. So the cache is also the outstanding
// queue. Places are counted per QP, modulo 32; the place is the count modulo 16.
//
//     doorbell  __/~\___________________________________________________
//     qp_mgr AR __________/~\___________________________________________  6 clocks behind it, with nothing else to do
//     arrive    _____________________________ ... _/~\__________________  one clock for each WQE; `arrived` counts then
//
// A read is one WQE, 64 bytes from SQBA + 64 * position. A failed one (SLVERR, DECERR) arrives as zeros with
// wqe_failed.
//
// A QP that is off when it is served is reported (`stopped`), and queued again by `resume` when it is on.
//
// Restart of a QP (`restart`, held until `restart_done`): its counts are 0. It is requested only when `restart_busy`
// was 0 while the QP was off: no old read is outstanding then.
`default_nettype none
module roce_wqe_fetch #(
    // bytes per clock, 8 or 64
    parameter BYTES = 8,
    // queue pairs, 8..128
    parameter NUM_QP = 8
) (
    input  wire               clk,
    input  wire               rst,
    input  wire [8:0]         qp_switch,       // which QPs are enabled, see roce_registers
    input  wire [7:0]         qp_limit,
    input  wire               restart,         // held
    input  wire [6:0]         restart_qp,
    output wire               restart_done,    // one clock
    output wire               restart_busy,    // of restart_qp: a read is outstanding, or about to start

    output wire               stopped,         // one clock: `stopped_qp` was served while it was off
    output wire [6:0]         stopped_qp,
    input  wire               resume,          // one clock, not in two consecutive ones: resume_qp is on again
    input  wire [6:0]         resume_qp,

    // doorbells
    input  wire               sq_valid,        // one clock
    input  wire [6:0]         sq_qp,
    input  wire [15:0]        sq_pi,

    // a place of the cache is free again
    input  wire               free,            // one clock
    input  wire [6:0]         free_qp,
    output reg                full,            // all places are taken
    output reg                empty,

    // registers of a QP: SQBA and QDEPTH
    output wire               cfg_valid,       // held until cfg_ready
    input  wire               cfg_ready,
    output wire [10:0]        cfg_addr,
    input  wire [127:0]       cfg_data,        // in the clock after cfg_ready

    // the cache
    input  wire               wqe_read,        // one clock
    input  wire [10:0]        wqe_addr,        // {QP, place}
    output reg  [511:0]       wqe,             // from the next clock on, until the next wqe_read
    output reg                wqe_failed,
    input  wire [10:0]        id_addr,         // {QP, place}
    output reg  [23:0]        id,              // in the next clock: {opcode, WRID}
    output wire               arrive,          // one clock: a WQE can be read from the next clock on
    output wire [6:0]         arrive_qp,

    // counts of a QP, combinational: three readers
    input  wire [6:0]         sender_qp,
    output wire [15:0]        sender_arrived,
    output wire [15:0]        sender_pi,
    input  wire [6:0]         completer_qp,
    output wire [4:0]         completer_arrived,
    output wire [6:0]         done_qp,         // whose completions this module reads
    input  wire [4:0]         done,

    // AXI master qp_mgr
    output wire               qp_mgr_arvalid,
    input  wire               qp_mgr_arready,
    output wire [31:0]        qp_mgr_araddr,
    output wire [7:0]         qp_mgr_arlen,
    input  wire               qp_mgr_rvalid,
    output wire               qp_mgr_rready,
    input  wire [8*BYTES-1:0] qp_mgr_rdata,
    input  wire [1:0]         qp_mgr_rresp,
    input  wire               qp_mgr_rlast
);
    localparam LOG2_QP = $clog2(NUM_QP);
    localparam [31:0] PLACES = 16 * NUM_QP;
    localparam [1:0] IDLE = 2'd0, BASE = 2'd1, DEPTH = 2'd2, ASK = 2'd3;

    (* ram_style = "distributed" *) reg [15:0] producers [0:NUM_QP-1];
    (* ram_style = "distributed" *) reg [20:0] fetched   [0:NUM_QP-1];    // {count, position of the next one}
    (* ram_style = "distributed" *) reg [15:0] arrivals  [0:NUM_QP-1];    // count

    // ---- the next QP: those with a doorbell, and those with a free place, more to fetch, or on again, alternately
    reg  [1:0]         state;
    reg  [6:0]         qp;
    reg                again;                         // there may be more of `qp`
    reg                back;                          // back_qp is on again
    reg  [6:0]         back_qp;
    reg                was_rung;
    wire               rung_waits, more_waits;
    wire [6:0]         rung_first, more_first;
    reg                answered;                      // cfg_data is the answer
    wire               ring_full;
    wire               take      = (state == IDLE) && (rung_waits || more_waits) && !restart && !ring_full
                                   && !(again && (free || back));
    wire               take_rung = rung_waits && !(more_waits && was_rung);
    roce_qp_queue #(.NUM_QP(NUM_QP)) rung (
        .clk (clk), .rst (rst), .add (sq_valid), .add_qp (sq_qp), .waits (rung_waits), .qp (rung_first),
        .take (take && take_rung)
    );
    roce_qp_queue #(.NUM_QP(NUM_QP)) more (
        .clk (clk), .rst (rst), .add (free || back || again), .add_qp (free ? free_qp : back ? back_qp : qp),
        .waits (more_waits), .qp (more_first), .take (take && !take_rung)
    );

    wire [LOG2_QP-1:0] in_question = done_qp[LOG2_QP-1:0];
    wire [20:0] at         = fetched[in_question];
    wire [4:0]  count      = at[20:16];
    wire [15:0] position   = at[15:0];
    wire        posted     = (producers[qp[LOG2_QP-1:0]] != position);
    wire        room       = (count - done < 5'd16);
    wire [15:0] after      = position + 16'd1;
    reg  [31:0] base;
    reg  [15:0] depth;
    reg         store;                                // a WQE goes into the cache
    wire [15:0] follows    = (after == (answered ? cfg_data[111:96] : depth)) ? 16'd0 : after;
    wire        read_ready;
    wire        ask        = (state == ASK) && !restart;
    wire        asked      = ask && read_ready;
    wire        on;
    wire        last_one   = !posted || !room;
    roce_qp_flag #(.NUM_QP(NUM_QP)) enabled (
        .clk (clk), .change (qp_switch), .limit (qp_limit), .look_qp (qp), .look (on)
    );

    assign done_qp    = (state == IDLE) ? restart_qp : qp;
    assign stopped    = (state == BASE) && !last_one && !on && !restart;
    assign stopped_qp = qp;
    assign cfg_valid  = ((state == BASE) && !last_one && on) || (state == DEPTH);
    assign cfg_addr   = {qp, (state == BASE) ? 4'd1 : 4'd3};

    // A restart is served in IDLE, with no doorbell and no arrival in the same clock: each table has one writer.
    wire restarts = restart && (state == IDLE) && !sq_valid && !store && !free;
    assign restart_done = restarts;

    always @(posedge clk)
        if (rst) begin
            state    <= IDLE;
            qp       <= 7'd0;
            again    <= 1'b0;
            back     <= 1'b0;
            was_rung <= 1'b0;
            answered <= 1'b0;
            base     <= 32'd0;
            depth    <= 16'd0;
        end else begin
            if (!free && !back) again <= 1'b0;
            back     <= resume || (back && free);
            answered <= cfg_valid && cfg_ready;
            case (state)
                IDLE:
                    if (take) begin
                        qp       <= take_rung ? rung_first : more_first;
                        was_rung <= take_rung;
                        state    <= BASE;
                    end
                BASE:
                    if (last_one || restart || !on) begin
                        again <= restart && !last_one;
                        state <= IDLE;
                    end else if (cfg_ready) state <= DEPTH;
                DEPTH: begin
                    if (answered)  base <= {cfg_data[31:5], 5'd0};
                    if (cfg_ready) state <= ASK;
                end
                default: begin
                    if (answered) depth <= cfg_data[111:96];
                    if (restart || read_ready) begin
                        again <= 1'b1;
                        state <= IDLE;
                    end
                end
            endcase
        end

    always @(posedge clk) begin
        if (resume) back_qp <= resume_qp;
        if (sq_valid || restarts) producers[sq_valid ? sq_qp[LOG2_QP-1:0] : restart_qp[LOG2_QP-1:0]] <= sq_valid ? sq_pi
                : 16'd0;
        if (asked || restarts)    fetched[in_question] <= asked ? {count + 5'd1, follows} : 21'd0;
    end

    // ---- reads
    wire               out_valid;
    wire [8*BYTES-1:0] out_data;
    wire               out_last;
    wire               out_error;
    wire               reads_busy;
    wire [6:0]         head_qp;
    wire [3:0]         head_place;
    wire               ring_room, unused_any;
    wire [4:0]         started = fetched[restart_qp[LOG2_QP-1:0]][20:16],
                       ended = arrivals[restart_qp[LOG2_QP-1:0]][4:0];
    assign restart_busy = started != ended || (state != IDLE && qp == restart_qp);
    assign ring_full    = !ring_room;

    roce_axi_read #(.BYTES(BYTES), .OUTSTANDING(16), .LOG2_WORDS(BYTES == 64 ? 5 : 8)) reader (
        .clk (clk), .rst (rst),
        .cmd_valid (ask), .cmd_ready (read_ready), .cmd_addr (base + {10'd0, position, 6'd0}), .cmd_length (13'd64),
        .out_valid (out_valid), .out_ready (1'b1), .out_data (out_data), .out_last (out_last), .out_error (out_error),
        .busy (reads_busy),
        .arvalid (qp_mgr_arvalid), .arready (qp_mgr_arready), .araddr (qp_mgr_araddr), .arlen (qp_mgr_arlen),
        .rvalid (qp_mgr_rvalid), .rready (qp_mgr_rready), .rdata (qp_mgr_rdata), .rresp (qp_mgr_rresp)
    );

    wire whole = out_valid && out_last;

    roce_queue #(.WIDTH(11), .LOG2_DEPTH(5)) reads (
        .clk (clk), .rst (rst), .in_valid (asked), .in_ready (ring_room), .in_data ({qp, count[3:0]}),
        .out_valid (unused_any), .out_ready (whole), .out_data ({head_qp, head_place})
    );

    // ---- into the cache
    wire [511:0] assembled;
    generate
        if (BYTES == 64) begin : whole_words
            assign assembled = out_data;
        end else begin : parts
            reg [511-8*BYTES:0] earlier;
            always @(posedge clk)
                if (out_valid) earlier <= assembled[511:8*BYTES];
            assign assembled = {out_data, earlier};
        end
    endgenerate

    reg [512:0] cache [0:16*NUM_QP-1];
    reg [23:0]  ids   [0:16*NUM_QP-1];
    reg [10:0]  store_addr;
    reg [512:0] store_data;

    assign arrive    = store;
    assign arrive_qp = store_addr[10:4];

    always @(posedge clk) begin
        store_addr <= {head_qp, head_place};
        store_data <= {out_error, out_error ? 512'd0 : assembled};
        if (store) begin
            cache[store_addr[LOG2_QP+3:0]] <= store_data;
            ids[store_addr[LOG2_QP+3:0]]   <= {store_data[135:128], store_data[15:0]};
        end
        if (wqe_read) {wqe_failed, wqe} <= cache[wqe_addr[LOG2_QP+3:0]];
        id <= ids[id_addr[LOG2_QP+3:0]];
    end

    always @(posedge clk)
        if (rst) begin
            store  <= 1'b0;
        end else begin
            store  <= whole;
        end

    assign sender_arrived    = arrivals[sender_qp[LOG2_QP-1:0]];
    assign sender_pi         = producers[sender_qp[LOG2_QP-1:0]];
    assign completer_arrived = arrivals[completer_qp[LOG2_QP-1:0]][4:0];

    wire [LOG2_QP-1:0] counted = store ? store_addr[LOG2_QP+3:4] : restart_qp[LOG2_QP-1:0];
    always @(posedge clk)
        if (store || restarts) arrivals[counted] <= store ? arrivals[counted] + 16'd1 : 16'd0;

    // ---- level of the cache
    reg  [11:0] places;
    wire [4:0]  dropped = count - done;             // of restart_qp, in IDLE
    always @(posedge clk)
        if (rst) begin
            places <= 12'd0;
            full   <= 1'b0;
            empty  <= 1'b1;
        end else begin
            places <= places + {11'd0, asked} - {11'd0, free} - (restarts ? {7'd0, dropped} : 12'd0);
            full   <= (places >= PLACES[11:0]);
            empty  <= (places == 12'd0);
        end

    wire unused = &{1'b0, cfg_data[127:112], cfg_data[95:32], cfg_data[4:0], qp_mgr_rlast, unused_any, wqe_addr,
                    id_addr, sender_qp, completer_qp};

    // ---- measuring
    wire probe_busy  = (state != IDLE) || store || reads_busy;
    wire probe_start = asked;
    wire probe_done  = arrive;
endmodule
`default_nettype wire
