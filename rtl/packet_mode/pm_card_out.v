// Line card, way out. With REASSEMBLY (SM, PPM) packets come in parts, those of different inputs mixed: they wait in a queue per input, and
// one of them starts on the line when it is sure that the rest of it comes without a gap: its last segment has begun to come, or the
// output is in packet mode for it. Without (VPS, DPM) packets come whole and go on at once.
//
//   word from the crossbar at t      on the line at t + 2, at the soonest
`default_nettype none
module pm_card_out #(
    parameter PORTS      = 16,                 // 2..16
    parameter REASSEMBLY = 1,
    parameter MOST_WORDS = 1024,               // longest packet: the memory has room for one from each input
    // computed, not to be set
    parameter PW         = $clog2(PORTS)
) (
    input  wire          clk,
    input  wire          rst,

    // from the crossbar
    input  wire          in_valid,
    input  wire [PW-1:0] in_input,
    input  wire          in_end,               // last word of a packet
    input  wire          in_sure,              // the rest of its packet follows without a gap
    input  wire [63:0]   in_word,

    // the line
    output reg           line_valid,
    output reg           line_first,
    output reg           line_last,
    output reg  [PW-1:0] line_input,
    output wire [63:0]   line_word,

    output reg  [15:0]   most,                 // words that have been in the memory at a time
    output wire          error                 // the memory is full; or a word of a packet on the line was not there
);
    localparam BLOCKS = PORTS * ((MOST_WORDS + 63) / 64 + 2);

    generate
        if (REASSEMBLY != 0) begin : queued
            reg  [PORTS-1:0] sure;             // the packet that comes is counted in `ready` already
            (* mem2reg *) reg  [9:0]       ready [0:PORTS-1];// packets that may start
            reg  [PORTS-1:0] some;
            reg  [PW-1:0]    last;
            reg              reading;          // a word is fetched in this clock
            reg  [PW-1:0]    flow;
            reg              starts;
            reg  [15:0]      level;
            wire             counted = in_valid && in_sure && !sure[in_input];
            wire [PORTS-1:0] now     = counted ? ({{PORTS-1{1'b0}}, 1'b1} << in_input) : {PORTS{1'b0}};
            wire             ends;
            wire             any;
            wire [PW-1:0]    turn;
            wire [PORTS-1:0] unused_grant;
            wire             chosen = any && (!reading || ends);
            wire             overflow;
            wire             underflow;

            round_robin #(.N(PORTS)) choice (
                .request (some | now), .last (last), .any (any), .grant (unused_grant), .index (turn)
            );

            pm_queues #(.QUEUES(PORTS), .WIDTH(64), .LOG2_BLOCK(6), .BLOCKS(BLOCKS)) packets (
                .clk (clk), .rst (rst), .write (in_valid), .write_queue (in_input), .write_word (in_word), .write_flag (in_end),
                .read (reading), .read_queue (flow), .read_flag (ends), .read_word (line_word), .overflow (overflow),
                .underflow (underflow)
            );

            assign error = overflow || underflow;

            integer i;
            always @(posedge clk) begin
                line_first <= starts;
                line_last  <= ends;
                line_input <= flow;
            end
            always @(posedge clk)
                if (rst) begin
                    sure       <= {PORTS{1'b0}};
                    some       <= {PORTS{1'b0}};
                    last       <= {PW{1'b0}};
                    reading    <= 1'b0;
                    starts     <= 1'b0;
                    line_valid <= 1'b0;
                    level      <= 16'd0;
                    most       <= 16'd0;
                    for (i = 0; i < PORTS; i = i + 1) ready[i] <= 10'd0;
                end else begin
                    line_valid <= reading;
                    reading    <= chosen || (reading && !ends);
                    starts     <= chosen;
                    if (chosen) begin
                        flow <= turn;
                        last <= turn;
                    end
                    if (in_valid) sure[in_input] <= (sure[in_input] || in_sure) && !in_end;
                    for (i = 0; i < PORTS; i = i + 1)
                        if (now[i] != (chosen && turn == i[PW-1:0])) begin
                            ready[i] <= now[i] ? ready[i] + 10'd1 : ready[i] - 10'd1;
                            some[i]  <= now[i] || ready[i] != 10'd1;
                        end
                    level <= level + {15'd0, in_valid} - {15'd0, reading};
                    if (level > most) most <= level;
                end
            wire unused = &{1'b0, unused_grant};
        end else begin : direct
            reg          valid;
            reg [PW-1:0] flow;
            reg          ends;
            reg          midway;               // the word before was not a packet's last
            reg          starts;
            reg [63:0]   word;
            reg [63:0]   word_out;
            assign line_word = word_out;
            assign error     = midway && !in_valid; // a packet came with a gap
            always @(posedge clk) begin
                flow       <= in_input;
                ends       <= in_end;
                starts     <= !midway;
                word       <= in_word;
                word_out   <= word;
                line_first <= starts;
                line_last  <= ends;
                line_input <= flow;
            end
            always @(posedge clk)
                if (rst) begin
                    valid      <= 1'b0;
                    midway     <= 1'b0;
                    line_valid <= 1'b0;
                    most       <= 16'd0;
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
