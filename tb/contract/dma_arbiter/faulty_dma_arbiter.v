// The arbiter that lets reads go first, with faults that a test switches on one at a time: what the contract suite must catch.
`default_nettype none
module faulty_dma_arbiter #(
    parameter READS_IN_ROW = 2
) (
    input  wire       clk,
    input  wire       rst,
    input  wire       arb_read,
    input  wire       arb_write,
    input  wire       arb_started,
    input  wire       arb_started_write,
    output wire       arb_pick_write,
    input  wire [6:0] fault        // fault_when.v; 0: none
);
    localparam [4:0] ONLY_READS     = 5'd1;
    localparam [4:0] ONLY_WRITES    = 5'd2;
    localparam [4:0] TOGGLES        = 5'd3;     // the choice alternates from clock to clock
    localparam [4:0] SEES_STARTED   = 5'd4;     // the choice follows `arb_started` in the same clock
    localparam [4:0] SEES_WHICH     = 5'd5;     // ... `arb_started_write`
    localparam [4:0] ALWAYS_LISTENS = 5'd6;     // takes `arb_started_write` for a write when `arb_started` is low
    localparam [4:0] IGNORES_RESET  = 5'd7;
    localparam [4:0] PATIENT        = 5'd8;     // 40 reads go before a write
    localparam [4:0] PAYS_BACK      = 5'd9;     // as many writes in a row as there were reads, and the other way round
    localparam [4:0] FORGETS_READS  = 5'd10;    // restarts counting when no read stands for a clock
    localparam [4:0] FORGETS_WRITES = 5'd11;    // ... no write
    localparam [4:0] STOPS          = 5'd12;    // chooses reads only after 100 starts
    localparam [4:0] HELD_IN_VAIN   = 5'd13;    // restarts counting when a read starts past the write it has chosen
    localparam [4:0] DECIDES_EARLY  = 5'd14;    // alternates in steps of 4 clocks
    localparam [4:0] HALF_RESET     = 5'd15;    // what has been counted outlives reset, unless it is low

    localparam [5:0] MOST = READS_IN_ROW[5:0];

    wire [4:0] now;
    fault_when faults (.clk (clk), .rst (rst), .turn (arb_started), .fault (fault), .now (now));

    reg  [5:0] reads_in_row;
    reg  [7:0] debt;             // reads more than writes, 128 is none
    reg  [6:0] starts;
    reg  [2:0] clocks;
    reg        chosen_before;    // the write was chosen in the last clock
    wire [5:0] most = (now == PATIENT) ? 6'd40 : MOST;
    wire       due  = (reads_in_row >= most);
    wire       pick = (now == ONLY_READS || (now == STOPS && starts == 7'd100)) ? 1'b0
                      : (now == ONLY_WRITES) ? 1'b1
                      : (now == TOGGLES) ? clocks[0]
                      : (now == DECIDES_EARLY) ? clocks[2]
                      : (now == PAYS_BACK) ? debt > 8'd128
                      : (now == SEES_STARTED && arb_started) || (now == SEES_WHICH && arb_started_write) ? !due
                      : due;

    assign arb_pick_write = arb_write && (!arb_read || pick);

    always @(posedge clk) begin
        clocks        <= (rst && now != TOGGLES && now != DECIDES_EARLY) ? 3'd0 : clocks + 3'd1;
        chosen_before <= arb_pick_write;
        if (rst && now != IGNORES_RESET) begin
            debt   <= 8'd128;
            starts <= 7'd0;
            if (now != HALF_RESET || reads_in_row < most) reads_in_row <= 6'd0;
        end else begin
            if (arb_started && starts != 7'd100)                        starts <= starts + 7'd1;
            if (arb_started && !arb_started_write && debt != 8'd255)    debt <= debt + 8'd1;
            if (arb_started && arb_started_write && debt != 8'd0)       debt <= debt - 8'd1;
            if ((arb_started || now == ALWAYS_LISTENS) && arb_started_write) reads_in_row <= 6'd0;
            else if (arb_started)                                       reads_in_row <= due ? most : reads_in_row + 6'd1;
            if (now == FORGETS_READS && !arb_read)                    reads_in_row <= 6'd0;
            if (now == FORGETS_WRITES && !arb_write)                  reads_in_row <= 6'd0;
            if (now == HELD_IN_VAIN && arb_started && !arb_started_write && chosen_before) reads_in_row <= 6'd0;
        end
    end
endmodule
`default_nettype wire
