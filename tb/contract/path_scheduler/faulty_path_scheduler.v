// The round robin path scheduler, with faults that a test switches on one at a time: what the suite must catch.
`default_nettype none
module faulty_path_scheduler #(
    parameter PATHS = 4,
    parameter LOG2_LANES = 3
) (
    input  wire                  clk,
    input  wire                  rst,
    input  wire [LOG2_LANES-1:0] lane,
    input  wire [PATHS-1:0]      eligible,
    input  wire [PATHS-1:0]      in_use,
    input  wire                  take,
    input  wire [9:0]            take_words,
    output wire                  any,
    output wire [PATHS-1:0]      grant,
    output wire [1:0]            index,
    input  wire [6:0]            fault     // fault_when.v; 0: none
);
    localparam [4:0] NOT_ELIGIBLE  = 5'd1;     // a path in use that is not eligible
    localparam [4:0] TWO           = 5'd2;     // two at once
    localparam [4:0] WRONG_INDEX   = 5'd3;
    localparam [4:0] NEVER_ANY     = 5'd4;     // none though one is eligible
    localparam [4:0] FOLLOWS_TAKE  = 5'd5;     // another one in the clock of take
    localparam [4:0] WANDERS       = 5'd6;     // another one from clock to clock
    localparam [4:0] LOWEST        = 5'd7;     // the others only when the lowest is not eligible
    localparam [4:0] IGNORES_RESET = 5'd8;
    localparam [4:0] PAYS_ALL_BACK = 5'd9;     // a path that had nothing for long gets as much as the others have had

    wire [4:0] now;
    fault_when faults (.clk (clk), .rst (rst), .turn (take), .fault (fault), .now (now));

    wire             real_any;
    wire [PATHS-1:0] real_grant;
    wire [1:0]       real_index;
    reg  [1:0]       clocks;
    reg  [15:0]      had [0:PATHS-1];          // words of each path, all lanes
    reg  [PATHS-1:0] least;
    integer          i, k;

    always @* begin
        least = eligible;
        for (i = 0; i < PATHS; i = i + 1)
            for (k = 0; k < PATHS; k = k + 1)
                if (eligible[k] && (had[k] < had[i] || (had[k] == had[i] && k < i))) least[i] = 1'b0;
    end

    always @(posedge clk) begin
        clocks <= clocks + 2'd1;
        for (i = 0; i < PATHS; i = i + 1)
            if (rst)                   had[i] <= 16'd0;
            else if (take && grant[i]) had[i] <= had[i] + {6'd0, take_words};
    end

    wire [PATHS-1:0] low     = eligible & (~eligible + {{PATHS-1{1'b0}}, 1'b1});
    wire [PATHS-1:0] but_low = (eligible & ~low) != {PATHS{1'b0}} ? eligible & ~low : eligible;
    wire             other   = (now == FOLLOWS_TAKE && take) || (now == WANDERS && clocks[0]);

    path_scheduler_rr #(.PATHS(PATHS), .LOG2_LANES(LOG2_LANES)) turns (
        .clk (clk), .rst (rst && now != IGNORES_RESET), .lane (lane),
        .eligible (now == LOWEST ? low : now == PAYS_ALL_BACK ? least : other ? but_low : eligible), .in_use (in_use),
        .take (take), .take_words (take_words), .any (real_any), .grant (real_grant), .index (real_index)
    );

    wire [PATHS-1:0] idle = in_use & ~eligible;

    assign any   = real_any && now != NEVER_ANY;
    assign grant = (now == NOT_ELIGIBLE && idle != {PATHS{1'b0}}) ? idle & (~idle + {{PATHS-1{1'b0}}, 1'b1})
                   : (now == TWO) ? eligible : real_grant;
    assign index = (now == WRONG_INDEX) ? real_index + 2'd1 : real_index;
endmodule
`default_nettype wire
