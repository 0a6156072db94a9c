// Output scheduler of probabilistic packet mode (PPM; S3 III). Segments in turn, as long as nothing pairs. A choice pairs if the unit that
// it starts to read at t_r is the one that the input has been writing since t_w, it is a whole segment, and
//
//     t_r - t_w <= SEGMENT_WORDS - RTT                                                  (1) in S3 III-A
//
// Then the credit of this unit tells the input to stay, and the output stays itself until the packet that the unit leaves unfinished has
// been sent. A choice takes two clocks, so t_r - t_w is 2 at least. If the credit would have to wait for longer than (1) leaves, there is
// no packet mode (S3 III-B's second way).
//
// Looking back: after a unit that ended within a packet, not in packet mode, the same crosspoint is looked at first, and taken if it pairs.
`default_nettype none
module pm_output_ppm #(
    parameter PORTS     = 16,                       // 2..16
    parameter SLACK     = 1,                        // clocks that a choice may come late, SEGMENT_WORDS - RTT - 2: 0..15
    parameter LOOK_BACK = 2                         // 0: never; 1: only behind a unit that did not pair because of (1); 2: always
) (
    input  wire                     clk,
    input  wire                     rst,
    input  wire [PORTS-1:0]         waiting,        // inputs with a unit (DPM: a whole packet) in their crosspoint, or just arriving
    input  wire [PORTS-1:0]         arriving,       // the first word of a unit comes, and none was waiting there
    input  wire [PORTS-1:0]         partial,        // DPM: inputs with enough of a packet that is not whole
    input  wire [PORTS-1:0]         lock_free,      // DPM: inputs whose lock may be asked for
    input  wire                     choose,         // a choice made in this clock is used
    input  wire                     continues,      // while choose: what is being sent ends within a packet
    output wire                     chosen,         // `chosen_input` is one
    output wire [$clog2(PORTS)-1:0] chosen_input,
    output wire                     chosen_partial, // DPM: it is partial and needs the lock; what comes of that is `served`

    // two clocks behind a choice: the first word of the unit (DPM: of each part of the packet) leaves
    input  wire                     served,
    input  wire                     served_full,    // the unit is as long as may be
    input  wire                     served_ends,    // its first packet ends within it
    input  wire                     served_whole,   // all of it is in the crosspoint
    input  wire [3:0]               served_late,    // clocks that an urgent credit would have to wait now
    input  wire                     served_locked,  // DPM: it is of a packet for which the lock was taken
    input  wire                     served_packet,  // DPM: it begins the packet
    output wire                     notice,         // tell the input, in the credit, to stay
    output wire                     urgent,         // this credit goes before others
    output wire                     mode,           // packet mode: the rest of the packet follows without a gap
    output wire                     cancelled       // event: a notice would have been too late
);
    localparam [31:0] SLACK_BITS = SLACK;

    initial
        if (SLACK < 0 || SLACK > 15 || LOOK_BACK < 0 || LOOK_BACK > 2) begin
            $display("%m: RTT must be SEGMENT_WORDS - 17 to SEGMENT_WORDS - 2, is SEGMENT_WORDS - %0d; LOOK_BACK 0..2, is %0d", SLACK + 2,
                     LOOK_BACK);
            $finish;
        end

    // How long ago the unit at the head of each crosspoint began to come: 0 is this clock.
    reg  [PORTS*(SLACK+1)-1:0] since;               // [PORTS * k + input]: k + 1 clocks ago
    reg  [PORTS-1:0] pairs;
    integer          k;
    always @* begin
        pairs = arriving;
        for (k = 0; k < SLACK; k = k + 1) pairs = pairs | since[PORTS*k +: PORTS];
    end

    reg  [$clog2(PORTS)-1:0] last;
    reg                      packet_mode;
    reg                      too_long;              // the unit that is being sent would have paired, but for (1)
    reg                      stayed;                // the choice before was the packet's next unit
    reg                      paired;                // the choice before paired ...
    reg  [3:0]               slack;                 // ... and its notice may wait so long
    wire                     any;
    wire [PORTS-1:0]         unused_grant;
    wire [$clog2(PORTS)-1:0] turn_input;

    round_robin #(.N(PORTS)) turn (
        .request (waiting), .last (last), .any (any), .grant (unused_grant), .index (turn_input)
    );

    wire stay = packet_mode && continues;
    wire back = !packet_mode && continues && (LOOK_BACK == 2 || (LOOK_BACK == 1 && too_long)) && pairs[last] && waiting[last];
    assign chosen         = choose && (stay ? waiting[last] : any);
    assign chosen_input   = (stay || back) ? last : turn_input;
    assign chosen_partial = 1'b0;

    wire     goes_on  = stayed && !served_ends;
    wire     in_time  = (served_late <= slack);
    wire     new_mode = paired && served_full && in_time;
    assign notice    = served && !goes_on && new_mode;
    assign urgent    = served && served_full && (goes_on || new_mode);
    assign mode      = served ? (goes_on || new_mode) : packet_mode;
    assign cancelled = served && !goes_on && paired && served_full && !in_time;

    reg [3:0] age;                                  // of the choice of this clock
    always @* begin
        age = 4'd0;
        for (k = SLACK - 1; k >= 0; k = k - 1)
            if (since[PORTS*k + {{32-$clog2(PORTS){1'b0}}, chosen_input}]) age = k[3:0] + 4'd1;
        if (arriving[chosen_input]) age = 4'd0;
    end

    always @(posedge clk)
        if (rst) begin
            last        <= {$clog2(PORTS){1'b0}};
            packet_mode <= 1'b0;
            too_long    <= 1'b0;
            stayed      <= 1'b0;
            paired      <= 1'b0;
            slack       <= 4'd0;
            since       <= {PORTS*(SLACK+1){1'b0}};
        end else begin
            since <= (since << PORTS) | {{PORTS*SLACK{1'b0}}, arriving};
            if (chosen) begin
                last   <= chosen_input;
                stayed <= stay;
                paired <= pairs[chosen_input];
                slack  <= SLACK_BITS[3:0] - age;
            end
            if (served) begin
                packet_mode <= goes_on || new_mode;
                too_long    <= !goes_on && !new_mode && served_full && !served_whole;
            end
        end

    wire unused = &{1'b0, unused_grant, partial, lock_free, served_locked, served_packet};
endmodule
`default_nettype wire
