// The round robin output scheduler with faults that a test switches on one at a time: what the contract suite must catch.
`default_nettype none
module faulty_output_scheduler #(
    parameter INPUTS = 8
) (
    input  wire                      clk,
    input  wire                      rst,
    input  wire [INPUTS-1:0]         arrived,
    input  wire [INPUTS-1:0]         enable,
    input  wire [INPUTS*8-1:0]       weight,
    input  wire                      choose,
    output wire                      chosen,
    output wire [$clog2(INPUTS)-1:0] chosen_input,
    output wire [INPUTS-1:0]         chosen_onehot,
    input  wire                      taken,
    input  wire [9:0]                taken_units,
    output wire [INPUTS-1:0]         waiting,
    output wire                      overflow,
    input  wire [4:0]                fault     // 0: none
);
    localparam LOG2_INPUTS = $clog2(INPUTS);
    localparam [4:0] FORGETS_MEETING   = 5'd1;     // an arrival in the clock of a departure is not counted
    localparam [4:0] CHANGES_MIND      = 5'd2;
    localparam [4:0] IGNORES_ENABLE    = 5'd3;
    localparam [4:0] IGNORES_CHOOSE    = 5'd4;
    localparam [4:0] WRONG_ONEHOT      = 5'd5;
    localparam [4:0] FIXED_PRIORITY    = 5'd6;
    localparam [4:0] SLOW              = 5'd7;
    localparam [4:0] WRAPS_AT_64       = 5'd8;
    localparam [4:0] HIDES_OVERFLOW    = 5'd9;
    localparam [4:0] COMBINATIONAL     = 5'd10;
    localparam [4:0] SURVIVES_RESET    = 5'd11;
    localparam [4:0] ONE_ARRIVAL       = 5'd12;    // of several in one clock
    localparam [4:0] HIDES_DISABLED    = 5'd13;
    localparam [4:0] NO_GAP            = 5'd14;    // chosen stays high after taken if there is another packet
    localparam [4:0] KEEPS_COUNT       = 5'd15;    // a departure is not counted
    localparam [4:0] DROPS_DISABLED    = 5'd16;    // a choice falls when its input is disabled
    localparam [4:0] EARLY_OVERFLOW    = 5'd17;

    reg  [6:0] count [0:INPUTS-1];
    reg  [INPUTS-1:0] present, full, almost;
    reg  [INPUTS-1:0] counted;
    integer i;
    always @* begin
        counted = arrived;
        if (fault == ONE_ARRIVAL)
            counted = arrived & (~arrived + 1'b1);
        for (i = 0; i < INPUTS; i = i + 1) begin
            present[i] = (fault == WRAPS_AT_64) ? count[i][5:0] != 6'd0 : count[i] != 7'd0;
            full[i]    = (count[i] == 7'd127);
            almost[i]  = (count[i] >= 7'd100);
        end
    end

    reg                   chosen_r, overflow_r;
    reg [LOG2_INPUTS-1:0] input_r;
    reg [INPUTS-1:0]      onehot_r;
    reg [2:0]             wait_left;
    wire [INPUTS-1:0]     eligible = (present | counted) & (enable | {INPUTS{fault == IGNORES_ENABLE}});
    wire [INPUTS-1:0]     after    = eligible & ~((taken && fault == NO_GAP) ? onehot_r : {INPUTS{1'b0}});
    wire                  any;
    wire [INPUTS-1:0]     grant;
    wire [LOG2_INPUTS-1:0] index;
    localparam [31:0] LAST = INPUTS - 1;
    round_robin #(.N(INPUTS)) enforcer (
        .request (after), .last ((fault == FIXED_PRIORITY) ? LAST[LOG2_INPUTS-1:0] : input_r), .any (any), .grant (grant), .index (index)
    );
    wire [INPUTS-1:0] gone = (taken && fault != KEEPS_COUNT) ? onehot_r : {INPUTS{1'b0}};

    always @(posedge clk)
        if (rst) begin
            chosen_r   <= 1'b0;
            input_r    <= {LOG2_INPUTS{1'b0}};
            onehot_r   <= {INPUTS{1'b0}};
            overflow_r <= 1'b0;
            wait_left  <= 3'd4;
            if (fault != SURVIVES_RESET)
                for (i = 0; i < INPUTS; i = i + 1) count[i] <= 7'd0;
        end else begin
            overflow_r <= (|(counted & full & ~gone) && fault != HIDES_OVERFLOW) || (fault == EARLY_OVERFLOW && |(counted & almost));
            for (i = 0; i < INPUTS; i = i + 1)
                if (gone[i] && counted[i]) begin
                    if (fault == FORGETS_MEETING) count[i] <= count[i] - 7'd1;
                end else if (gone[i]) count[i] <= count[i] - 7'd1;
                else if (counted[i] && !full[i]) count[i] <= count[i] + 7'd1;
            if (chosen_r && fault != CHANGES_MIND) begin
                chosen_r  <= !taken;
                wait_left <= 3'd4;
                if (fault == DROPS_DISABLED && !(|(onehot_r & enable))) chosen_r <= 1'b0;
                if (fault == NO_GAP && taken && any) begin
                    chosen_r <= 1'b1;
                    input_r  <= index;
                    onehot_r <= grant;
                end
            end else if ((choose || fault == IGNORES_CHOOSE || chosen_r) && any) begin
                if (fault == SLOW && wait_left != 3'd0) wait_left <= wait_left - 3'd1;
                else begin
                    chosen_r <= !(chosen_r && taken);
                    input_r  <= index;
                    onehot_r <= grant;
                end
            end else if (taken) begin
                chosen_r <= 1'b0;
            end
        end

    assign chosen        = chosen_r || (fault == COMBINATIONAL && choose && any);
    assign chosen_input  = input_r;
    assign chosen_onehot = (fault == WRONG_ONEHOT) ? {onehot_r[INPUTS-2:0], onehot_r[INPUTS-1]} : onehot_r;
    assign waiting       = (fault == HIDES_DISABLED) ? present & enable : present;
    assign overflow      = overflow_r;
    wire unused = &{1'b0, weight, taken_units};
endmodule
`default_nettype wire
