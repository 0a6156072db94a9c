// What part A (sync_unit) writes to the memory of a NIC's host, as words for cni_lines: slots, answers, counter words.
//
// A write of a slot's words 1.. and then one of its word 0 (`wr_first`) make up a slot; words of its first line have
// `keep`. Addresses outside coherent memory are not written and end with wr_status 1. A write
// is done (wr_done) when cni_lines has its words: what is written later comes later on the interconnect.
//
// Latency: wr_req to word_valid 1 clock, then one word per clock; last word to wr_done 1.
`default_nettype none
module cni_writes (
    input  wire        clk,
    input  wire        rst,

    // write conversation of sync_unit
    input  wire        wr_req,
    input  wire [63:0] wr_addr,
    input  wire [9:0]  wr_words,
    output wire        wr_ack,
    input  wire [63:0] wr_data,
    input  wire        wr_data_valid,
    output wire        wr_data_pop,
    output reg         wr_done,
    output wire [1:0]  wr_status,
    input  wire        wr_queue_valid,
    input  wire        wr_first,

    // cni_lines
    output wire        word_valid,
    input  wire        word_ready,
    output reg  [27:3] word_address,
    output wire [63:0] word_data,
    output wire        word_last,
    output wire        word_keep,
    output wire        word_start
);
    reg        busy, outside, of_slot, first, fresh;
    reg  [9:0] left;

    assign wr_ack      = wr_req && !busy && !wr_done;
    assign wr_status   = {1'b0, outside};
    assign word_valid  = busy && wr_data_valid && !outside;
    assign word_data   = wr_data;
    assign word_keep   = of_slot && (fresh || first);
    assign word_start  = of_slot && !first && (word_address[4:3] == 2'd1);
    assign word_last   = (left == 10'd1);
    assign wr_data_pop = busy && wr_data_valid && (word_ready || outside);

    always @(posedge clk)
        if (rst) begin
            busy    <= 1'b0;
            wr_done <= 1'b0;
        end else begin
            wr_done <= wr_data_pop && (left == 10'd1);
            if (wr_ack) busy <= 1'b1;
            else if (wr_data_pop && left == 10'd1) busy <= 1'b0;
        end

    always @(posedge clk)
        if (wr_ack) begin
            word_address <= wr_addr[27:3];
            left         <= wr_words;
            outside      <= (wr_addr[63:28] != 36'd0);
            of_slot      <= wr_queue_valid;
            first        <= wr_first;
            fresh        <= 1'b1;
        end else if (wr_data_pop) begin
            word_address <= word_address + 25'd1;
            left         <= left - 10'd1;
            if (word_address[4:3] == 2'd3) fresh <= 1'b0;
        end

    wire unused = &{1'b0, wr_addr[2:0]};

    // ---- measuring
    wire probe_busy      = busy;
    wire probe_stall_bus = word_valid && !word_ready;
    wire probe_start     = wr_ack;
    wire probe_done      = wr_done;
endmodule
`default_nettype wire
