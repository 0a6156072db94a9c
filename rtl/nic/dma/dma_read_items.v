// Words and ends of reads as items for dma_voq_writer. For one outstanding read; with several, dma_reorder does this.
//
// An item lasts one clock: words cannot wait. The end of a read follows its last word; an end in the clock of a word
// follows it a clock later. No clock is lost otherwise.
`default_nettype none
module dma_read_items (
    input  wire        clk,
    input  wire        rst,
    input  wire        rd_data_valid,
    input  wire [63:0] rd_data,
    input  wire        rd_done,
    input  wire [2:0]  rd_status,   // 0: good
    output wire        item_valid,
    output wire        item_end,    // the read has ended
    output wire        item_bad,    // ... and failed
    output wire [63:0] item_data
);
    reg end_waits;
    reg end_bad;

    assign item_valid = rd_data_valid || item_end;
    assign item_end   = (rd_done || end_waits) && !rd_data_valid;
    assign item_bad   = end_waits ? end_bad : (rd_status != 3'd0);
    assign item_data  = rd_data;

    always @(posedge clk)
        if (rst) begin
            end_waits <= 1'b0;
            end_bad   <= 1'b0;
        end else begin
            end_waits <= (rd_done || end_waits) && rd_data_valid;
            if (rd_done) end_bad <= (rd_status != 3'd0);
        end
endmodule
`default_nettype wire
