// Configuration space: S1 3.1.2 with the corrections of design.md, 64 bytes of header, the interrupt register and the
// PCI-X capability.
//
//   00 Device / Vendor ID      10 BAR0 (window)       40 application interrupt    4c PCI-X status
//   04 Status / Command        14 BAR1 (registers)    48 PCI-X command / capability
//   08 class, revision         34 capability pointer
//   0c timer, cache line       3c interrupt pin, line          everything else reads zero, writes to it are ignored
//
// Reads: `index` in one cycle, `read_data` in the next. Writes: one cycle, active-high byte enables. Every write also
// captures the device number (address phase) and bus number (attribute phase): they are our Requester ID. Interrupt
// flag: set by an arrival, cleared by any write to the byte of the enable bit; an arrival in the same clock wins.
// Status bits are set by one-clock events and cleared by writing 1; an event in the clock of the clearing write wins.
`default_nettype none
module pcix_config #(
    // log2 of the bytes in BAR0, 7..31
    parameter BAR0_BITS = 27,
    // log2 of the bytes in BAR1, 7..31
    parameter BAR1_BITS = 15,
    // outstanding split reads the device is built for, 1..4
    parameter SPLITS = 1
) (
    input  wire        clk,
    input  wire        rst,

    // ---- access
    input  wire [7:2]  index,                  // read_data shows it in the next clock
    output reg  [31:0] read_data,
    input  wire        write_valid,
    input  wire [31:0] write_data,
    input  wire [3:0]  write_be,
    input  wire [4:0]  write_device,           // AD[15:11] of the address phase
    input  wire [7:0]  write_bus,              // AD[7:0] of the attribute phase

    // ---- settings
    output wire [31:BAR0_BITS] bar0,
    output wire [31:BAR1_BITS] bar1,
    output wire        memory_enable,
    output wire        bus_master,
    output wire        parity_response,
    output wire        serr_enable,
    output wire        parity_recovery,
    output wire [7:0]  latency_timer,
    output reg  [7:0]  bus_number,
    output reg  [4:0]  device_number,
    output wire [9:0]  max_read_words,         // 64, 128, 256, 512
    output reg  [2:0]  max_splits,             // 1..4, never above SPLITS

    // ---- events, one clock each
    input  wire        ev_master_data_parity,
    input  wire        ev_signaled_target_abort,
    input  wire        ev_received_target_abort,
    input  wire        ev_received_master_abort,
    input  wire        ev_signaled_serr,
    input  wire        ev_detected_parity,
    input  wire        ev_unexpected_completion,
    input  wire        ev_completion_error,

    // ---- interrupt
    input  wire        irq_event,              // one clock: an interrupt is due
    input  wire [6:0]  queue0_head,
    input  wire [6:0]  queue0_tail,
    output wire        irq_active,             // level: INTA# is low
    output wire        ev_irq_assert           // one clock: irq_active rises
);
    localparam [15:0] VENDOR_ID   = 16'h1600;
    localparam [15:0] DEVICE_ID   = 16'h17df;
    localparam [31:0] CLASS       = 32'h02000017;
    localparam [7:0]  CAPABILITY  = 8'h48;
    // designed maximum of outstanding splits (coding as Command [6:4]) and of their bytes: 4 KB with one, else 16 KB
    localparam [2:0]  SPLITS_CODE = (SPLITS == 1) ? 3'd0 : (SPLITS == 2) ? 3'd1 : (SPLITS == 3) ? 3'd2 : 3'd3;
    localparam [2:0]  MOST_SPLITS = SPLITS_CODE + 3'd1;
    localparam [2:0]  CUMULATIVE  = (SPLITS == 1) ? 3'd2 : 3'd4;

    initial
        if (BAR0_BITS < 7 || BAR0_BITS > 31 || BAR1_BITS < 7 || BAR1_BITS > 31 || SPLITS < 1 || SPLITS > 4) begin
            $display("%m: BAR bits must be 7..31 and SPLITS 1..4");
            $finish;
        end

    // ---- registers
    reg [31:BAR0_BITS] bar0_base;
    reg [31:BAR1_BITS] bar1_base;
    reg        command_memory;
    reg        command_master;
    reg        command_parity;
    reg        command_serr;
    reg [5:0]  status;                         // bits 15:11 and 8 of the register
    reg [7:3]  timer;
    reg [7:0]  cache_line;
    reg [7:0]  interrupt_line;
    reg        interrupt_enable;
    reg        interrupt_flag;
    reg [6:0]  pcix_command;
    reg        unexpected;
    reg        completion_error;
    reg        irq_before;

    assign bar0            = bar0_base;
    assign bar1            = bar1_base;
    assign memory_enable   = command_memory;
    assign bus_master      = command_master;
    assign parity_response = command_parity;
    assign serr_enable     = command_serr;
    assign parity_recovery = pcix_command[0];
    assign latency_timer   = {timer, 3'b000};
    assign max_read_words  = 10'd64 << pcix_command[3:2];
    assign irq_active      = interrupt_enable && interrupt_flag;
    assign ev_irq_assert   = irq_active && !irq_before;

    // codes 4 and above allow more than any design here has
    wire [3:0] allowed_splits = {1'b0, pcix_command[6:4]} + 4'd1;

    always @*
        max_splits = (allowed_splits < {1'b0, MOST_SPLITS}) ? allowed_splits[2:0] : MOST_SPLITS;

    // ---- write
    wire write_command = write_valid && (index == 6'h01);
    wire write_timer   = write_valid && (index == 6'h03);
    wire write_bar0    = write_valid && (index == 6'h04);
    wire write_bar1    = write_valid && (index == 6'h05);
    wire write_line    = write_valid && (index == 6'h0f) && write_be[0];
    wire write_irq     = write_valid && (index == 6'h10) && write_be[0];
    wire write_pcix    = write_valid && (index == 6'h12) && write_be[2];
    wire write_pstatus = write_valid && (index == 6'h13);

    // a new value of a BAR, byte by byte; the bits below the size do not exist
    wire [31:0] byte_mask    = {{8{write_be[3]}}, {8{write_be[2]}}, {8{write_be[1]}}, {8{write_be[0]}}};
    wire [31:0] bar0_written = ({bar0_base, {BAR0_BITS{1'b0}}} & ~byte_mask) | (write_data & byte_mask);
    wire [31:0] bar1_written = ({bar1_base, {BAR1_BITS{1'b0}}} & ~byte_mask) | (write_data & byte_mask);

    wire [5:0] status_set   = {ev_detected_parity, ev_signaled_serr, ev_received_master_abort, ev_received_target_abort,
                               ev_signaled_target_abort, ev_master_data_parity};
    wire [5:0] status_clear = {write_data[31:27], write_data[24]} & {6{write_command && write_be[3]}};

    always @(posedge clk)
        if (rst) begin
            bar0_base        <= {32-BAR0_BITS{1'b0}};
            bar1_base        <= {32-BAR1_BITS{1'b0}};
            command_memory   <= 1'b0;
            command_master   <= 1'b0;
            command_parity   <= 1'b0;
            command_serr     <= 1'b0;
            timer            <= 5'h08;
            cache_line       <= 8'h00;
            interrupt_line   <= 8'h00;
            pcix_command     <= {SPLITS_CODE, 4'b0010};
            bus_number       <= 8'hff;
            device_number    <= 5'h1f;
        end else begin
            if (write_command && write_be[0]) begin
                command_memory <= write_data[1];
                command_master <= write_data[2];
                command_parity <= write_data[6];
            end
            if (write_command && write_be[1]) command_serr   <= write_data[8];
            if (write_timer && write_be[0])   cache_line     <= write_data[7:0];
            if (write_timer && write_be[1])   timer          <= write_data[15:11];
            if (write_bar0)                   bar0_base      <= bar0_written[31:BAR0_BITS];
            if (write_bar1)                   bar1_base      <= bar1_written[31:BAR1_BITS];
            if (write_line)                   interrupt_line <= write_data[7:0];
            if (write_pcix)                   pcix_command   <= write_data[22:16];
            if (write_valid) begin
                bus_number    <= write_bus;
                device_number <= write_device;
            end
        end

    always @(posedge clk)
        if (rst) begin
            status           <= 6'h0;
            unexpected       <= 1'b0;
            completion_error <= 1'b0;
        end else begin
            status           <= (status & ~status_clear) | status_set;
            unexpected       <= ev_unexpected_completion
                                || (unexpected && !(write_pstatus && write_be[2] && write_data[19]));
            completion_error <= ev_completion_error
                                || (completion_error && !(write_pstatus && write_be[3] && write_data[29]));
        end

    always @(posedge clk)
        if (rst) begin
            interrupt_enable <= 1'b0;
            interrupt_flag   <= 1'b0;
            irq_before       <= 1'b0;
        end else begin
            if (write_irq) interrupt_enable <= write_data[0];
            interrupt_flag <= irq_event || (interrupt_flag && !write_irq);
            irq_before     <= irq_active;
        end

    // ---- read
    always @(posedge clk)
        if (rst)
            read_data <= 32'h0;
        else
            case (index)
                6'h00:   read_data <= {DEVICE_ID, VENDOR_ID};
                // capability list, 66 MHz; DEVSEL# timing "slow" describes conventional mode only
                6'h01:   read_data <= {status[5:1], 2'b10, status[0], 8'b0011_0000, 7'b0, command_serr, 1'b0,
                                       command_parity, 3'b0, command_master, command_memory, 1'b0};
                6'h02:   read_data <= CLASS;
                6'h03:   read_data <= {16'h0000, timer, 3'b000, cache_line};
                6'h04:   read_data <= {bar0_base, {BAR0_BITS{1'b0}}};
                6'h05:   read_data <= {bar1_base, {BAR1_BITS{1'b0}}};
                6'h0d:   read_data <= {24'h0, CAPABILITY};
                6'h0f:   read_data <= {16'h0000, 8'h01, interrupt_line};
                6'h10:   read_data <= {1'b0, queue0_head, 1'b0, queue0_tail, 8'h00, 3'b000, interrupt_flag, 3'b000,
                                       interrupt_enable};
                6'h12:   read_data <= {9'h0, pcix_command, 8'h00, 8'h07};
                // 4096-byte reads, 133 MHz, 64 bit, function 0
                6'h13:   read_data <= {2'b00, completion_error, CUMULATIVE, SPLITS_CODE, 2'b11, 1'b0, unexpected, 1'b0,
                                       1'b1, 1'b1, bus_number, device_number, 3'b000};
                default: read_data <= 32'h0;
            endcase

    wire probe_busy = write_valid;
    wire unused_bits  = |{bar0_written[BAR0_BITS-1:0], bar1_written[BAR1_BITS-1:0]};
endmodule
`default_nettype wire
