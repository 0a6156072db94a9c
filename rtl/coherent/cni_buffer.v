// Payload buffers of the two send queues in one memory: 64 words each. Words of lines and stores of processors are
// written, cni_out reads. Words of both queues come over one bus, so one is written at a time.
//
// Latency: place to data 1 clock.
`default_nettype none
module cni_buffer (
    input  wire        clk,
    input  wire [1:0]  write,          // halves: [1] bits 63:32
    input  wire [6:0]  write_place,    // {queue, place}
    input  wire [63:0] write_data,
    input  wire [6:0]  read_place,
    output wire [63:0] read_data
);
    // a memory for each half: stores write halves
    reg [31:0] high [0:127];
    reg [31:0] low [0:127];
    reg [31:0] high_read, low_read;

    always @(posedge clk) begin
        if (write[1]) high[write_place] <= write_data[63:32];
        high_read <= high[read_place];
    end

    always @(posedge clk) begin
        if (write[0]) low[write_place] <= write_data[31:0];
        low_read <= low[read_place];
    end

    assign read_data = {high_read, low_read};

    // ---- measuring
    wire probe_busy = |write;
endmodule
`default_nettype wire
