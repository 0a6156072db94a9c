// The coherent memory system of the chip, only wiring: two processor ports, their caches, the interconnect, the memory
// port, and the interconnect's third place, of the network interface (`ni_*`, interconnect.md). Vectors have one field
// for each processor, processor 0 lowest. The observer (sim/model/coherent) looks at this module's ports.
//
//     processor 0 -- coherent_plb -- coherent_cache --\
//                      |    |                          snoop_switch -- memory
//               registers  private PLB                /  |
//     processor 1 -- coherent_plb -- coherent_cache --   network interface
`default_nettype none
module coherent_memory #(
    // size of a cache, 4, 8, 16 or 32
    parameter CACHE_KB = 16,
    // 1 or 2
    parameter WAYS = 2
) (
    input  wire         clk,
    input  wire         rst,

    // processors (coherent_plb)
    input  wire [1:0]   request,
    input  wire [1:0]   rnw,
    input  wire [63:0]  abus,
    input  wire [1:0]   size2,
    input  wire [15:0]  be,
    input  wire [1:0]   cancel,
    input  wire [127:0] wrdbus,
    input  wire [3:0]   priority,
    input  wire [1:0]   cacheable,
    input  wire [1:0]   writethru,
    input  wire [1:0]   guarded,
    input  wire [1:0]   u0attr,
    output wire [1:0]   addrack,
    output wire [1:0]   ssize1,
    output wire [1:0]   rddack,
    output wire [127:0] rddbus,
    output wire [5:0]   rdwdaddr,
    output wire [1:0]   wrdack,
    output wire [1:0]   busy,
    output wire [1:0]   err,

    // registers
    output wire [1:0]   reg_valid,
    output wire [1:0]   reg_write,
    output wire [35:0]  reg_address,
    output wire [7:0]   reg_be,
    output wire [63:0]  reg_wdata,
    input  wire [1:0]   reg_done,
    input  wire [1:0]   reg_error,
    input  wire [63:0]  reg_rdata,

    // private PLBs
    output wire [1:0]   private_request,
    output wire [1:0]   private_rnw,
    output wire [63:0]  private_abus,
    output wire [1:0]   private_size2,
    output wire [15:0]  private_be,
    output wire [1:0]   private_cancel,
    output wire [127:0] private_wrdbus,
    output wire [3:0]   private_priority,
    output wire [1:0]   private_cacheable,
    output wire [1:0]   private_writethru,
    output wire [1:0]   private_guarded,
    output wire [1:0]   private_u0attr,
    input  wire [1:0]   private_addrack,
    input  wire [1:0]   private_rddack,
    input  wire [127:0] private_rddbus,
    input  wire [5:0]   private_rdwdaddr,
    input  wire [1:0]   private_wrdack,
    input  wire [1:0]   private_busy,
    input  wire [1:0]   private_err,

    output wire [1:0]   error_event,
    output wire [1:0]   error_write,
    output wire [63:0]  error_address,

    // ranges whose stores update, 0 and 1
    input  wire [1:0]   range_enable,
    input  wire [45:0]  range_base,
    input  wire [45:0]  range_last,

    // network interface: requests
    input  wire         ni_valid,
    input  wire [2:0]   ni_kind,
    input  wire [22:0]  ni_line,
    input  wire [1:0]   ni_word,
    input  wire [1:0]   ni_last,
    input  wire         ni_tag,
    input  wire         ni_full,
    input  wire         ni_allocate,
    input  wire         ni_cache,
    output wire         ni_taken,
    output wire         ni_result,
    output wire         ni_result_shared,
    output wire         ni_result_data,
    input  wire         ni_has,            // answer to a snoop
    output wire         ni_out_take,
    output wire [1:0]   ni_out_word,
    input  wire [63:0]  ni_out_data,
    input  wire [7:0]   ni_out_mask,
    output wire         ni_in_valid,
    output wire [1:0]   ni_in_word,
    output wire         ni_in_last,
    output wire         ni_in_tag,
    output wire [63:0]  ni_in_data,

    // every broadcast, also for the observer
    output wire         snoop_valid,
    output wire [2:0]   snoop_kind,
    output wire [22:0]  snoop_line,
    output wire [1:0]   snoop_source,
    output wire         snoop_full,
    output wire         snoop_allocate,
    output wire         snoop_cache,
    output wire         snoop_done,

    // for the observer: requests of the caches, their answers in clock 3, words into and out of agents, events
    output wire [1:0]   req_valid,
    output wire [5:0]   req_kind,
    output wire [45:0]  req_line,
    output wire [1:0]   answer_has,
    output wire [1:0]   answer_supplies,
    output wire [1:0]   answer_dirty,
    output wire [1:0]   answer_takes,
    output wire [2:0]   in_valid,
    output wire [2:0]   in_own,
    output wire [5:0]   in_word,
    output wire [2:0]   out_take,
    output wire [9:0]   events,            // of both caches (coherent_cache)

    output wire         mem_valid,
    input  wire         mem_ready,
    output wire         mem_we,
    output wire [24:0]  mem_addr,          // number of the 64-bit word
    output wire [71:0]  mem_wdata,
    output wire [8:0]   mem_be,
    input  wire         mem_rvalid,
    input  wire [71:0]  mem_rdata,

    output wire         overflow,          // errors of the interconnect's queues
    output wire         underflow
);
    localparam LOG2_SETS = $clog2(CACHE_KB) + 5 - $clog2(WAYS);

    initial
        if ((CACHE_KB != 4 && CACHE_KB != 8 && CACHE_KB != 16 && CACHE_KB != 32) || (WAYS != 1 && WAYS != 2)) begin
            $display("%m: CACHE_KB must be 4, 8, 16 or 32, is %0d; WAYS 1 or 2, is %0d", CACHE_KB, WAYS);
            $finish;
        end

    wire [1:0]   cpu_valid, cpu_ready, cpu_write, cpu_done;
    wire [3:0]   cpu_atomic, cpu_word;
    wire [45:0]  cpu_line;
    wire [15:0]  cpu_be;
    wire [127:0] cpu_wdata, cpu_rdata;
    wire [2:0]   req_taken, result_valid, in_last, in_tag;
    wire [1:0]   hint_valid;
    wire [3:0]   req_word;
    wire         result_shared, result_data, out_own;
    wire [1:0]   out_word;
    wire [127:0] out_data;
    wire [15:0]  out_mask;
    wire [191:0] in_data;
    wire [7:0]   in_mask;

    genvar i;
    generate
        for (i = 0; i < 2; i = i + 1) begin : processor
            coherent_plb plb (
                .clk (clk), .rst (rst), .request (request[i]), .rnw (rnw[i]), .abus (abus[32*i +: 32]),
                .size2 (size2[i]), .be (be[8*i +: 8]), .cancel (cancel[i]), .wrdbus (wrdbus[64*i +: 64]),
                .priority (priority[2*i +: 2]), .cacheable (cacheable[i]), .writethru (writethru[i]),
                .guarded (guarded[i]), .u0attr (u0attr[i]), .addrack (addrack[i]), .ssize1 (ssize1[i]),
                .rddack (rddack[i]), .rddbus (rddbus[64*i +: 64]), .rdwdaddr (rdwdaddr[3*i +: 3]),
                .wrdack (wrdack[i]), .busy (busy[i]), .err (err[i]), .cpu_valid (cpu_valid[i]),
                .cpu_ready (cpu_ready[i]), .cpu_write (cpu_write[i]), .cpu_atomic (cpu_atomic[2*i +: 2]),
                .cpu_line (cpu_line[23*i +: 23]), .cpu_word (cpu_word[2*i +: 2]), .cpu_be (cpu_be[8*i +: 8]),
                .cpu_wdata (cpu_wdata[64*i +: 64]), .cpu_done (cpu_done[i]), .cpu_rdata (cpu_rdata[64*i +: 64]),
                .reg_valid (reg_valid[i]), .reg_write (reg_write[i]), .reg_address (reg_address[18*i +: 18]),
                .reg_be (reg_be[4*i +: 4]), .reg_wdata (reg_wdata[32*i +: 32]), .reg_done (reg_done[i]),
                .reg_error (reg_error[i]), .reg_rdata (reg_rdata[32*i +: 32]),
                .private_request (private_request[i]), .private_rnw (private_rnw[i]),
                .private_abus (private_abus[32*i +: 32]), .private_size2 (private_size2[i]),
                .private_be (private_be[8*i +: 8]), .private_cancel (private_cancel[i]),
                .private_wrdbus (private_wrdbus[64*i +: 64]), .private_priority (private_priority[2*i +: 2]),
                .private_cacheable (private_cacheable[i]), .private_writethru (private_writethru[i]),
                .private_guarded (private_guarded[i]), .private_u0attr (private_u0attr[i]),
                .private_addrack (private_addrack[i]), .private_rddack (private_rddack[i]),
                .private_rddbus (private_rddbus[64*i +: 64]), .private_rdwdaddr (private_rdwdaddr[3*i +: 3]),
                .private_wrdack (private_wrdack[i]), .private_busy (private_busy[i]), .private_err (private_err[i]),
                .error_event (error_event[i]), .error_write (error_write[i]),
                .error_address (error_address[32*i +: 32])
            );
            coherent_cache #(.CACHE(i), .LOG2_SETS(LOG2_SETS), .WAYS(WAYS)) cache (
                .clk (clk), .rst (rst), .range_enable (range_enable), .range_base (range_base),
                .range_last (range_last), .cpu_valid (cpu_valid[i]), .cpu_ready (cpu_ready[i]),
                .cpu_write (cpu_write[i]), .cpu_atomic (cpu_atomic[2*i +: 2]), .cpu_line (cpu_line[23*i +: 23]),
                .cpu_word (cpu_word[2*i +: 2]), .cpu_be (cpu_be[8*i +: 8]), .cpu_wdata (cpu_wdata[64*i +: 64]),
                .cpu_done (cpu_done[i]), .cpu_rdata (cpu_rdata[64*i +: 64]), .req_valid (req_valid[i]),
                .req_kind (req_kind[3*i +: 3]), .req_line (req_line[23*i +: 23]), .req_word (req_word[2*i +: 2]),
                .req_taken (req_taken[i]), .result_valid (result_valid[i]), .result_shared (result_shared),
                .result_data (result_data), .snoop_valid (snoop_valid), .snoop_kind (snoop_kind),
                .snoop_line (snoop_line), .snoop_source (snoop_source), .snoop_full (snoop_full),
                .snoop_allocate (snoop_allocate), .snoop_cache (snoop_cache), .snoop_done (snoop_done),
                .answer_has (answer_has[i]), .answer_supplies (answer_supplies[i]),
                .answer_dirty (answer_dirty[i]), .answer_takes (answer_takes[i]), .hint_valid (hint_valid[i]),
                .out_own (out_own), .out_word (out_word), .out_data (out_data[64*i +: 64]),
                .out_mask (out_mask[8*i +: 8]), .in_valid (in_valid[i]), .in_own (in_own[i]),
                .in_last (in_last[i]), .in_word (in_word[2*i +: 2]), .in_data (in_data[64*i +: 64]),
                .in_mask (in_mask), .events (events[5*i +: 5])
            );
        end
    endgenerate

    snoop_switch interconnect (
        .clk (clk), .rst (rst), .req_valid ({ni_valid, req_valid}), .req_kind ({ni_kind, req_kind}),
        .req_line ({ni_line, req_line}), .req_word ({ni_word, req_word}), .req_last ({ni_last, 4'd0}),
        .req_tag ({ni_tag, 2'd0}), .req_full ({ni_full, 2'd0}), .req_allocate ({ni_allocate, 2'd0}),
        .req_cache ({ni_cache, 2'd0}), .req_taken (req_taken), .result_valid (result_valid),
        .result_shared (result_shared), .result_data (result_data), .snoop_valid (snoop_valid),
        .snoop_kind (snoop_kind), .snoop_line (snoop_line), .snoop_source (snoop_source), .snoop_full (snoop_full),
        .snoop_allocate (snoop_allocate), .snoop_cache (snoop_cache), .snoop_done (snoop_done),
        .answer_has ({ni_has, answer_has}), .answer_supplies (answer_supplies), .answer_dirty (answer_dirty),
        .answer_takes (answer_takes), .hint_valid (hint_valid), .out_take (out_take), .out_own (out_own),
        .out_word (out_word), .out_data ({ni_out_data, out_data}), .out_mask ({ni_out_mask, out_mask}),
        .in_valid (in_valid), .in_own (in_own), .in_last (in_last), .in_word (in_word), .in_data (in_data),
        .in_mask (in_mask), .in_tag (in_tag), .mem_valid (mem_valid), .mem_ready (mem_ready), .mem_we (mem_we),
        .mem_addr (mem_addr), .mem_wdata (mem_wdata[63:0]), .mem_be (mem_be[7:0]), .mem_rvalid (mem_rvalid),
        .mem_rdata (mem_rdata[63:0]), .overflow (overflow), .underflow (underflow)
    );

    assign mem_wdata[71:64] = 8'd0;
    assign mem_be[8]        = 1'b0;
    assign ni_taken         = req_taken[2];
    assign ni_result        = result_valid[2];
    assign ni_result_shared = result_shared;
    assign ni_result_data   = result_data;
    assign ni_out_take      = out_take[2];
    assign ni_out_word      = out_word;
    assign ni_in_valid      = in_valid[2];
    assign ni_in_word       = in_word[5:4];
    assign ni_in_last       = in_last[2];
    assign ni_in_tag        = in_tag[2];
    assign ni_in_data       = in_data[191:128];

    wire unused = &{1'b0, in_tag[1:0], mem_rdata[71:64]};
endmodule
`default_nettype wire
