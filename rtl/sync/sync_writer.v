// Writes to the host's memory what operations leave there. A job is a burst of words out of the buffer, then a word by
// itself, or only one of the two. The word is requested when the burst is done, so it is never in memory before it.
//
//     load           /~~\_________________________________________________
//     wr_req         ____/~~~\_______________________/~~~\_______________     burst, then word
//     wr_done        ___________________________/~~\_______________/~~\__
//     ready          ~~~~\_______________________________________________/~
//     irq_event      ____________________________________________________/~~\
//
// If the burst fails, or runs dry, the word carries bit [55], damaged. If the word fails,
// or a burst without one, `failed` is raised.
//
// Software reset (`flush`): a request not acknowledged is withdrawn and follows after the reset, the burst from its
// first word on. So a slot that has been claimed is always filled.
`default_nettype none
module sync_writer (
    input  wire        clk,
    input  wire        rst,

    // a job; one clock, while ready
    input  wire        load,
    input  wire        load_burst,       // it has a burst: to address {load_at, load_burst_odd, 3'b000}
    input  wire        load_burst_odd,
    input  wire [9:0]  load_words,
    input  wire [2:0]  load_place,       // of the buffer
    input  wire        load_single,      // it has a word by itself: to address {load_at, load_single_odd, 3'b000}
    input  wire        load_single_odd,
    input  wire [63:4] load_at,
    input  wire [63:0] load_word,
    input  wire        load_queue_valid, // a slot of queue load_queue
    input  wire [3:0]  load_queue,
    input  wire [3:0]  load_source,
    input  wire        load_irq,         // an interrupt when it is done
    output wire        ready,
    output reg         burst_over,       // one clock: the words of the buffer are no longer needed
    output reg         irq_event,
    output reg         failed,           // one clock: a write has failed, and nothing that is written says so
    output reg  [3:0]  failed_source,

    // words of the buffer
    output wire        rd_enable,
    output wire [2:0]  rd_place,
    output wire [5:0]  rd_index,
    input  wire [63:0] rd_data,          // of the clock before

    // write conversation; see sync_unit
    output wire        wr_req,
    output wire [63:0] wr_addr,
    output wire [9:0]  wr_words,
    input  wire        wr_ack,
    output wire [63:0] wr_data,
    output wire        wr_data_valid,
    input  wire        wr_data_pop,
    input  wire        wr_done,
    input  wire [1:0]  wr_status,
    input  wire        wr_underflow,
    output wire        wr_queue_valid,
    output wire [3:0]  wr_queue,
    output wire        wr_first,
    input  wire        bus_moves,
    input  wire        enable,
    input  wire        flush,
    output wire        idle,             // a software reset need not wait
    output wire [2:0]  state
);
    localparam [2:0] IDLE = 3'd0, BURST = 3'd1, BURSTING = 3'd2, SINGLE = 3'd3, WRITING = 3'd4;

    reg  [2:0]  fsm;
    reg         single, burst_odd, single_odd, queue_valid, irq, damaged;
    reg  [9:0]  words;
    reg  [2:0]  place;
    reg  [63:4] at;
    reg  [63:0] word;
    reg  [3:0]  queue, source;
    reg  [5:0]  index;                   // of the word on rd_data, once `there`
    reg         there;

    wire        in_burst = (fsm == BURST) || (fsm == BURSTING);
    wire        pop      = in_burst && wr_data_pop;
    wire        bad      = (wr_status != 2'd0) || damaged || wr_underflow;    // with wr_done, of the burst
    wire        restart  = (fsm == BURST) && flush;

    assign ready         = (fsm == IDLE);
    assign rd_enable     = in_burst && (!there || pop || restart);
    assign rd_place      = place;
    assign rd_index      = restart ? 6'd0 : index + {5'd0, pop};
    assign wr_req        = (fsm == BURST || fsm == SINGLE) && enable && !flush;
    assign wr_addr       = {at, in_burst ? burst_odd : single_odd, 3'b000};
    assign wr_words      = in_burst ? words : 10'd1;
    assign wr_data       = in_burst ? rd_data : word;
    assign wr_data_valid = in_burst ? there : (fsm != IDLE);
    assign wr_queue_valid = queue_valid && (fsm != IDLE);
    assign wr_queue      = queue;
    assign wr_first      = (fsm == SINGLE) || (fsm == WRITING);
    assign state         = fsm;
    assign idle          = !(fsm == BURSTING || fsm == WRITING) || !bus_moves;

    always @(posedge clk)
        if (rst) begin
            fsm           <= IDLE;
            there         <= 1'b0;
            damaged       <= 1'b0;
            burst_over    <= 1'b0;
            irq_event     <= 1'b0;
            failed        <= 1'b0;
        end else begin
            burst_over <= 1'b0;
            irq_event  <= 1'b0;
            failed     <= 1'b0;
            there      <= in_burst && !restart;
            case (fsm)
                IDLE: begin
                    damaged <= 1'b0;
                    if (load) fsm <= load_burst ? BURST : SINGLE;
                end
                BURST: if (wr_ack) fsm <= BURSTING;
                SINGLE: if (wr_ack) fsm <= WRITING;
                default: if (wr_done) begin
                    failed <= (fsm == WRITING) ? (wr_status != 2'd0) : bad && !single;
                    if (fsm == BURSTING) begin
                        burst_over <= 1'b1;
                        fsm        <= single ? SINGLE : IDLE;
                    end else
                        fsm        <= IDLE;
                    irq_event      <= irq && (fsm == WRITING || !single);
                end
            endcase
            if (fsm == BURSTING && (wr_underflow || (wr_done && wr_status != 2'd0))) damaged <= 1'b1;
        end

    always @(posedge clk) begin
        if (fsm == IDLE) begin
            single      <= load_single;
            burst_odd   <= load_burst_odd;
            single_odd  <= load_single_odd;
            words       <= load_words;
            place       <= load_place;
            at          <= load_at;
            word        <= load_word;
            queue_valid <= load_queue_valid;
            queue       <= load_queue;
            source      <= load_source;
            irq         <= load_irq;
            index       <= 6'd0;
        end else begin
            if (restart)  index <= 6'd0;
            else if (pop) index <= index + 6'd1;
            if (fsm == BURSTING && (wr_underflow || (wr_done && wr_status != 2'd0))) word[55] <= 1'b1;
        end
        failed_source <= source;
    end

    // ---- measuring
    wire       probe_busy      = (fsm != IDLE);
    wire       probe_stall_bus = wr_req && !wr_ack;
    wire       probe_start     = load;
    wire       probe_done      = wr_done && (fsm != IDLE);
    wire [2:0] probe_state     = fsm;
endmodule
`default_nettype wire
