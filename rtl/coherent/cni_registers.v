// The window of registers of the coherent node (cni.md) behind both processor ports: registers of registers.map, those
// of part A, send buffers, receive memory.
//
// One access at a time, the ports in turn. An offset without a register, a store to a read-only one and a store of
// other than 32 bits end with reg_error.
//
//     clock        0      1      2      3
//     reg_valid  __/---------------------\__
//     state        IDLE   GO     READ   DONE             a load; of part A two clocks of READ
//     reg_done   ___________________/----\__             a store: in GO
`default_nettype none
`include "coherent_registers.vh"
module cni_registers #(
    // as in coherent_node.v
    parameter CACHE_KB = 16,
    parameter WAYS = 2,
    parameter SOURCES = 16,
    parameter LANES = 8
) (
    input  wire         clk,
    input  wire         rst,

    // processor ports (coherent_plb): port p has the bits from p x width on
    input  wire [1:0]   reg_valid,         // until reg_done
    input  wire [1:0]   reg_write,
    input  wire [35:0]  reg_address,       // [19:2]
    input  wire [63:0]  reg_wdata,
    input  wire [7:0]   reg_be,
    output wire [1:0]   reg_done,
    output wire [31:0]  reg_rdata,         // with it, for both
    output wire         reg_error,
    input  wire [1:0]   plb_error,         // one clock: an access has been answered with an error
    input  wire [63:0]  plb_error_address,

    // part A: 64-bit words, reads answered two clocks later
    output wire         sync_wr_valid,
    output wire [12:3]  sync_addr,
    output wire [63:0]  sync_wr_data,
    output wire [7:0]   sync_wr_be,
    input  wire [63:0]  sync_rd_data,

    // stores to send buffers
    output wire [1:0]   st_valid,
    output wire [5:0]   st_word,
    output wire         st_high,
    output wire [31:0]  st_data,
    input  wire         st_hold,           // a store to a send buffer waits: the bus to it is in use

    // receive memory, read a clock later
    output wire [8:0]   uncached_word,
    input  wire [63:0]  uncached_data,

    // set-up, views and events by registers.map
    output wire [`CNI_SETTING_BITS-1:0] settings,
    input  wire [`CNI_VIEW_BITS-1:0]    views,
    input  wire [`CNI_EVENT_COUNT-1:0]  events,
    input  wire [13:0]  counted,           // events of the counters at 0x200, 0x208, ..
    input  wire         direct_held,       // DIRECT may not change now
    output wire         direct_refused,    // one clock
    output reg          soft_reset,        // until soft_reset_done
    input  wire         soft_reset_done,
    output reg  [1:0]   release_queue,     // one clock
    output wire [5:0]   payload_limit,     // 1..62
    output wire [1:0]   irq                // level, to each processor
);
    localparam [1:0] IDLE = 2'd0, GO = 2'd1, READ = 2'd2, DONE = 2'd3;

`include "coherent_register_access.vh"
`include "sync_register_access.vh"

    // ---- the access
    reg  [1:0]  fsm;
    reg         setting;           // copies get their reset values
    reg         port;
    reg         second_read;
    reg         write;
    reg  [19:2] address;
    reg  [31:0] wdata;
    reg  [3:0]  be;
    reg  [31:0] rdata;
    wire        next_port = reg_valid[1] && (!reg_valid[0] || !port);

    wire        in_window  = (address[19:15] == 5'd0);
    wire        of_chip    = in_window && (address[14:10] == 5'd0);
    wire        of_part_a  = in_window && (address[14:13] == 2'd0) && !of_chip;
    wire        of_buffer  = in_window && (address[14:10] == 5'b01000);            // 0x2000..0x23FF
    wire        of_memory  = in_window && (address[14:12] == 3'b100);              // 0x4000..0x4FFF
    wire [1:0]  access     = of_chip ? cni_access({address[14:2], 2'b00}) : of_part_a
                             ? sync_access({address[14:2], 2'b00}) : of_buffer ? 2'b11 : {1'b0, of_memory};
    wire        bad        = write ? !access[1] || be != 4'hF : !access[0];
    wire        waits      = of_buffer && write && !bad && st_hold;
    wire        go         = (fsm == GO) && write && !bad && !waits;

    assign reg_done  = {port, !port} & {2{(fsm == DONE) || (fsm == GO && (write || bad) && !waits)}};
    assign reg_error = (fsm == GO) && bad;
    assign reg_rdata = rdata;

    always @(posedge clk)
        if (rst) fsm <= IDLE;
        else
            case (fsm)
                IDLE:    if ((|reg_valid) && !setting) fsm <= GO;
                GO:      if (!waits) fsm <= (write || bad) ? IDLE : READ;
                READ:    if (second_read || !of_part_a) fsm <= DONE;
                default: fsm <= IDLE;
            endcase

    always @(posedge clk) begin
        second_read <= (fsm == READ);
        if (fsm == IDLE) begin
            port    <= next_port;
            write   <= next_port ? reg_write[1] : reg_write[0];
            address <= next_port ? reg_address[35:18] : reg_address[17:0];
            wdata   <= next_port ? reg_wdata[63:32] : reg_wdata[31:0];
            be      <= next_port ? reg_be[7:4] : reg_be[3:0];
        end
        if (fsm == READ)
            rdata <= of_chip   ? (address[2] ? high : low)
                   : of_part_a ? (address[2] ? sync_rd_data[63:32] : sync_rd_data[31:0])
                   : of_memory ? (address[2] ? uncached_data[31:0] : uncached_data[63:32]) : 32'd0;
    end

    assign sync_wr_valid = go && of_part_a;
    assign sync_addr     = address[12:3];
    assign sync_wr_data  = {2{wdata}};
    assign sync_wr_be    = {{4{address[2]}}, {4{!address[2]}}};
    assign st_valid      = {address[9], !address[9]} & {2{go && of_buffer}};
    assign st_word       = address[8:3];
    assign st_high       = !address[2];
    assign st_data       = wdata;
    assign uncached_word = address[11:3];

    // ---- registers of the map: the block takes writes of 64-bit words, here of one half; the other is nowhere
    localparam [14:0] NOWHERE = 15'h7FF8;
    wire        w_valid  = go && of_chip;
    wire [14:0] r_low    = {5'd0, address[9:3], 3'b000};
    wire [14:0] r_high   = {5'd0, address[9:3], 3'b100};
    wire [14:0] w_low    = address[2] ? NOWHERE : r_low;
    wire [14:0] w_high   = address[2] ? r_high : NOWHERE;
    wire        at_control = w_valid && (w_low == `CNI_CONTROL);
    wire [31:0] w_word   = wdata ^ ({31'd0, direct_refused} << `CNI_CONTROL_DIRECT_BIT);
    wire [63:0] w_data   = {2{w_word}};
    wire [63:0] w_mask   = {64{1'b1}};
    wire [63:0] w_set    = w_data;

    assign direct_refused = at_control && direct_held
                            && (wdata[`CNI_CONTROL_DIRECT_BIT] != settings[`CNI_SETTING_CONTROL_DIRECT]);

    localparam [31:0] BUILD = (1 << `CNI_BUILD_SYNC_BIT) | (LANES << `CNI_BUILD_DESTINATIONS_LSB)
                              | (SOURCES << `CNI_BUILD_SOURCES_LSB) | (5 << `CNI_BUILD_LOG2_LINE_LSB)
                              | (WAYS << `CNI_BUILD_WAYS_LSB) | (CACHE_KB << `CNI_BUILD_CACHE_KB_LSB);

    reg  [31:0] plb0_address, plb1_address;

    always @(posedge clk)
        if (rst) begin
            plb0_address <= 32'd0;
            plb1_address <= 32'd0;
        end else begin
            if (plb_error[0]) plb0_address <= plb_error_address[31:0];
            if (plb_error[1]) plb1_address <= plb_error_address[63:32];
        end

    // ---- what registers with storage read: a copy in a block RAM, set to their reset values in the 256 clocks after
    // reset. Bits that no field has read as they were written.
    reg  [31:0] copies [0:255];
    reg  [31:0] copy_read;
    reg  [7:0]  set_word;
    wire [14:0] set_offset = {5'd0, set_word, 2'b00};
    wire [31:0] set_value  = (set_offset == `CNI_TX_CAPACITY) ? `CNI_TX_CAPACITY_RESET
                             : (set_offset == `CNI_PAYLOAD_LIMIT) ? `CNI_PAYLOAD_LIMIT_RESET : 32'd0;
    wire [7:0]  copy_at    = setting ? set_word : address[9:2];

    always @(posedge clk)
        if (rst) begin
            setting  <= 1'b1;
            set_word <= 8'd0;
        end else begin
            set_word <= set_word + {7'd0, setting};
            if (&set_word) setting <= 1'b0;
        end

    always @(posedge clk) begin
        if (setting || w_valid)
            copies[copy_at] <= setting ? set_value : w_word & ~({31'd0, at_control} << `CNI_CONTROL_SOFT_RESET_BIT);
        copy_read <= copies[copy_at];
    end

    wire [31:0] total;

    cni_counts counts (
        .clk (clk), .rst (rst), .events (counted), .read_valid (fsm == GO), .read_place (address[6:3]), .total (total)
    );

`include "coherent_register_block.vh"

    always @(posedge clk)
        if (rst) begin
            soft_reset    <= 1'b0;
            release_queue <= 2'd0;
        end else begin
            soft_reset    <= (at_control && wdata[`CNI_CONTROL_SOFT_RESET_BIT]) || (soft_reset && !soft_reset_done);
            release_queue <= wdata[1:0] & {2{w_valid && w_low == `CNI_RELEASE}};
        end

    wire [5:0] limit = settings[`CNI_SETTING_PAYLOAD_LIMIT_WORDS];

    assign payload_limit = (limit == 6'd0 || limit == 6'd63) ? 6'd62 : limit;
    assign irq           = {|(stored_status[14:0] & settings[`CNI_SETTING_IRQ1_ENABLE_STATUS]),
                            |(stored_status[14:0] & settings[`CNI_SETTING_IRQ0_ENABLE_STATUS])};

    // ---- measuring
    wire probe_busy  = (fsm != IDLE) || (|reg_valid);
    wire probe_start = (fsm == GO);
    wire probe_done  = |reg_done;
endmodule
`default_nettype wire
