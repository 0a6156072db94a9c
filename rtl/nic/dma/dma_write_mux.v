// Two callers share the write interface of the bus: A (incoming packets and their notifications) and B (local
// notifications). An acknowledged sequence is finished before the next; when both request, they alternate. A pending
// request keeps its place until it is acknowledged, or withdrawn by its caller.
//
// Combinational towards the bus interface: adds no clock.
`default_nettype none
module dma_write_mux (
    input  wire        clk,
    input  wire        rst,

    input  wire        a_req,
    input  wire [63:0] a_addr,
    input  wire [9:0]  a_words,
    output wire        a_ack,
    input  wire [63:0] a_data,
    input  wire        a_data_valid,
    output wire        a_data_pop,
    output wire        a_done,              // one clock: its sequence has ended

    input  wire        b_req,
    input  wire [63:0] b_addr,
    input  wire [63:0] b_data,              // one word
    output wire        b_ack,
    output wire        b_done,              // one clock: its sequence has ended

    output wire        wr_req,
    output wire [63:0] wr_addr,
    output wire [9:0]  wr_words,
    input  wire        wr_ack,
    output wire [63:0] wr_data,
    output wire        wr_data_valid,
    input  wire        wr_data_pop,
    input  wire        wr_done
);
    reg  taken;          // a sequence has been acknowledged and is not done
    reg  standing;       // a request was up in the clock before and was not acknowledged
    reg  current_b;      // caller of the current one
    reg  last_b;
    wire stays  = standing && (current_b ? b_req : a_req);
    wire pick_b = b_req && (!a_req || !last_b);
    wire is_b   = (taken || stays) ? current_b : pick_b;

    assign wr_req        = !taken && (is_b ? b_req : a_req);
    assign wr_addr       = is_b ? b_addr : a_addr;
    assign wr_words      = is_b ? 10'd1 : a_words;
    assign wr_data       = is_b ? b_data : a_data;
    assign wr_data_valid = is_b ? (b_req || taken) : a_data_valid;
    assign a_ack         = wr_ack && !is_b;
    assign b_ack         = wr_ack && is_b;
    assign a_data_pop    = wr_data_pop && !is_b;
    assign a_done        = wr_done && !is_b;
    assign b_done        = wr_done && is_b;

    always @(posedge clk)
        if (rst) begin
            taken     <= 1'b0;
            standing  <= 1'b0;
            current_b <= 1'b0;
            last_b    <= 1'b0;
        end else begin
            current_b <= is_b;
            standing  <= wr_req && !wr_ack;
            if (wr_done)     taken <= 1'b0;
            else if (wr_ack) taken <= 1'b1;
            if (wr_ack) last_b <= is_b;
        end

    // ---- measuring
    wire probe_busy      = a_req || b_req || taken;
    wire probe_stall_bus = wr_req && !wr_ack;
    wire probe_start     = wr_ack;
    wire probe_done      = wr_done;
endmodule
`default_nettype wire
