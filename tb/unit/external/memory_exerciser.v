// Random writes and reads at the memory port, one request per clock when it can, and a checker of the answers: for the
// pins of a generated binding and for long runs. The word that is written follows from its address and a generation; a
// table holds the generation of each.
//
// 256 words: 4 rows x 4 banks x 16 columns of an SDRAM with 1024 columns and 4 banks. A word is first written, then
// written or read at random. At most 16 reads are outstanding.
`default_nettype none
module memory_exerciser (
    input  wire        clk,
    input  wire        rst,
    input  wire        enable,          // new requests

    output reg         mem_valid,
    output reg         mem_we,
    output reg  [23:0] mem_addr,
    output reg  [71:0] mem_wdata,
    output wire [8:0]  mem_be,
    input  wire        mem_ready,
    input  wire        mem_rvalid,
    input  wire [71:0] mem_rdata,

    output reg  [31:0] answers,
    output reg  [31:0] errors,
    output wire [4:0]  outstanding
);
    reg [31:0]  random;
    reg [7:0]   generation [0:255];
    reg [255:0] written;
    reg [71:0]  expected [0:15];
    reg [4:0]   asked, got;

    // xorshift32
    wire [31:0] random_a = random ^ {random[18:0], 13'd0};
    wire [31:0] random_b = random_a ^ {17'd0, random_a[31:17]};
    wire [31:0] random_c = random_b ^ {random_b[26:0], 5'd0};

    wire [7:0] place = random[15:8];
    wire [7:0] now   = generation[place];
    wire       write = random[0] || !written[place];
    wire       step  = !mem_valid || mem_ready;
    wire       show  = enable && random[2:1] != 2'd0 && (write || outstanding < 5'd16);

    function [71:0] word_of(input [7:0] at, input [7:0] count);
        word_of = {count ^ 8'h5a, at, count, ~at, ~count, at ^ count, 8'hc3, count, at};
    endfunction

    assign mem_be      = 9'h1ff;
    assign outstanding = asked - got;

    always @(posedge clk)
        if (rst) begin
            random    <= 32'h1234567;
            mem_valid <= 1'b0;
            mem_we    <= 1'b0;
            mem_addr  <= 24'd0;
            mem_wdata <= 72'd0;
            asked     <= 5'd0;
            written   <= 256'd0;
        end else begin
            random <= random_c;
            if (step) begin
                mem_valid <= show;
                mem_we    <= write;
                mem_addr  <= {6'd0, place[7:6], 4'd0, place[5:4], 6'd0, place[3:0]};
                mem_wdata <= word_of(place, now + 8'd1);
                if (show && write) begin
                    generation[place] <= now + 8'd1;
                    written[place]    <= 1'b1;
                end
                if (show && !write) begin
                    expected[asked[3:0]] <= word_of(place, now);
                    asked                <= asked + 5'd1;
                end
            end
        end

    always @(posedge clk)
        if (rst) begin
            got     <= 5'd0;
            answers <= 32'd0;
            errors  <= 32'd0;
        end else if (mem_rvalid) begin
            got     <= got + 5'd1;
            answers <= answers + 32'd1;
            if (outstanding == 5'd0 || mem_rdata != expected[got[3:0]])
                errors <= errors + 32'd1;
        end
endmodule
`default_nettype wire
