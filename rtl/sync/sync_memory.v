// State of queues, counters and words in one block RAM of 1024 words of 64 bits. Its word w is at BAR1 + 8 w:
//
//     0x0000   answers that wait: {old value; operand, status} x 4 places x 16 nodes    not seen by the host
//     0x0400   queues: base; set-up and sources; head and tail; unused
//     0x0600   counters
//     0x0800   bases; 0x0840 counts; 0x0A00 operations that wait for an answer; 0x0C28 result of the host's command
//     0x1000   sync memory
//     0x1800   of each source and queue: counts, closed
//
// One port is shared by the host's writes, the records of asked operations, the clearing and the executor; in this
// order, the latter is stalled. What the executor has read may have been overwritten when it stalls at its write; so
// where the host may write (words) it reads again. The other port is for the host's reads.
//
// All words are 0 from 1024 clocks after `rst` on, and the records of asked operations 64 clocks after `forget` has
// risen: `clearing`.
`default_nettype none
module sync_memory (
    input  wire        clk,
    input  wire        rst,
    input  wire        forget,          // level: clear the records of asked operations
    output wire        clearing,
    output reg         cleared,         // level: all has been cleared since rst

    // the host
    input  wire [1:0]  host_write,      // halves that are written
    input  wire [9:0]  host_at,
    input  wire [63:0] host_data,
    input  wire [9:0]  look_at,
    output reg  [63:0] look_data,       // of the clock before

    // a record of an asked operation, high half 0
    input  wire        record_valid,    // until record_taken
    input  wire [5:0]  record_slot,
    input  wire [31:0] record_data,
    output wire        record_taken,

    // the executor
    input  wire        read,            // data in the next clock, and then until the next read
    input  wire [1:0]  write,           // halves that are written; not with read
    input  wire [9:0]  at,
    input  wire [63:0] data,
    output wire [63:0] read_data,
    output wire        stalled          // neither is done in this clock
);
    localparam [9:0] ASKED = 10'h140;

    wire       hosts = (host_write != 2'd0);
    reg  [9:0] sweep;
    reg        sweeping;
    reg        forgetting;               // ... only the records
    reg        forgotten;                // since forget has risen

    assign clearing = sweeping || (forget && !forgotten);

    always @(posedge clk)
        if (rst) begin
            sweeping   <= 1'b1;
            sweep      <= 10'd0;
            cleared    <= 1'b0;
            forgetting <= 1'b0;
            forgotten  <= 1'b0;
        end else begin
            if (sweeping && !hosts) begin
                sweep <= sweep + 10'd1;
                if ((&sweep) || (forgetting && (&sweep[5:0]))) begin
                    sweeping <= 1'b0;
                    cleared  <= 1'b1;
                end
            end else if (forget && !forgotten) begin
                forgetting <= 1'b1;
                forgotten  <= 1'b1;
                sweeping   <= 1'b1;
                sweep      <= ASKED;
            end
            if (!forget) forgotten <= 1'b0;
        end

    // ---- one port
    wire        records   = record_valid && !hosts && !sweeping;
    wire        executes  = !hosts && !sweeping && !record_valid;
    wire [9:0]  port_at   = hosts ? host_at : sweeping ? sweep : record_valid ? {4'b0101, record_slot} : at;
    wire [1:0]  port_half = hosts ? host_write : {2{sweeping || record_valid}} | write;
    wire [63:0] port_data = hosts ? host_data : sweeping ? 64'd0 : record_valid ? {32'd0, record_data} : data;
    wire        port_read = read && executes;

    assign record_taken = records;
    assign stalled      = !executes;

    reg  [31:0] low  [0:1023];
    reg  [31:0] high [0:1023];
    reg  [31:0] low_read, high_read;

    assign read_data = {high_read, low_read};

    always @(posedge clk) begin
        if (port_half[0]) low[port_at]  <= port_data[31:0];
        if (port_half[1]) high[port_at] <= port_data[63:32];
        if (port_read)    low_read  <= low[port_at];
        if (port_read)    high_read <= high[port_at];
        look_data <= {high[look_at], low[look_at]};
    end

    // ---- measuring
    wire probe_busy        = sweeping;
    wire probe_stall_host  = (read || (|write)) && hosts;
endmodule
`default_nettype wire
