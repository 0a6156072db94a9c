// Proof of roce_rx_mover: `bad` is never high, whatever jobs, answers and words come, and whatever memory takes.
//
//   out       a word that comes from the ring, or beside it, has a place in `out`: `credit` counts those that have none
//             yet
//   answers   an answer of the requester has a place, with as many places as jobs: each is to a job in the queue
//
// Assumed: the requester answers a RESPONSE once, at the earliest in the clock behind that in which its job was taken.
`default_nettype none
module prove_roce_rx_mover #(
    // 1: the assumption does not hold
    parameter ANSWERS_TWICE = 0
) (
    input  wire         clk,
    input  wire         any_job,
    input  wire [1:0]   any_kind,
    input  wire [87:0]  any_job_about,
    input  wire         any_answer,
    input  wire [1:0]   any_answer_about,
    input  wire [9:0]   any_ready,
    input  wire [15:0]  any_size,
    output wire         bad
);
    reg running;                      // 0 in the first clock
    initial running = 1'b0;
    always @(posedge clk) running <= 1'b1;

    wire       job_ready;
    reg  [5:0] asked;                 // RESPONSEs without an answer
    wire       job    = any_job && running;
    wire       answer = any_answer && running && (asked != 6'd0 || ANSWERS_TWICE != 0);
    always @(posedge clk)
        if (!running) asked <= 6'd0;
        else          asked <= asked + {5'd0, job && job_ready && any_kind == 2'd2} - {5'd0, answer};

    roce_rx_mover #(.BYTES(8), .LOG2_WORDS(4)) mover (
        .clk (clk), .rst (!running), .job_valid (job), .job_ready (job_ready), .job_kind (any_kind), .job_start (4'd0),
        .job_next (4'd0), .job_frame (any_job_about[13:0]), .job_offset (any_job_about[20:14]), .job_addr (32'd0),
        .job_length (any_job_about[33:21]), .job_counts (any_job_about[34]), .job_count_addr (32'd0),
        .job_count (32'd0), .job_syndrome (32'd0), .job_fatal (any_job_about[35]), .job_code (5'd0), .job_qp (7'd0),
        .job_opcode (8'd0), .job_psn (24'd0), .job_aeth (8'd0), .ans_valid (answer), .ans_write (any_answer_about[0]),
        .ans_addr (32'd0), .ans_drop (1'b0), .ans_error ({31'd0, any_answer_about[1]}), .ans_fatal (1'b0),
        .ans_code (5'd0), .rd_data (64'd0), .error_all (any_ready[0]), .record_on (any_ready[1]), .record_addr (32'd0),
        .record_size (any_size), .fatal_ready (any_ready[2]), .status_valid (any_ready[3]), .status_addr (32'd0),
        .status_data (64'd0), .bell_valid (any_ready[4]), .bell_addr (32'd0), .bell_data (32'd0), .bell_note (8'd0),
        .dr_cmd_ready (any_ready[5]), .dr_data_ready (any_ready[6]), .dr_done_valid (any_ready[7]),
        .dr_done_error (1'b0), .rdrsp_cmd_ready (any_ready[8]), .rdrsp_data_ready (any_ready[9])
    );

    (* hierconn *) wire \mover.coming , \mover.words_room , \mover.answer_room ;
    assign bad = running && ((\mover.coming && ! \mover.words_room ) || (answer && ! \mover.answer_room ));
endmodule
`default_nettype wire
