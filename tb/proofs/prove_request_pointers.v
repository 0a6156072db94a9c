// Proof of the pointers of request_queues, of the size in the NIC: `bad` is never high, whatever is written, taken and
// served, whatever the memories hold, and whenever the queues are reset.
//
//   order     head <= taken <= tail <= head + the size of a queue: none passes another, however often they wrap
//   full      `fulls` is 1 if the queue has as many descriptors as places, and 0 if head = tail because it has none
//   taken     is the place behind the last one taken, 0 after a reset; so is `take_number`. The head is as many places
//             before it as descriptors are taken and not served
//
// Assumed: a queue is taken from only while it is ready, and as many descriptors are served as were taken.
// MEMORIES=free.
`default_nettype none
module prove_request_pointers #(
    parameter QUEUES = 8,
    // log2 of the places in all, for faults: the flags are swept in fewer clocks
    parameter LOG2   = 10,
    // 0: what is claimed alone, for faults
    parameter LEMMAS = 1,
    // 1: counters release queues, too
    parameter SYNC   = 0,
    parameter LQ     = $clog2(QUEUES)
) (
    input  wire          clk,
    input  wire          any_reset,
    input  wire          any_write,
    input  wire [13:3]   any_addr,
    input  wire [63:0]   any_data,
    input  wire [7:0]    any_be,
    input  wire          any_take,
    input  wire [QUEUES-1:0] any_release,
    input  wire [LQ-1:0] any_take_queue,
    input  wire          any_served,
    input  wire [LQ-1:0] any_served_queue,
    output wire          bad
);
    localparam LD = LOG2 - LQ;                    // of the places of a queue
    localparam [LD:0] ALL = 1 << LD;
    reg running;                                 // 0 in the first clock
    initial running = 1'b0;
    always @(posedge clk) running <= 1'b1;

    reg  [8*QUEUES-1:0] out, place;              // taken and not served; the place that is taken next
    wire [QUEUES-1:0]    ready, fulls;
    wire [7*QUEUES-1:0]  heads, tails;
    wire                 take   = any_take && ready[any_take_queue];
    wire                 served = any_served && out[8*any_served_queue +: 8] != 8'd0;
    wire                 resetting;
    wire [3:0]           number;
    request_queues #(.QUEUES(QUEUES), .SYNC(SYNC)) dut (
        .clk (clk), .rst (!running), .slept (8'd0), .queue_reset (any_reset), .wr_valid (any_write),
        .wr_addr (any_addr & ~(11'd2046 << LOG2)), .wr_data (any_data), .wr_be (any_be), .rd_addr (11'd0),
        .stamp (1'b0), .now (32'd0), .release_mask (any_release), .ready (ready), .take (take),
        .take_queue (any_take_queue),
        .take_number (number), .served (served), .served_queue (any_served_queue), .heads (heads), .tails (tails),
        .fulls (fulls), .resetting (resetting)
    );

    reg       took;
    reg [3:0] took_place;
    integer   q;
    always @(posedge clk) begin
        took       <= running && take;
        took_place <= place[8*any_take_queue +: 4];
        for (q = 0; q < QUEUES; q = q + 1)
            if (!running) {out[8*q +: 8], place[8*q +: 8]} <= 16'd0;
            else begin
                out[8*q +: 8]   <= out[8*q +: 8] + {7'd0, take && any_take_queue == q}
                                   - {7'd0, served && any_served_queue == q};
                place[8*q +: 8] <= any_reset ? 8'd0 : place[8*q +: 8] + {7'd0, take && any_take_queue == q};
            end
    end

    (* hierconn *) wire [QUEUES-1:0] \dut.head_pass , \dut.tail_pass , \dut.waiting ;
    (* hierconn *) wire [QUEUES*(LD+1)-1:0] \dut.taken ;
    (* hierconn *) wire \dut.sweeping , \dut.sweeping_before , \dut.rebase ;
    (* hierconn *) wire [LOG2-1:0] \dut.sweep_slot ;
    reg           claims, lemmas;
    reg  [LD:0]   h, k, t, held;
    reg  [10:0]   sum;                            // taken and not served, of all queues
    integer       i;
    always @* begin
        {claims, lemmas} = {!took || ((number ^ took_place) & ~(5'd30 << LD)) == 4'd0, 1'b1};
        {h, k, t, held}  = {4*LD+4{1'b0}};
        sum              = 11'd0;
        for (i = 0; i < QUEUES; i = i + 1) begin
            held   = fulls[i] ? ALL : {1'b0, tails[7*i +: LD] - heads[7*i +: LD]};
            claims = claims && out[8*i +: 8] <= held && (!fulls[i] || tails[7*i +: LD] == heads[7*i +: LD])
                     && (!ready[i] || resetting || out[8*i +: 8] < held)
                     && (resetting || heads[7*i +: LD] + out[8*i +: LD] == place[8*i +: LD]);
            {h, k, t} = {\dut.head_pass [i], heads[7*i +: LD], \dut.taken [(LD+1)*i +: LD+1], \dut.tail_pass [i],
                         tails[7*i +: LD]};
            sum    = sum + {3'd0, out[8*i +: 8]};
            lemmas = lemmas && k - h == out[8*i +: LD+1] && t - h <= ALL && fulls[i] == (t - h == ALL)
                     && \dut.waiting [i] == (k != t) && (\dut.rebase ? {LD{1'b0}} : k[LD-1:0]) == place[8*i +: LD];
        end
        // the old pointers are gone before the last slot is swept: the last of them with the last descriptor, if all
        // places were taken
        lemmas = lemmas && (!\dut.rebase || (\dut.sweeping ? sum + \dut.sweep_slot <= 1 << LOG2 : sum == 11'd0
                                             && \dut.sweeping_before ))
                 && (!\dut.rebase || !(\dut.sweeping ? sum + \dut.sweep_slot == 1 << LOG2 : 1'b1)
                     || \dut.waiting == {QUEUES{1'b0}});
    end

    assign bad = running && !(claims && (LEMMAS == 0 || lemmas));
endmodule
`default_nettype wire
