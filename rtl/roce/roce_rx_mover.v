// Moves received data from the ring to memory, in the order of the packets: payloads of SENDs to receive buffers
// (`dr`), those of READ responses to the address given by the requester (`rdrsp`), packets in error to the error
// buffers, and single words for others (doorbells, error status), which go before the next job.
//
// A job is one command of a roce_axi_write or several, and then the frame's space is freed:
//   payload    its words, then, if the message ends, its length as a 32-bit word, which is so in memory before any
//              doorbell
//   response   waits for the requester's answer; then its words, or nothing, or an error
//   error      the entry of ERRBUF: syndrome (32 bits) and the first bytes of the frame, as many as the buffer has, at
//              most 124; and the entry of IPKTERRQ if the QP went to FATAL by it (`fatal_valid`)
// Jobs follow without a gap: a job takes as many clocks as it has words, at least one.
//
// `done` reports which command of `dr` is in memory. For payloads and lengths: written_valid, written_error.
//
// Latency: job in to first word in a roce_axi_write 4 clocks.
`default_nettype none
module roce_rx_mover #(
    // bytes per word, 8 or 64
    parameter BYTES = 8,
    // log2 of the words of the ring
    parameter LOG2_WORDS = 12
) (
    input  wire                    clk,
    input  wire                    rst,
    // jobs, see roce_rx_check
    input  wire                    job_valid,
    output wire                    job_ready,
    input  wire [1:0]              job_kind,
    input  wire [LOG2_WORDS-1:0]   job_start,
    input  wire [LOG2_WORDS-1:0]   job_next,
    input  wire [13:0]             job_frame,
    input  wire [6:0]              job_offset,
    input  wire [31:0]             job_addr,
    input  wire [12:0]             job_length,
    input  wire                    job_counts,
    input  wire [31:0]             job_count_addr,
    input  wire [31:0]             job_count,
    input  wire [31:0]             job_syndrome,
    input  wire                    job_fatal,
    input  wire [4:0]              job_code,
    input  wire [6:0]              job_qp,
    input  wire [7:0]              job_opcode,
    input  wire [23:0]             job_psn,
    input  wire [7:0]              job_aeth,
    // the requester's answers to responses
    input  wire                    ans_valid,
    input  wire                    ans_write,
    input  wire [31:0]             ans_addr,
    input  wire                    ans_drop,
    input  wire [31:0]             ans_error,
    input  wire                    ans_fatal,
    input  wire [4:0]              ans_code,
    output wire                    in_duplicate,
    output wire                    in_invalid,
    output wire                    irq_invalid,    // a packet in error that leaves no entry in ERRBUF
    // the ring
    output wire                    rd_en,
    output wire [LOG2_WORDS-1:0]   rd_addr,
    input  wire [8*BYTES-1:0]      rd_data,
    output reg                     free_valid,
    output reg  [LOG2_WORDS-1:0]   free_to,
    // error buffers
    input  wire                    error_all,
    input  wire                    record_on,      // there are error buffers
    input  wire [31:0]             record_addr,
    input  wire [15:0]             record_size,
    output wire                    record_take,
    output wire                    record_done,
    output wire                    fatal_valid,
    input  wire                    fatal_ready,
    output wire [4:0]              fatal_code,
    output wire [6:0]              fatal_qp,
    output wire [7:0]              fatal_opcode,
    output wire [23:0]             fatal_psn,
    output wire [7:0]              fatal_aeth,
    // single words
    input  wire                    status_valid,   // of IPKTERRQ, 8 bytes
    output wire                    status_ready,
    input  wire [31:0]             status_addr,
    input  wire [63:0]             status_data,
    output wire                    status_done,
    input  wire                    bell_valid,     // a doorbell, 4 bytes
    output wire                    bell_ready,
    input  wire [31:0]             bell_addr,
    input  wire [31:0]             bell_data,
    input  wire [7:0]              bell_note,      // returned with bell_done
    output wire                    bell_done,
    output wire                    bell_error,
    output wire [7:0]              bell_noted,
    // commands and words to memory
    output wire                    dr_cmd_valid,
    input  wire                    dr_cmd_ready,
    output wire [31:0]             dr_cmd_addr,
    output wire [12:0]             dr_cmd_length,
    output wire [$clog2(BYTES)-1:0] dr_cmd_skip,
    output wire                    dr_data_valid,
    input  wire                    dr_data_ready,
    input  wire                    dr_done_valid,
    input  wire                    dr_done_error,
    output wire                    rdrsp_cmd_valid,
    input  wire                    rdrsp_cmd_ready,
    output wire                    rdrsp_data_valid,
    input  wire                    rdrsp_data_ready,
    output wire [8*BYTES-1:0]      data,
    // payloads and lengths of messages
    output wire                    written_valid,
    output wire                    written_error
);
    localparam L = $clog2(BYTES);
    localparam N = LOG2_WORDS;
    localparam C = 14 - L;                      // bits of a count of words
    localparam [31:0] HIGH = BYTES - 4;         // where the last four bytes of a word begin
    localparam JOB = 2 + N + N + 14 + 7 + 32 + 13 + 1 + 32 + 32 + 32 + 1 + 5 + 7 + 8 + 24 + 8;

    localparam [1:0] PAYLOAD = 2'd1, RESPONSE = 2'd2, ERROR = 2'd3;
    localparam [1:0] OF_MESSAGE = 2'd0, BELL = 2'd1, RECORD = 2'd2, STATUS = 2'd3;

    // ---- the oldest job and the oldest answer
    wire          has_job, take_job;
    wire [1:0]    kind;
    wire [N-1:0]  start, next;
    wire [13:0]   frame;
    wire [6:0]    offset;
    wire [31:0]   addr, count_addr, count, syndrome_given;
    wire [12:0]   length;
    wire          counts, fatal_given;
    wire [4:0]    code_given;
    roce_queue #(.WIDTH(JOB), .LOG2_DEPTH(4)) jobs (
        .clk (clk), .rst (rst),
        .in_valid (job_valid), .in_ready (job_ready),
        .in_data ({job_kind, job_start, job_next, job_frame, job_offset, job_addr, job_length, job_counts,
                   job_count_addr, job_count, job_syndrome, job_fatal, job_code, job_qp, job_opcode, job_psn,
                   job_aeth}),
        .out_valid (has_job), .out_ready (take_job),
        .out_data ({kind, start, next, frame, offset, addr, length, counts, count_addr, count,
                    syndrome_given, fatal_given, code_given, fatal_qp, fatal_opcode, fatal_psn, fatal_aeth})
    );
    wire          has_answer, take_answer, answer_room;
    wire          a_write, a_drop, a_fatal;
    wire [31:0]   a_addr, a_error;
    wire [4:0]    a_code;
    roce_queue #(.WIDTH(72), .LOG2_DEPTH(5)) answers (
        .clk (clk), .rst (rst),
        .in_valid (ans_valid), .in_ready (answer_room),
        .in_data ({ans_write, ans_addr, ans_drop, ans_error, ans_fatal, ans_code}),
        .out_valid (has_answer), .out_ready (take_answer),
        .out_data ({a_write, a_addr, a_drop, a_error, a_fatal, a_code})
    );

    // ---- derived values
    wire          responds  = kind == RESPONSE;
    wire          ready_job = has_job && (!responds || has_answer);
    wire [31:0]   syndrome  = responds ? a_error : syndrome_given;
    wire          fatal     = responds ? a_fatal : kind == ERROR && fatal_given;
    wire          records   = record_on && (responds ? a_error != 32'd0 && (error_all || a_fatal) : kind == ERROR);
    wire          moves     = length != 13'd0 && (responds ? a_write : kind == PAYLOAD);
    wire          to_rdrsp  = responds && moves;
    wire [13:0]   most      = record_size[15:7] != 9'd0 ? 14'd124 : {7'd0, record_size[6:0]} - 14'd4;
    wire [13:0]   recorded  = frame < most ? frame : most;
    wire [13:0]   last_byte = records ? recorded - 14'd1 : {{14-L{1'b0}}, offset[L-1:0]} + {1'b0, length} - 14'd1;
    wire [C-1:0]  words     = last_byte[13:L];                            // less one
    wire [N-1:0]  from      = start + (records ? {N{1'b0}} : {{N-7+L{1'b0}}, offset[6:L]});

    wire          data_valid, data_to, words_room;
    wire          data_taken = data_valid && (data_to ? rdrsp_data_ready : dr_data_ready);

    // ---- steps
    reg           running;                  // words of the command have still to be read
    reg  [C-1:0]  left;                     // ... less one
    reg  [N-1:0]  at;
    reg           towards;                  // to rdrsp
    reg           counting;                 // the job's payload is in progress or done, its length follows
    reg  [2:0]    credit;                   // words that have space behind the ring
    wire          tag_room;
    wire          room      = credit != 3'd0;
    wire          dr_free   = room && dr_cmd_ready && tag_room;
    wire          step_run  = running && room;
    wire          choose    = !running;
    wire          do_status = choose && !counting && status_valid && dr_free;
    wire          do_bell   = choose && !counting && !status_valid && bell_valid && dr_free;
    wire          do_job    = choose && !counting && !status_valid && !bell_valid && ready_job
                              && (!fatal || fatal_ready) && (records || (moves && !to_rdrsp) ? dr_free
                                  : moves ? room && rdrsp_cmd_ready : !counts || kind != PAYLOAD || dr_free);
    wire          has_count = kind == PAYLOAD && counts;
    wire          only_count = do_job && has_count && !moves;
    wire          do_count  = (choose && counting && dr_free) || only_count;
    wire          do_move   = do_job && moves && !records;
    wire          do_record = do_job && records;
    wire          read      = do_move || step_run;
    wire          plain     = do_status || do_bell || do_count || do_record;     // a word that is not from the ring
    wire          ended     = (do_job && !has_count && !(do_move && words != {C{1'b0}}) && !do_record) || do_count
                              || (step_run && left == {C{1'b0}} && !counting);

    assign take_job    = ended;
    assign take_answer = do_job && responds;
    assign in_duplicate = take_answer && a_drop;
    assign in_invalid   = take_answer && a_error != 32'd0;
    assign irq_invalid  = do_job && syndrome != 32'd0 && !records;
    assign record_take  = do_record;
    assign fatal_valid  = do_job && fatal;
    assign fatal_code   = responds ? a_code : code_given;
    assign status_ready = do_status;
    assign bell_ready   = do_bell;

    assign rd_en   = read;
    assign rd_addr = running ? at : from;

    always @(posedge clk)
        if (rst) begin
            running  <= 1'b0;
            counting <= 1'b0;
            credit   <= 3'd4;
        end else begin
            running  <= do_record || (do_move && words != {C{1'b0}}) || (running && !(step_run && left == {C{1'b0}}));
            counting <= (do_move && has_count) || (counting && !do_count);
            credit   <= credit - {2'b00, read || plain} + {2'b00, data_taken};
        end
    always @(posedge clk) begin
        if (do_job) begin
            left    <= do_record ? words : words - {{C-1{1'b0}}, 1'b1};
            at      <= do_record ? start : from + {{N-1{1'b0}}, 1'b1};
            towards <= do_move && to_rdrsp;
        end else if (step_run) begin
            left <= left - {{C-1{1'b0}}, 1'b1};
            at   <= at + {{N-1{1'b0}}, 1'b1};
        end
        free_valid <= ended && !rst;
        free_to    <= next;
    end

    // ---- commands
    assign dr_cmd_valid  = plain || (do_move && !to_rdrsp);
    assign dr_cmd_addr   = do_status ? status_addr : do_bell ? bell_addr : do_count ? count_addr
                           : do_record ? record_addr : responds ? a_addr : addr;
    assign dr_cmd_length = do_status ? 13'd8 : do_bell || do_count ? 13'd4 : do_record ? recorded[12:0] + 13'd4
                           : length;
    assign dr_cmd_skip   = do_record ? HIGH[L-1:0] : plain ? {L{1'b0}} : offset[L-1:0];
    assign rdrsp_cmd_valid = do_move && to_rdrsp;

    wire [1:0]    tag;
    wire [7:0]    note;
    wire          tag_valid;
    roce_queue #(.WIDTH(10), .LOG2_DEPTH(7)) tags (
        .clk (clk), .rst (rst),
        .in_valid (dr_cmd_valid), .in_ready (tag_room),
        .in_data ({do_status ? STATUS : do_bell ? BELL : do_record ? RECORD : OF_MESSAGE, bell_note}),
        .out_valid (tag_valid), .out_ready (dr_done_valid), .out_data ({tag, note})
    );
    wire done = dr_done_valid && tag_valid;
    assign written_valid = done && tag == OF_MESSAGE;
    assign written_error = dr_done_error;
    assign bell_done     = done && tag == BELL;
    assign bell_error    = dr_done_error;
    assign bell_noted    = note;
    assign record_done   = done && tag == RECORD;
    assign status_done   = done && tag == STATUS;

    // ---- words: from the ring a clock after the request, others delayed by as much
    reg                coming, coming_plain, coming_to;
    reg  [63:0]        word;
    reg                high;                // the word is in the last four bytes: a syndrome
    wire [8*BYTES-1:0] low_word  = {{8*BYTES-64{1'b0}}, word};
    wire [8*BYTES-1:0] high_word = {word[31:0], {8*BYTES-32{1'b0}}};
    wire [8*BYTES-1:0] out_word  = !coming_plain ? rd_data : high ? high_word : low_word;
    always @(posedge clk)
        coming <= (read || plain) && !rst;
    always @(posedge clk) begin
        coming_plain <= plain;
        coming_to    <= running ? towards : do_move && to_rdrsp;
        high         <= do_record;
        word         <= do_status ? status_data : {32'd0, do_bell ? bell_data : do_record ? syndrome : count};
    end
    roce_queue #(.WIDTH(8*BYTES+1), .LOG2_DEPTH(2)) out (
        .clk (clk), .rst (rst),
        .in_valid (coming), .in_ready (words_room), .in_data ({coming_to, out_word}),
        .out_valid (data_valid), .out_ready (data_taken), .out_data ({data_to, data})
    );
    assign dr_data_valid    = data_valid && !data_to;
    assign rdrsp_data_valid = data_valid && data_to;

    wire unused = &{1'b0, HIGH, answer_room, words_room, last_byte, syndrome};

    // ---- measuring
    wire probe_busy         = has_job || data_valid;
    wire probe_stall_answer = has_job && responds && !has_answer;
    wire probe_stall_memory = running && !room;
    wire probe_done         = ended;
endmodule
`default_nettype wire
