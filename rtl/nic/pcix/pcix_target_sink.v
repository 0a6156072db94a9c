// Routes the data of a transaction addressed to us: registers, window, configuration space or the outstanding reads.
//
// The target announces a data phase two cycles ahead (`receive`); when it is in in_* this module knows its address and
// valid byte lanes, and passes it on.
//   byte lanes: first data phase from the start address, last one up to the last byte; Memory Write has its own enables
//   besides. 32-bit transfers: the dword goes to the half of the 64-bit word that address bit 2 selects.
//   Split Completions: expected data are passed on, others are dropped and reported once per transaction. With BCM the
//   byte count is that of this transaction only: only its end is used. A message for an outstanding read ends it with
//   an error whatever its class, because the completer will not send more; a "normal completion of a write" is reported
//   as unexpected as well, since this device issues no split writes.
`default_nettype none
module pcix_target_sink #(
    // log2 of the bytes in BAR1
    parameter BAR1_BITS = 15
) (
    input  wire        clk,
    input  wire        rst,

    input  wire [63:0] in_ad,
    input  wire [7:0]  in_cbe_n,

    // ---- from the target
    input  wire [31:0] address,
    input  wire [3:0]  command,
    input  wire        wide,
    input  wire [31:0] attribute,
    input  wire [3:0]  attribute_cbe_n,
    input  wire [12:0] last_byte,
    input  wire        is_config,
    input  wire        is_bar0,
    input  wire        is_bar1,
    input  wire        is_completion,
    input  wire        receive_first,            // a transaction starts
    input  wire        receive,                  // data are in in_* two clocks from now

    // ---- data phase in in_* this cycle (for the parity check)
    output wire        data_low,
    output wire        data_high,

    // ---- registers (BAR1)
    output reg                  reg_wr_valid,
    output reg  [BAR1_BITS-1:3] reg_wr_addr,
    output reg  [63:0]          reg_wr_data,
    output reg  [7:0]           reg_wr_be,

    // ---- window (BAR0)
    output reg                  window_write_valid,
    output reg  [63:0]          window_write_data,
    output reg  [7:0]           window_write_be,

    // ---- configuration space
    output wire        config_write,
    output wire [31:0] config_data,
    output wire [3:0]  config_be,

    // ---- outstanding reads
    input  wire        look_known,
    input  wire        look_match,
    output wire [12:0] look_count,
    output wire        completion_data,
    output wire        completion_error,         // one clock: a message for look_tag
    output wire        ev_error_message,
    output wire        ev_message_parity,        // the message reports a parity error in data we wrote
    output wire        ev_unexpected
);
    localparam [3:0] MEMORY_WRITE = 4'h7;

    reg        coming;
    reg        now;
    reg        first;
    reg [12:2] at;                               // dword address of the data phase

    always @(posedge clk)
        if (rst) begin
            coming <= 1'b0;
            now    <= 1'b0;
            first  <= 1'b0;
        end else begin
            coming <= receive;
            now    <= coming;
            if (receive_first)
                first <= 1'b1;
            else if (now)
                first <= 1'b0;
        end

    reg  [BAR1_BITS-1:2] next_at;
    wire [BAR1_BITS-1:2] here = first ? address[BAR1_BITS-1:2] : next_at;

    always @* begin
        at = here[12:2];
    end

    always @(posedge clk)
        if (now)
            next_at <= {here[BAR1_BITS-1:3], here[2] && !wide} + {{BAR1_BITS-4{1'b0}}, wide, !wide};

    assign data_low  = now;
    assign data_high = now && wide;

    // ---- byte lanes, active high
    wire last = wide ? (at[12:3] == last_byte[12:3]) : (at[12:2] == last_byte[12:2]);
    wire [2:0] from_lane = wide ? address[2:0] : {1'b0, address[1:0]};
    wire [2:0] to_lane   = wide ? last_byte[2:0] : {1'b0, last_byte[1:0]};
    wire [7:0] from_mask = first ? (8'hff << from_lane) : 8'hff;
    wire [7:0] to_mask   = last ? (8'hff >> (3'd7 - to_lane)) : 8'hff;
    wire [7:0] enables   = (command == MEMORY_WRITE) ? ~in_cbe_n : 8'hff;
    wire [7:0] bus_lanes = from_mask & to_mask & enables;
    wire [7:0] lanes     = wide ? bus_lanes : at[2] ? {bus_lanes[3:0], 4'h0} : {4'h0, bus_lanes[3:0]};
    wire [63:0] word     = wide ? in_ad : {in_ad[31:0], in_ad[31:0]};

    always @(posedge clk)
        if (rst) begin
            reg_wr_valid       <= 1'b0;
            window_write_valid <= 1'b0;
        end else begin
            reg_wr_valid       <= now && is_bar1;
            window_write_valid <= now && is_bar0;
        end

    always @(posedge clk) begin
        reg_wr_addr       <= here[BAR1_BITS-1:3];
        reg_wr_data       <= word;
        reg_wr_be         <= lanes;
        window_write_data <= word;
        window_write_be   <= lanes;
    end

    // ---- configuration space: enables are valid with the attributes
    assign config_write = now && is_config;
    assign config_data  = in_ad[31:0];
    assign config_be    = ~attribute_cbe_n;

    // ---- Split Completions
    reg  expected;                               // decided at the first data phase: the table advances with every word
    wire message   = attribute[30] || attribute[29];
    wire completes = now && is_completion;

    always @(posedge clk)
        if (now && first)
            expected <= look_match && !message;

    assign look_count       = {{attribute_cbe_n, attribute[7:0]} == 12'd0, attribute_cbe_n, attribute[7:0]};
    assign completion_data  = completes && (first ? look_match && !message : expected);
    assign completion_error = completes && first && message && look_known;
    assign ev_error_message = completion_error && attribute[30];
    // class 1 index 02: beyond a bridge; class 2 index 01: at the completer
    assign ev_message_parity = ev_error_message && (in_ad[31:20] == 12'h102 || in_ad[31:20] == 12'h201);
    assign ev_unexpected    = completes && first && (message ? !(look_known && attribute[30]) : !look_match);

    wire probe_busy = now;
    wire unused_bits  = ^{attribute, address};
endmodule
`default_nettype wire
