// What holds of the queue of one QP's messages in roce_outstanding, in every state, if `holds` is all ones. See
// prove_roce_outstanding_act.
//
// Messages and PSNs are counted from where `una` was before the event: 0 is the message it was at, `first` packets of
// which had been acknowledged. So `una` is at message 0 before the event, and at 0 or 1 behind it.
`default_nettype none
module roce_outstanding_properties #(
    parameter OUTSTANDING = 16,
    // most messages that are there
    parameter PLACES = 16
) (
    input  wire [4:0]    arrived,          // messages that are there
    input  wire [23:0]   first,
    input  wire [28*PLACES+27:0] ends,             // of each message: the PSN behind its last packet, 28 bits each
    input  wire [PLACES:0] is_read,
    input  wire [PLACES:0] never,            // ... it is never sent: it is refused, or could not be fetched
    input  wire          datagrams,
    input  wire [4:0]    limit,            // of READs
    // the marks
    input  wire [4:0]    una,
    input  wire [23:0]   una_packet,
    input  wire [23:0]   una_psn,
    input  wire [4:0]    cur,
    input  wire [23:0]   cur_packet,
    input  wire [23:0]   cur_psn,
    input  wire [23:0]   high,
    input  wire [4:0]    reads,
    input  wire          armed,
    input  wire          waiting,
    output wire [8:0]    holds
);
    localparam [31:0] MOST = OUTSTANDING, MOST_THERE = PLACES;
    wire [28*PLACES+55:0] list  = {28'd0, ends};
    wire [PLACES+1:0]     reads_of = {1'b0, is_read}, unsent = {1'b1, never};

    reg [27:0] start, stop;                // of a message
    reg [4:0]  counted;
    reg        idle, una_there, cur_there, high_there, in_reads, in_never;
    integer    i;

    // A mark at a message is behind the packets before it, and before its end; if not there or never sent, at its
    // start.
    function at(input [23:0] packet, input [23:0] psn, input [27:0] from, input [27:0] to, input first_one, input sent);
        at = packet == psn - from[23:0] && (first_one || {4'd0, psn} >= from) &&
             (sent ? {4'd0, psn} < to : first_one ? packet == 24'd0 : {4'd0, psn} == from);
    endfunction

    always @* begin
        una_there = 1'b0; cur_there = 1'b0; high_there = 1'b0;
        in_reads = 1'b1; in_never = 1'b1;
        counted = 5'd0;
        for (i = 0; i <= PLACES + 1; i = i + 1) begin
            start = (i == 0) ? {4'd0, 24'd0 - first} : list[28*(i-1) +: 28];
            stop  = list[28*i +: 28];
            idle  = unsent[i];
            if (una == i[4:0])     una_there = at(una_packet, una_psn, start, stop, i == 0, una != arrived && !idle);
            if (cur == i[4:0])     cur_there = at(cur_packet, cur_psn, start, stop, i == 0, cur != arrived && !idle);
            if (arrived == i[4:0]) high_there = (i == 0) ? high == 24'd0 : {4'd0, high} <= start;
            if (i[4:0] >= una && i[4:0] < arrived) begin
                if (i[4:0] == una) start = {4'd0, una_psn};
                if (idle) begin
                    if (cur > i[4:0] || {4'd0, high} > start) in_never = 1'b0;
                end else if (reads_of[i])
                    if ((cur == i[4:0] && {4'd0, cur_psn} != start) || ({4'd0, high} > start && {4'd0, high} < stop))
                    in_reads = 1'b0;
                if (i[4:0] < cur) counted = counted + {4'd0, reads_of[i]};
            end
        end
    end

    assign holds[0] = una <= 5'd1 && una <= cur && cur <= arrived && arrived - una <= MOST_THERE[4:0];
    assign holds[1] = {27'd0, cur - una} <= MOST;
    assign holds[2] = reads == counted && reads <= limit;
    assign holds[3] = una_psn <= cur_psn && cur_psn <= high && {1'b0, high} <= {1'b0, una_psn} + 25'h80_0000
                      && high_there;
    assign holds[4] = una_there;
    assign holds[5] = cur_there;
    assign holds[6] = in_reads;
    assign holds[7] = in_never;
    assign holds[8] = !datagrams || (!armed && !waiting);
endmodule
`default_nettype wire
