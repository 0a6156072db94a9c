// Line card, way out. With REASSEMBLY (SM, PPM) packets arrive in parts, those of different inputs interleaved. They
// wait in a queue per input; one of them starts on the line when its remainder is sure to arrive without a gap: its
// last segment has begun to arrive, or the output is in packet mode for it. Without (VPS, DPM) packets arrive whole and
// go on at once.
//
// With PRIORITIES = 2 and with MULTICAST packets of each priority, and those that name sets, have queues of their own.
// With REASSEMBLY a packet of high priority goes on the line as soon as it may, between two words of one of low
// priority, and without a gap itself.
//
//   word from the crossbar at t      on the line at t + 2, at the soonest
`default_nettype none
module pm_card_out #(
    parameter PORTS      = 16,                 // 2..16
    parameter REASSEMBLY = 1,
    parameter MOST_WORDS = 1024,               // longest packet: the memory has room for one in each queue
    parameter PRIORITIES = 1,                  // 1 or 2
    parameter MULTICAST  = 0,                  // 1: packets that name sets arrive, too
    // computed, not to be set
    parameter PW         = $clog2(PORTS)
) (
    input  wire          clk,
    input  wire          rst,

    // from the crossbar
    input  wire          in_valid,
    input  wire [PW-1:0] in_input,
    input  wire          in_priority,
    input  wire          in_multicast,
    input  wire          in_end,               // last word of a packet
    input  wire          in_sure,              // the remainder of its packet follows without a gap
    input  wire [63:0]   in_word,

    // the line
    output reg           line_valid,
    output reg           line_first,
    output reg           line_last,
    output reg  [PW-1:0] line_input,
    output reg           line_priority,
    output reg           line_multicast,
    output wire [63:0]   line_word,

    output reg  [19:0]   most,                 // words that have been in the memory at a time
    output wire          error                 // memory full; a word of a packet on the line was missing; or it idles
);                                             // though a whole packet waits
    localparam KINDS  = PRIORITIES * (1 + MULTICAST);
    localparam BLOCKS = KINDS * PORTS * ((MOST_WORDS + 63) / 64 + 2);
    localparam CB     = $clog2(64 * BLOCKS + 1); // of words or packets in the memory: each packet has a word there
    localparam FW     = PW + MULTICAST;        // queue of a priority: input; of packets that name sets from 2^PW on
    localparam FLOWS  = (MULTICAST << PW) + PORTS;
    localparam QW     = FW + PRIORITIES - 1;   // queue: the same; of high priority from 2^FW on
    localparam QUEUES = ((PRIORITIES - 1) << FW) + FLOWS;
    localparam HIGH   = PRIORITIES - 1;

    wire [PW+1:0] in_wide  = (MULTICAST != 0) ? {in_priority, in_multicast, in_input} : {1'b0, in_priority, in_input};
    wire [QW-1:0] in_queue = in_wide[QW-1:0];
    wire unused_wide = &{1'b0, in_wide};

    generate
        if (REASSEMBLY != 0) begin : queued
            reg  [QUEUES-1:0] sure;            // the arriving packet is counted in `ready` already
            reg  [CB*QUEUES-1:0] ready;        // packets of each queue that may start
            reg  [QUEUES-1:0] some;
            reg  [CB-1:0]     level;
            reg  [CB-1:0]     whole;           // complete packets that have not left completely
            reg               forgotten;       // there is one, and the line idles
            wire              counted = in_valid && in_sure && !sure[in_queue];
            wire [QUEUES-1:0] now     = counted ? ({{QUEUES-1{1'b0}}, 1'b1} << in_queue) : {QUEUES{1'b0}};
            reg  [QUEUES-1:0] start;           // packets of these queues start
            wire              ends;
            wire              overflow;
            wire              underflow;

            // a packet on the line for each priority
            reg  [PRIORITIES-1:0]    open;
            reg  [PRIORITIES-1:0]    starts;   // none of its words has been fetched
            reg  [PRIORITIES*FW-1:0] flow;
            reg  [PRIORITIES*FW-1:0] last;
            wire [PRIORITIES-1:0]    any;
            wire [PRIORITIES*FW-1:0] turn;
            wire              reading = |open; // a word is fetched in this clock, ...
            wire              high    = (PRIORITIES == 2) && open[HIGH]; // ... of this priority, ...
            wire [FW:0]       wide    = {high, high ? flow[FW*HIGH +: FW] : flow[FW-1:0]}; // ... of this queue
            wire [QW-1:0]     queue   = wide[QW-1:0];
            wire [1:0]        done_of = {ends && high, ends && reading && !high};
            wire [PRIORITIES-1:0] done   = done_of[PRIORITIES-1:0];
            wire [PRIORITIES-1:0] chosen = any & (~open | done);

            genvar p;
            for (p = 0; p < PRIORITIES; p = p + 1) begin : of
                wire [FLOWS-1:0] unused_grant;
                round_robin #(.N(FLOWS)) choice (
                    .request (some[(p << FW) +: FLOWS] | now[(p << FW) +: FLOWS]), .last (last[FW*p +: FW]),
                    .any (any[p]), .grant (unused_grant), .index (turn[FW*p +: FW])
                );
                wire unused = &{1'b0, unused_grant};
            end

            pm_queues #(.QUEUES(QUEUES), .WIDTH(64), .LOG2_BLOCK(6), .BLOCKS(BLOCKS)) packets (
                .clk (clk), .rst (rst), .write (in_valid), .write_queue (in_queue), .write_word (in_word),
                .write_flag (in_end), .read (reading), .read_queue (queue), .read_flag (ends), .read_word (line_word),
                .overflow (overflow), .underflow (underflow)
            );

            assign error = overflow || underflow || forgotten;
            wire unused = &{1'b0, wide, done_of, some};

            integer i;
            always @* begin
                start = {QUEUES{1'b0}};
                for (i = 0; i < PRIORITIES; i = i + 1)
                    if (chosen[i]) start[(i << FW) + {{32-FW{1'b0}}, turn[FW*i +: FW]}] = 1'b1;
            end

            always @(posedge clk) begin
                line_first     <= high ? starts[HIGH] : starts[0];
                line_last      <= ends;
                line_input     <= queue[PW-1:0];
                line_priority  <= high;
                line_multicast <= (MULTICAST != 0) && queue[FW-1];
            end
            always @(posedge clk)
                if (rst) begin
                    sure       <= {QUEUES{1'b0}};
                    some       <= {QUEUES{1'b0}};
                    last       <= {PRIORITIES*FW{1'b0}};
                    open       <= {PRIORITIES{1'b0}};
                    starts     <= {PRIORITIES{1'b0}};
                    line_valid <= 1'b0;
                    level      <= {CB{1'b0}};
                    whole      <= {CB{1'b0}};
                    forgotten  <= 1'b0;
                    most       <= 20'd0;
                    ready      <= {CB*QUEUES{1'b0}};
                end else begin
                    line_valid <= reading;
                    open       <= chosen | (open & ~done);
                    starts[0]    <= chosen[0] || (starts[0] && high);
                    starts[HIGH] <= chosen[HIGH] || (HIGH == 0 && starts[0] && high);
                    for (i = 0; i < PRIORITIES; i = i + 1)
                        if (chosen[i]) begin
                            flow[FW*i +: FW] <= turn[FW*i +: FW];
                            last[FW*i +: FW] <= turn[FW*i +: FW];
                        end
                    if (in_valid) sure[in_queue] <= (sure[in_queue] || in_sure) && !in_end;
                    if (now != start)
                        for (i = 0; i < QUEUES; i = i + 1)
                            if (now[i] != start[i]) begin
                                ready[CB*i +: CB] <= now[i] ? ready[CB*i +: CB] + 1'b1 : ready[CB*i +: CB] - 1'b1;
                                some[i]           <= now[i] || ready[CB*i +: CB] != {{CB-1{1'b0}}, 1'b1};
                            end
                    level <= level + {{CB-1{1'b0}}, in_valid} - {{CB-1{1'b0}}, reading};
                    whole <= whole + {{CB-1{1'b0}}, in_valid && in_end} - {{CB-1{1'b0}}, reading && ends};
                    forgotten <= whole != {CB{1'b0}} && !reading && !(|any);
                    if ({{20-CB{1'b0}}, level} > most) most <= {{20-CB{1'b0}}, level};
                end
        end else begin : direct
            reg          valid;
            reg [QW-1:0] queue;
            reg          ends;
            reg          midway;               // the word before was not a packet's last
            reg          starts;
            reg [63:0]   word;
            reg [63:0]   word_out;
            assign line_word = word_out;
            assign error     = midway && !in_valid; // a packet arrived with a gap
            always @(posedge clk) begin
                queue      <= in_queue;
                ends       <= in_end;
                starts     <= !midway;
                word       <= in_word;
                word_out   <= word;
                line_first <= starts;
                line_last  <= ends;
                line_input <= queue[PW-1:0];
                line_priority  <= (PRIORITIES == 2) && queue[QW-1];
                line_multicast <= (MULTICAST != 0) && queue[FW-1];
            end
            always @(posedge clk)
                if (rst) begin
                    valid      <= 1'b0;
                    midway     <= 1'b0;
                    line_valid <= 1'b0;
                    most       <= 20'd0;
                end else begin
                    valid      <= in_valid;
                    line_valid <= valid;
                    if (in_valid) midway <= !in_end;
                end
            wire unused = &{1'b0, in_sure};
        end
    endgenerate
endmodule
`default_nettype wire
