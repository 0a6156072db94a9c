// Sequence numbers of packets over several paths, and how far they may run ahead: a receiver distinguishes early and
// late by ten bits, so no packet leaves whose number is `cfg_ahead` or more ahead of the oldest one that is not known
// to have left its switch (or the buffer of the other NIC). One ten-bit number per destination (lane); per destination
// and path
//     open     some packet is not known to have left
//     base     no packet with a number up to this one is there
//     mark     a number, and T of it: the units handed to the link FIFO, that packet included (halves, see voq_credit)
//     last     the number handed last
// When a credit reaches T of the mark, base becomes its number, and the number handed last is the new mark.
//
// A packet may go by a path if no other path is too far behind. Its own does not count: a path keeps order. If one is
// too far behind, only the path that is farthest behind may go on, provided all its packets are known to have left but
// for those below the resolution of a credit (32 units, so up to five shortest packets): the new packet pushes them on.
// So no packet waits for ever, and the numbers run at most 6 per path past the bound.
//
// The lag of the paths of a lane is read one path per clock, and the resulting rule is kept, a word per lane:
//
//     clock    0      1      2      3      4      5      6
//     step   /~~~~~\__________________________________________
//     sweep                | path | path | path | path | next
//                          | 0    | 1    | 2    | 3    | lane
//     rule   -------- old ------------------------------| new      of that lane
//
// A lane whose number has stepped is swept next, the others in cyclic order. Packets are 4 clocks apart at least, and
// the next one of a lane may be checked in the clock behind a step: so its rule lacks two numbers at most, and the
// bound is applied two numbers earlier. (Numbers skipped without a packet may follow faster: then it lacks those as
// well.) When packets follow so fast that no other lane is swept, `hold` stops them until one has been.
//
// A path taken out of use is waited for like the others, until it is dead or idle: until a credit says that all its
// packets have left but for those below a credit's resolution (no packet pushes them on any more; credits are
// repeated). Else numbers would run past packets still in its switch. The state of a path is cleared while it is
// `dead`, one lane per clock: later its base would be meaningless. `clear` zeroes one lane per clock. Answers are
// combinational, of the next number of `look_lane`.
`default_nettype none
module voq_ahead #(
    // destinations, 2..16
    parameter LANES = 8,
    // paths, 2..4
    parameter PATHS = 4
) (
    input  wire                     clk,
    input  wire                     clear,
    input  wire [$clog2(LANES)-1:0] clear_lane,
    input  wire [9:0]               cfg_ahead,     // 8..448
    input  wire [PATHS-1:0]         dead,          // level: no packet of this path will leave

    // numbers
    input  wire [$clog2(LANES)-1:0] next_lane,
    output wire [9:0]               next_number,
    input  wire                     step,
    input  wire [$clog2(LANES)-1:0] step_lane,

    output wire                     hold,          // no packet may start

    // may the next packet of this lane go, and by which paths?
    input  wire [$clog2(LANES)-1:0] look_lane,
    input  wire [PATHS-1:0]         look_in_use,   // paths in use for it
    input  wire [PATHS-1:0]         look_idle,     // no packet is left that a credit could report
    output wire [PATHS-1:0]         look_open,

    // a packet has been handed to the link FIFO of a path
    input  wire                     sent_valid,
    input  wire [$clog2(LANES)-1:0] sent_lane,
    input  wire [1:0]               sent_path,
    input  wire [10:0]              sent_units,    // T of path and lane sent_lane with it, halves; its number steps now

    // a credit has arrived, never with `clear` or `sent_valid`
    input  wire                     credit_valid,
    input  wire [$clog2(LANES)-1:0] credit_lane,
    input  wire [1:0]               credit_path,
    input  wire [6:0]               credit_value,
    input  wire [10:0]              credit_units,  // T of that path's lane credit_lane, halves
    input  wire                     credit_in_use  // that path is in use for that lane
);
    localparam LOG2_LANES = $clog2(LANES);
    localparam PATH_BITS  = (PATHS > 2) ? 2 : 1;

    initial
        if (LANES < 2 || LANES > 16 || (LANES & (LANES - 1)) != 0 || PATHS < 2 || PATHS > 4) begin
            $display("%m: LANES must be 2, 4, 8 or 16, is %0d; PATHS 2..4, is %0d", LANES, PATHS);
            $finish;
        end

    // ---- numbers
    (* ram_style = "distributed" *) reg [9:0] numbers [0:LANES-1];
    wire [LOG2_LANES-1:0] number_lane = clear ? clear_lane : step_lane;
    wire [9:0]            number_old  = numbers[number_lane] & {10{!clear}};
    wire [LOG2_LANES-1:0] sweep_lane;     // lane whose paths are swept
    wire [9:0]            sweep_number = numbers[sweep_lane];

    assign next_number = numbers[next_lane];

    always @(posedge clk)
        if (clear || step)
            numbers[number_lane] <= number_old + {9'd0, !clear};

    // ---- a credit
    wire [10:0]           credit_out = credit_units - {credit_value, 4'd0};
    wire [10:0]           credit_mark;    // T of the mark of that path
    wire [10:0]           credit_since = credit_units - credit_mark;
    wire                  credit_reaches = (credit_out <= credit_since);
    wire                  credit_closes  = (credit_out == 11'd0) || (credit_since == 11'd0);
    wire                  credit_idle    = !credit_in_use && (credit_out < 11'd16);

    // ---- per path
    reg  [LOG2_LANES-1:0] turn;           // lane whose dead paths are cleared
    wire                  nothing = !clear && !sent_valid && !credit_valid;
    wire [LOG2_LANES-1:0] to = clear ? clear_lane : sent_valid ? sent_lane : credit_valid ? credit_lane : turn;
    wire [1:0]            at = sent_valid ? sent_path : credit_path;     // of this path
    wire [PATHS-1:0]      opens;          // a packet of it in lane `to` is not known to have left
    wire [3:0]            opens_wide = {{4-PATHS{1'b0}}, opens};
    wire                  opened  = opens_wide[at];
    wire                  first   = sent_valid && !opened;
    wire                  reached = credit_valid && opened && credit_reaches;
    wire                  closed  = credit_valid && opened && ((credit_reaches && credit_closes) || credit_idle);
    wire [PATHS-1:0]      waits;          // a packet of it is not known to have left
    wire [9:0]            number_before = number_old - 10'd1;

    // one path at a time has a packet or a credit: these memories have it in the address
    (* ram_style = "distributed" *) reg [20:0] marks [0:(LANES << PATH_BITS)-1];    // {number, T}
    (* ram_style = "distributed" *) reg [9:0]  last  [0:(LANES << PATH_BITS)-1];
    (* ram_style = "distributed" *) reg [9:0]  base  [0:(LANES << PATH_BITS)-1];
    wire [LOG2_LANES+PATH_BITS-1:0] to_at = {at[PATH_BITS-1:0], to};
    wire [20:0]           mark    = marks[to_at];
    wire [9:0]            base_next = first ? number_before : mark[20:11];

    assign credit_mark = mark[10:0];

    always @(posedge clk) begin
        if (first || reached) marks[to_at] <= first ? {number_old, sent_units} : {last[to_at], credit_units};
        if (sent_valid)       last[to_at]  <= number_old;
        if (first || reached) base[to_at]  <= base_next;
    end

    always @(posedge clk)
        if (clear)        turn <= {LOG2_LANES{1'b0}};
        else if (nothing) turn <= turn + 1'b1;

    genvar p;
    generate
        for (p = 0; p < PATHS; p = p + 1) begin : of_path
            (* ram_style = "distributed" *) reg open [0:LANES-1];

            localparam [1:0] ME = p;
            wire             mine = (at == ME);

            assign opens[p] = open[to];
            assign waits[p] = open[sweep_lane] && !dead[p];

            always @(posedge clk)
                if (clear || (mine && (first || closed)) || (dead[p] && nothing)) open[to] <= first && !clear;
        end
    endgenerate

    // ---- lag: one path of a lane per clock
    localparam [31:0] LAST = PATHS - 1;
    localparam [1:0] ALL = 2'd0, ONE = 2'd1, ONE_IDLE = 2'd2;   // go: all, the one behind, the one behind if it is idle

    (* ram_style = "distributed" *) reg [3:0] rules [0:LANES-1];   // {one of these, the path farthest behind}

    reg  [1:0]            sweep_path;
    reg  [LOG2_LANES-1:0] turn_lane;       // next lane in cyclic order
    reg                   stepped;         // this lane has stepped,
    reg  [LOG2_LANES-1:0] stepped_lane;
    reg                   hurried;         // ... and is swept because it has
    reg  [LOG2_LANES-1:0] hurried_lane;
    reg  [4:0]            waited;          // clocks since a lane was swept in order
    reg                   found;           // a path before this one has a packet that is not known to have left,
    reg  [9:0]            most;            // ... its lag, the largest one,
    reg  [1:0]            most_path;       // ... and its path
    reg                   found_far;       // a path before this one is too far behind
    reg                   found_two;       // ... two are
    wire [3:0]            waits_wide  = {{4-PATHS{1'b0}}, waits};
    wire                  sweep_waits = waits_wide[sweep_path];
    wire [9:0]            behind    = sweep_number - base[{sweep_path[PATH_BITS-1:0], sweep_lane}];
    wire [9:0]            few       = cfg_ahead - 10'd1;
    wire                  is_far    = sweep_waits && (behind >= few);
    wire                  is_most   = sweep_waits && (!found || behind > most);
    wire                  any_far   = is_far || found_far;
    wire                  two_far   = (is_far && found_far) || found_two;
    wire                  last_path = (sweep_path == LAST[1:0]);
    wire                  hurries   = stepped && (!hurried || last_path);
    wire                  ends      = last_path || hurries || clear;      // the next path is path 0

    assign sweep_lane = hurried ? hurried_lane : turn_lane;
    assign hold       = &waited;

    always @(posedge clk) begin
        if (last_path)
            rules[sweep_lane] <= {two_far ? ONE_IDLE : any_far ? ONE : ALL, is_most ? sweep_path : most_path};
        if (is_most) begin
            most      <= behind;
            most_path <= sweep_path;
        end
        found      <= !ends && (found || sweep_waits);
        found_far  <= !ends && any_far;
        found_two  <= !ends && two_far;
        sweep_path <= ends ? 2'd0 : sweep_path + 2'd1;
    end

    always @(posedge clk) begin
        if (step)    stepped_lane <= step_lane;
        if (hurries) hurried_lane <= stepped_lane;
        stepped <= !clear && (step || (stepped && !hurries));
        hurried <= !clear && (hurries || (hurried && !last_path));
        if (clear) begin
            turn_lane <= {LOG2_LANES{1'b0}};
            waited    <= 5'd0;
        end else if (last_path && !hurried) begin
            turn_lane <= turn_lane + 1'b1;
            waited    <= 5'd0;
        end else if (!hold)
            waited    <= waited + 5'd1;
    end

    // ---- may it go?
    wire [3:0] look_rule = rules[look_lane];
    wire [3:0] one       = 4'd1 << look_rule[1:0];

    assign look_open = look_in_use & ({PATHS{look_rule[3:2] == ALL}}
                                      | (one[PATHS-1:0] & (look_idle | {PATHS{look_rule[3:2] == ONE}})));

    wire unused = &{1'b0, LAST[31:2], one};

    // ---- measuring
    wire probe_busy  = sent_valid || credit_valid;
    wire probe_start = sent_valid;
    wire probe_done  = credit_valid;
endmodule
`default_nettype wire
