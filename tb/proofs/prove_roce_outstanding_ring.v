// Proof of roce_outstanding_ring with four entries, of two QPs: `bad` is never high, whatever is put in, answered,
// forgotten and taken out, also while it is full or empty.
//
//   bounds      it is full with four entries and no sooner, empty with none; none gets in or out beyond that, and is
//               reported
//   order       the oldest entry is the one put in first of those still there: one is marked and followed by counting
//               those before it
//   answer      the marked one has an answer when it came and not before, with its own error; it does not leave before.
//               An answer that comes while no entry waits for one changes nothing and is reported
//   forgotten   it is alive until its QP is forgotten
//   found       look_found names it while it is there and, but for LOOK_ALL, alive
`default_nettype none
module prove_roce_outstanding_ring #(
    // as in the ring
    parameter LOOK_ALL = 0
) (
    input  wire       clk,
    input  wire       any_push,
    input  wire       any_mark,        // what is put in is the one that is followed
    input  wire       any_qp,
    input  wire       any_data,
    input  wire       any_answer,
    input  wire       any_error,
    input  wire       any_pop,
    input  wire       any_forget,
    input  wire       any_forgotten,
    input  wire       any_data_found,
    output wire       bad
);
    reg running;                      // 0 in the first clock
    initial running = 1'b0;
    always @(posedge clk) running <= 1'b1;
    wire rst = !running;

    // ---- the model: how many there are, how many of these wait for an answer, and those before the marked one
    reg  [2:0] entries, waiting, before, waiting_before;
    reg        marked, answered, error, alive;
    reg        qp, data;

    wire       full, head_valid, head_answered, head_error, head_alive, found, lost;
    wire       head_data;
    wire [1:0] push_slot, answer_slot;
    wire [6:0] head_qp;
    wire       push = any_push && running;
    wire       pop  = any_pop && running;
    wire       come = push && entries != 3'd4;
    wire       goes = pop && entries != waiting;
    reg  [1:0] oldest;                // slots are given in turn
    wire       comes  = any_answer && running;
    wire       answer = comes && waiting != 3'd0;

    roce_outstanding_ring #(.WIDTH(1), .LOG2_DEPTH(2), .LOOK(1), .LOOK_ALL(LOOK_ALL)) ring (
        .clk (clk), .rst (rst), .full (full), .push (push), .push_qp ({6'd0, any_qp}), .push_data (any_data),
        .push_slot (push_slot), .answer (comes), .answer_error (any_error), .answer_slot (answer_slot),
        .head_valid (head_valid), .head_answered (head_answered), .head_error (head_error), .head_alive (head_alive),
        .head_qp (head_qp), .head_data (head_data), .pop (pop), .forget (any_forget && running),
        .forget_qp ({6'd0, any_forgotten}), .look_qp ({6'd0, qp}), .look_data (data), .look_any (any_data_found),
        .look_found (found), .lost (lost)
    );

    wire marks = come && any_mark && !marked;
    wire first = marked && before == 3'd0;
    reg  was_lost;
    always @(posedge clk)
        if (rst) begin
            entries  <= 3'd0;
            waiting  <= 3'd0;
            marked   <= 1'b0;
            oldest   <= 2'd0;
            was_lost <= 1'b0;
        end else begin
            entries  <= entries + {2'd0, come} - {2'd0, goes};
            waiting  <= waiting + {2'd0, come} - {2'd0, answer};
            oldest   <= oldest + {1'b0, goes};
            was_lost <= (push && !come) || (comes && !answer);
            if (marks) begin
                marked   <= 1'b1;
                before   <= entries - {2'd0, goes};
                qp       <= any_qp;
                data     <= any_data;
                waiting_before <= waiting - {2'd0, answer};
                answered <= 1'b0;
                alive    <= 1'b1;
            end else if (marked) begin
                if (goes && first) marked <= 1'b0;
                else if (goes)     before <= before - 3'd1;
                if (answer && waiting_before != 3'd0) waiting_before <= waiting_before - 3'd1;
                else if (answer && !answered) {answered, error} <= {1'b1, any_error};
                if (any_forget && any_forgotten == qp) alive <= 1'b0;
            end
        end

    assign bad = running && (full != (entries == 3'd4) || head_valid != (entries != 3'd0) || lost != was_lost ||
                             (push && push_slot != oldest + entries[1:0]) ||
                             answer_slot != oldest + entries[1:0] - waiting[1:0] ||
                             (first && (head_qp != {6'd0, qp} || head_data != data || head_answered != answered ||
                                        (answered && head_error != error) || head_alive != alive)) ||
                             (marked && (alive || LOOK_ALL != 0) && !found));
endmodule
`default_nettype wire
