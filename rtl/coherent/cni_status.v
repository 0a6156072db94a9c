// What the send queues of the coherent NI tell their programs: local notifications and reports of consumed slots, as
// words for cni_lines.
//
// A transfer departs when the link says so (`gone`, in the order in which the packets went); a list keeps from whom
// each was. It has places for all packets that H2N, link and crossing can hold: less than 64. A notification that meets
// one still waiting is merged with it: the word has the newest count.
//
// Latency: gone, report to word_valid 1 clock.
`default_nettype none
module cni_status (
    input  wire         clk,
    input  wire         rst,

    // packets handed to the link that are the last ones of their transfers
    input  wire         sent_valid,
    input  wire [1:0]   sent_by,       // 0, 1: send queue; 2: an answer
    input  wire         gone_valid,    // one clock: one of them has left
    input  wire         gone_local,    // ... and asks for a notification

    // send queues: bits from q x width on
    input  wire [1:0]   report,        // one clock
    input  wire [31:0]  consumed,
    input  wire [27:3]  cfg_local_notify,
    input  wire [1:0]   cfg_report_enable,
    input  wire [49:0]  cfg_report_address,

    // cni_lines: words of their own
    output wire         word_valid,
    input  wire         word_ready,
    output wire [27:3]  word_address,
    output wire [63:0]  word_data,

    output wire         idle,
    output reg          ev_error       // a bug: more packets have left than were sent, or the list is full
);
    (* ram_style = "distributed" *) reg [1:0] list [0:63];
    reg  [6:0]  put, got;
    wire        empty  = (put == got);
    wire        full   = (put[5:0] == got[5:0]) && (put[6] != got[6]);
    wire [1:0]  whose  = list[got[5:0]];
    reg  [31:0] left_0, left_1;        // transfers of the queue that have left
    reg  [1:0]  local_due, report_due;

    always @(posedge clk)
        if (sent_valid) list[put[5:0]] <= sent_by;

    wire [1:0]  of_queue = {whose == 2'd1, whose == 2'd0} & {2{gone_valid}};
    wire        second   = !(local_due[0] || report_due[0]);
    wire        is_local = second ? local_due[1] : local_due[0];
    wire [1:0]  served   = {second, !second} & {2{word_ready && word_valid}};

    assign word_valid   = |{local_due, report_due};
    assign word_address = is_local ? cfg_local_notify + {24'd0, second}
                          : second ? cfg_report_address[49:25] : cfg_report_address[24:0];
    assign word_data    = is_local ? {32'd0, second ? left_1 : left_0}
                          : {48'd0, second ? consumed[31:16] : consumed[15:0]};
    assign idle         = !word_valid && empty;

    always @(posedge clk)
        if (rst) begin
            put        <= 7'd0;
            got        <= 7'd0;
            local_due  <= 2'd0;
            report_due <= 2'd0;
            left_0     <= 32'd0;
            left_1     <= 32'd0;
            ev_error   <= 1'b0;
        end else begin
            ev_error <= (sent_valid && full) || (gone_valid && empty);
            put      <= put + {6'd0, sent_valid};
            got      <= got + {6'd0, gone_valid};
            if (of_queue[0]) left_0 <= left_0 + 32'd1;
            if (of_queue[1]) left_1 <= left_1 + 32'd1;
            local_due  <= (local_due & ~(served & {2{is_local}})) | (of_queue & {2{gone_local}});
            report_due <= (report_due & ~(served & {2{!is_local}})) | (report & cfg_report_enable);
        end

    // ---- measuring
    wire probe_busy  = word_valid;
    wire probe_start = gone_valid;
    wire probe_done  = word_valid && word_ready;
endmodule
`default_nettype wire
