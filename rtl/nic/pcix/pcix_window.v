// The buffers behind BAR0, the window onto the external memory: one posted write and one delayed read, 64 bits each.
//
// The memory is slow and shared, so the target never waits for it:
//   * write: taken if the write buffer is free (`write_ok`), else the target answers Retry.
//   * read: the first attempt is answered with Retry and starts the fetch. When the word has arrived, an attempt to the
//     same 64-bit word takes it. One read at a time: attempts to other addresses get Retry until the fetched word is
//     collected or DISCARD clocks have passed (reads have no side effects, so dropping the word does no harm).
// Order at the memory: a waiting write goes before a waiting read. A write to the word being read makes the fetched
// value stale: it is fetched again.
`default_nettype none
module pcix_window #(
    // log2 of the bytes in BAR0
    parameter BAR0_BITS = 27,
    // clocks a fetched word waits for its reader, 2..65535
    parameter DISCARD = 1024
) (
    input  wire                 clk,
    input  wire                 rst,

    // ---- from the target; `address` is stable for the whole transaction
    input  wire [BAR0_BITS-1:3] address,
    output wire                 write_ok,
    input  wire                 write_valid,
    input  wire [63:0]          write_data,
    input  wire [7:0]           write_be,
    output reg                  read_hit,         // the word at `address` (one clock ago) is here
    output reg  [63:0]          read_data,
    input  wire                 read_ask,         // an attempt got Retry
    input  wire                 read_taken,       // the word was delivered

    // ---- to the memory: held until acknowledged
    output wire                 win_req,
    output wire                 win_we,
    output wire [BAR0_BITS-1:3] win_addr,
    output reg  [63:0]          win_wdata,
    output reg  [7:0]           win_be,
    input  wire                 win_ack,
    input  wire [63:0]          win_rdata,

    output wire [1:0]           fsm_port,
    output wire [1:0]           fsm_read
);
    localparam [1:0] PORT_IDLE = 2'd0, PORT_WRITE = 2'd1, PORT_READ = 2'd2;
    localparam [1:0] READ_NONE = 2'd0, READ_FETCH = 2'd1, READ_READY = 2'd2;
    localparam [15:0] DISCARD_CLOCKS = DISCARD;

    initial
        if (DISCARD < 2 || DISCARD > 65535) begin
            $display("%m: DISCARD must be 2..65535, is %0d", DISCARD);
            $finish;
        end

    reg [1:0]           port;
    reg [1:0]           read;
    reg                 write_waiting;
    reg [BAR0_BITS-1:3] write_addr;
    reg [BAR0_BITS-1:3] read_addr;
    reg                 read_stale;
    reg [15:0]          age;

    wire same_word  = (address == read_addr);
    wire overtaken  = write_valid && same_word && (read != READ_NONE);
    wire fetched    = (port == PORT_READ) && win_ack;

    assign write_ok = !write_waiting;
    assign win_req  = (port != PORT_IDLE);
    assign win_we   = (port == PORT_WRITE);
    assign win_addr = win_we ? write_addr : read_addr;
    assign fsm_port = port;
    assign fsm_read = read;

    always @(posedge clk)
        if (rst)
            port <= PORT_IDLE;
        else
            case (port)
                PORT_IDLE:
                    if (write_waiting)
                        port <= PORT_WRITE;
                    else if (read == READ_FETCH)
                        port <= PORT_READ;
                default:
                    if (win_ack)
                        port <= PORT_IDLE;
            endcase

    always @(posedge clk)
        if (rst) begin
            write_waiting <= 1'b0;
            write_addr    <= {BAR0_BITS-3{1'b0}};
            win_wdata     <= 64'h0;
            win_be        <= 8'h00;
        end else if (write_valid) begin
            write_waiting <= 1'b1;
            write_addr    <= address;
            win_wdata     <= write_data;
            win_be        <= write_be;
        end else if (port == PORT_WRITE && win_ack)
            write_waiting <= 1'b0;

    always @(posedge clk)
        if (rst) begin
            read       <= READ_NONE;
            read_addr  <= {BAR0_BITS-3{1'b0}};
            read_data  <= 64'h0;
            read_stale <= 1'b0;
            read_hit   <= 1'b0;
            age        <= 16'h0;
        end else begin
            read_hit <= (read == READ_READY) && same_word && !overtaken;
            if (fetched)
                read_data <= win_rdata;
            case (read)
                READ_NONE:
                    if (read_ask) begin
                        read       <= READ_FETCH;
                        read_addr  <= address;
                        read_stale <= 1'b0;
                    end
                READ_FETCH: begin
                    age        <= DISCARD_CLOCKS;
                    read_stale <= (read_stale || overtaken) && !fetched;
                    if (fetched && !read_stale && !overtaken)
                        read <= READ_READY;
                end
                default: begin
                    age <= age - 16'd1;
                    if (read_taken || overtaken || age == 16'd0)
                        read <= READ_NONE;
                end
            endcase
        end

    wire       probe_busy         = (port != PORT_IDLE) || write_waiting || (read != READ_NONE);
    wire [1:0] probe_state_port   = port;
    wire [1:0] probe_state_read   = read;
    wire       probe_stall_window = (port != PORT_IDLE) && !win_ack;
endmodule
`default_nettype wire
