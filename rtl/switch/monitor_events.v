// 16 event counters of one port, 32 bits each, in one small memory. Each event adds to a short count of its own; in 16
// clocks these are added to the memory one by one, so a count is up to 16 clocks late and none is lost. Wraps around.
// `turn` is the counter being updated; all ports of a clock have the same.
//
// The memory cannot be cleared: counters in `fresh` count as 0.
`default_nettype none
module monitor_events (
    input  wire        clk,
    input  wire        rst,
    input  wire        clear,        // everything counts as 0 from the next clock on
    input  wire [3:0]  turn,         // counts up, see above
    input  wire [15:0] events,       // one clock each
    input  wire [3:0]  rd_index,
    output wire [31:0] rd_data
);
    reg  [31:0] memory [0:15];
    reg  [15:0] fresh;
    reg  [79:0] pending;
    wire [4:0]  more = pending[5*turn +: 5];
    integer e;

    always @(posedge clk)
        if (rst || clear)
            pending <= 80'd0;
        else begin
            if (|events)
                for (e = 0; e < 16; e = e + 1)
                    if (events[e]) pending[5*e +: 5] <= pending[5*e +: 5] + 5'd1;
            pending[5*turn +: 5] <= {4'd0, events[turn]};
        end

    always @(posedge clk)
        memory[turn] <= (fresh[turn] ? 32'd0 : memory[turn]) + {27'd0, more};

    always @(posedge clk)
        if (rst || clear) fresh <= 16'hFFFF;
        else              fresh[turn] <= 1'b0;

    assign rd_data = fresh[rd_index] ? 32'd0 : memory[rd_index];

    // ---- measuring
    wire probe_busy = |events;
endmodule
`default_nettype wire
