// Writes to the host's memory what operations leave there. A job is a burst of words out of the buffer, then a word by
// itself, or only one of the two.
//
// With PIPELINED the next write is requested while the one before is on the bus: it is acknowledged when that one's
// last data phase is over, four clocks before its wr_done (pcix_core). Writes keep their order on the bus, so the word
// is never in memory before the burst. Its data are given only when the burst's wr_done has shown how it ended:
//
//     load           /~~\_______________________________________________/~~\_____
//     wr_req         ____/~~~~~~~~~~~~~~~~~~~~~~~~~~~~\____________________/~~~~~     burst, then word, then the next
//     wr_ack         ________/~~\_________________/~~\___________________________
//     wr_data_pop    ___________/~~~~~~~~~~~~~~~\_____________/~~\_______________
//     wr_done        __________________________________________/~~\_____________/~\
//     ready          ~~~~\_______________________________________/~~~~~~~\_______
//
// Without it a write is requested when the one before is done.
//
// If the burst fails, or runs dry, the word carries bit [55], damaged. If the word fails, or a burst without one,
// `failed` is raised.
//
// Software reset (`flush`): a request not acknowledged is withdrawn and follows after the reset. So a slot that has
// been claimed is always filled.
`default_nettype none
module sync_writer #(
    // 1: writes overlap as above; 0: one after the other
    parameter PIPELINED = 0
) (
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
    output wire        settled,          // all jobs are done: what they write is in memory
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
    // ---- the job: a burst, then a word
    reg         burst, single;           // parts of it that have not been acknowledged
    reg         burst_words, single_word; // ... whose data have not been taken
    reg         burst_only;              // it has no word: it lasts until its wr_done
    reg         burst_odd, single_odd, queue_valid, irq;
    reg  [9:0]  words;
    reg  [2:0]  place;
    reg  [63:4] at;
    reg  [63:0] word;
    reg  [3:0]  queue, source;
    reg  [5:0]  index;                   // of the word on rd_data, once `there`
    reg         there;
    reg         damaged;

    // ---- writes acknowledged and not done: two at most. Bits: a word by itself, the older one first
    reg  [1:0]  open;                    // how many
    reg  [1:0]  kinds;
    reg         word_open;               // ... one of them is a word by itself
    reg         word_irq;
    reg  [3:0]  word_source;
    wire        burst_open = (open != 2'd0 && !kinds[0]) || (open[1] && !kinds[1]);
    wire        may_ask   = (PIPELINED != 0) ? !open[1] : (open == 2'd0);
    wire        ask_burst = burst && may_ask;
    wire        ask_word  = single && !burst && may_ask && !word_open;
    wire        busy      = burst_words || single_word || burst_only;
    wire        pop       = wr_data_pop && (burst_words ? there : single_word);
    wire        last_pop  = pop && burst_words && (index + 6'd1 == words[5:0]);
    wire        word_pop  = pop && !burst_words;
    wire        done_word = wr_done && kinds[0];
    wire        done_burst = wr_done && !kinds[0];
    wire        bad       = (wr_status != 2'd0) || damaged || wr_underflow;

    assign ready          = !busy && (PIPELINED != 0 || open == 2'd0);
    assign settled        = !busy && (open == 2'd0);
    assign rd_enable      = burst_words && (!there || pop);
    assign rd_place       = place;
    assign rd_index       = index + {5'd0, pop};
    assign wr_req         = (ask_burst || ask_word) && enable && !flush;
    assign wr_addr        = {at, burst ? burst_odd : single_odd, 3'b000};
    assign wr_words       = burst ? words : 10'd1;
    assign wr_data        = burst_words ? rd_data : word;
    assign wr_data_valid  = burst_words ? there : (single_word && !burst_open);
    assign wr_queue_valid = queue_valid && (busy || open != 2'd0);
    assign wr_queue       = queue;
    assign wr_first       = (open != 2'd0) ? kinds[0] : !burst;
    assign state          = {open, busy};
    assign idle           = (open == 2'd0) || !bus_moves;

    always @(posedge clk)
        if (rst) begin
            {burst, single, burst_words, single_word, burst_only, there, damaged} <= 7'd0;
            {open, kinds, word_open} <= 5'd0;
            burst_over    <= 1'b0;
            irq_event     <= 1'b0;
            failed        <= 1'b0;
        end else begin
            burst_over <= done_burst;
            irq_event  <= (done_word && word_irq) || (done_burst && burst_only && irq);
            failed     <= (done_word && wr_status != 2'd0) || (done_burst && burst_only && bad);
            there      <= burst_words && !last_pop;

            if (load) begin
                {burst, burst_words}   <= {2{load_burst}};
                {single, single_word}  <= {2{load_single}};
                burst_only             <= !load_single;
                damaged                <= 1'b0;
            end else begin
                if (wr_ack && burst) burst       <= 1'b0;
                if (wr_ack && !burst) single     <= 1'b0;
                if (last_pop)        burst_words <= 1'b0;
                if (word_pop)        single_word <= 1'b0;
                if (done_burst)      burst_only  <= 1'b0;
                if (burst_open && (wr_underflow || (done_burst && wr_status != 2'd0))) damaged <= 1'b1;
            end

            open <= open + {1'b0, wr_ack} - {1'b0, wr_done};
            if (wr_done) kinds[0] <= open[1] ? kinds[1] : !burst;
            else if (wr_ack && open == 2'd0) kinds[0] <= !burst;
            if (wr_ack) kinds[1] <= !burst;
            if (wr_ack && !burst) word_open <= 1'b1;
            else if (done_word)   word_open <= 1'b0;
        end

    always @(posedge clk) begin
        if (load) begin
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
            if (pop && burst_words) index <= index + 6'd1;
            if (burst_open && (wr_underflow || (done_burst && wr_status != 2'd0))) word[55] <= 1'b1;
        end
        if (wr_ack && !burst) {word_irq, word_source} <= {irq, source};
        failed_source <= done_word ? word_source : source;
    end

    // ---- measuring
    wire       probe_busy      = !settled;
    wire       probe_stall_bus = wr_req && !wr_ack;
    wire       probe_start     = load;
    wire       probe_done      = wr_done;
endmodule
`default_nettype wire
