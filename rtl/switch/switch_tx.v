// Transmitting half of a switch port: makes frames of the packets in the crosspoints of its column, of credit words and
// of check records. One word per clock, no gap inside a frame or between frames.
//
//     packet          SOP [credit] header header CRC payload ... payload body-CRC      2 x length + 5 (6) clocks
//     credit alone    SOP credit
//     check record    SOP header header CRC
//
// In READY, which is also the clock of the SOP, the next frame starts: a check record, else the chosen packet if the
// NIC has space for it, with a credit word if one waits, else a credit word alone, else idle. The scheduler's choice is
// ready by then: `choose` rises CHOOSE_AHEAD clocks before the last word of the packet in flight, and is high in credit
// words alone and check records. At least one idle word is sent in every window of switch_timer.
//
//     choose     ____/~~~~~~~~~~~~~\__
//     chosen     ______/~~~~~~~~~~~\__         (of the next packet)
//     word        p p p p  bc SOP hi ...       taken: in the clock of the SOP
//
// A body and its CRC are sent as stored in the crosspoint. If the crosspoint runs dry in a body, zeros replace the
// missing words; then, and if the receiving half has padded the body (`rd_poisoned`), the body CRC is sent inverted. If
// the second header word is missing the header CRC is made wrong and the frame ends there. Late words are discarded up
// to the end mark of their packet before anything else is sent.
//
// While `down` the packets of the column are drained: discarded, a word per clock. The receiver must detect any number
// of them, but its sequence number has 9 bits only: so the next packet of the same input that leaves carries the
// inverse body CRC too. `drained` keeps one bit per input, cleared by that packet or by reset alone.
//
// Latency: `chosen` in clock n, with a word of it showing and space at the NIC: SOP on the word port in n.
//
// A packet whose header has bit [55] carries time stamps (S2 5.3): the fourth word of its payload becomes the time of
// its SOP on the port. The NIC has sent 0 there and in the third word, which the receiving half has replaced. So both
// stamps change the body CRC by the CRC of a payload with these two words alone, begun with 0. That is added to the CRC
// received: an error stays detectable, except one in the third word as received, replaced. No word leaves later.
`default_nettype none
`include "slots.vh"
module switch_tx #(
    // inputs of the switch, 2..16
    parameter INPUTS = 8,
    // longest payload [64-bit words], 1..64: no crosspoint holds a longer packet
    parameter MAX_WORDS = 62,
    // 1: with time stamps; 0: without
    parameter STAMPS = 1
) (
    input  wire                 clk,
    input  wire                 rst,
    input  wire                 packets_may_start,
    input  wire                 down,             // level: packets are discarded
    input  wire                 window_start,     // for idle words, see switch_timer
    input  wire                 window_late,
    output wire                 busy,             // a frame leaves, or is discarded
    input  wire [31:0]          now,              // the time for stamps

    // output scheduler
    output wire                 choose,           // level: a choice could be used
    input  wire                 chosen,
    input  wire [INPUTS-1:0]    chosen_onehot,
    output wire                 taken,            // one clock: the chosen packet starts to leave, or is drained
    output wire [9:0]           taken_units,      // its size

    // crosspoints of the column
    input  wire [INPUTS-1:0]    rd_valid,
    input  wire [INPUTS-1:0]    rd_end,
    input  wire [INPUTS-1:0]    rd_poisoned,
    input  wire [INPUTS*32-1:0] rd_data,
    output wire [INPUTS-1:0]    rd_pop,

    // to the credit schedulers: one clock after `taken`; the units stay until the next time
    output reg  [INPUTS-1:0]    departed,
    output reg  [7:0]           departed_units,

    // credit of the NIC, see link_credit_rx
    output wire [9:0]           ask_length,
    input  wire                 granted,
    output wire                 ask_take,

    // credit words for the NIC
    input  wire                 credit_request,
    input  wire [31:0]          credit_word,
    output wire                 credit_take,

    // check records for the NIC
    input  wire                 record_request,
    input  wire [11:0]          record_units,
    output wire                 record_take,

    // words for the transceiver
    output wire                 word_idle,
    output wire                 word_sop,
    output wire [31:0]          word_data,
    input  wire [31:0]          word_sent,        // word_data on the port, a clock later

    // events
    output reg                  ev_start,         // a packet has started, see `departed`
    output reg                  ev_packet,        // sent, last word included
    output reg                  ev_drained,       // a packet is discarded because the port is down
    output reg                  ev_dry,           // a packet has been sent with a wrong CRC since words were missing
    output wire                 ev_backpressure   // level: a packet waits for credit
);
    localparam [2:0] READY      = 3'd0;
    localparam [2:0] CREDIT     = 3'd1;
    localparam [2:0] HEADER_HI  = 3'd2;
    localparam [2:0] HEADER_LO  = 3'd3;
    localparam [2:0] HEADER_CRC = 3'd4;
    localparam [2:0] BODY       = 3'd5;
    localparam [2:0] BODY_CRC   = 3'd6;
    localparam [2:0] DISCARD    = 3'd7;

    // bits of a length
    localparam LENGTH_BITS = (MAX_WORDS > 63) ? 7 : 6;
    localparam [LENGTH_BITS:0] CHOOSE_AHEAD = 3;

    initial
        if (INPUTS < 2 || INPUTS > 16 || MAX_WORDS < 1 || MAX_WORDS > 64) begin
            $display("%m: INPUTS must be 2..16, is %0d; MAX_WORDS 1..64, is %0d", INPUTS, MAX_WORDS);
            $finish;
        end

    reg  [2:0]        state;
    reg  [INPUTS-1:0] current;       // crosspoint of the packet in flight
    reg               with_packet;   // a packet follows the credit word
    reg  [LENGTH_BITS:0] left;       // payload words and CRC that are still to be sent
    reg               poisoned;      // words were missing: the body CRC will be sent inverted
    reg  [INPUTS-1:0] drained;       // packets of this input have been drained since one of it left
    reg               reports;       // the body CRC will be sent inverted to report them
    reg               over;          // the end mark has been popped
    reg  [31:0]       side;          // credit word, second header word of a record or time stamp, 0 in all other clocks
    reg               been_idle;     // an idle word has been sent in this window

    // ---- the crosspoint on the column multiplexor; all is 0 if there is no word, or none is selected
    wire              ready    = (state == READY);
    assign            busy     = !ready;
    wire              aside    = (state == CREDIT) || (state == HEADER_CRC);     // words from elsewhere
    wire [INPUTS-1:0] selected = ready ? chosen_onehot : current & {INPUTS{!aside}};
    wire              head_valid    = |(rd_valid & selected);
    wire              head_end      = |(rd_end & selected);
    wire              head_poisoned = |(rd_poisoned & selected);
    reg  [31:0]       head;
    integer i;
    always @* begin
        head = 32'd0;
        for (i = 0; i < INPUTS; i = i + 1)
            head = head | (rd_data[32*i +: 32] & {32{selected[i]}});
    end
    wire [LENGTH_BITS-1:0] length = head[LENGTH_BITS-1:0];
    wire [9:0] words = {{10-LENGTH_BITS{1'b0}}, length};

    // ---- READY: the next frame
    wire tight        = window_late && !been_idle;
    wire may_start    = chosen && head_valid && packets_may_start && granted && !down;
    wire start_record = ready && record_request && !tight;
    wire start_packet = ready && !record_request && may_start && !tight;
    wire start_credit = ready && !record_request && !may_start && credit_request && !tight;
    wire start_drain  = ready && !record_request && !credit_request && chosen && head_valid && down;

    assign word_sop    = start_record || start_packet || start_credit;
    assign word_idle   = (ready && !word_sop) || (state == DISCARD);
    assign taken       = start_packet || start_drain;
    assign ask_length  = words;
    assign ask_take    = start_packet;
    assign taken_units = {words[8:0] + 9'd2, 1'b0};
    assign record_take = start_record;
    assign credit_take = (start_packet && credit_request) || start_credit;

    // ---- words
    wire header    = (state == HEADER_HI) || (state == HEADER_LO);
    wire body      = (state == BODY) || (state == BODY_CRC);
    wire crc_wrong = poisoned || reports || head_poisoned || !head_end;
    assign rd_pop  = current & {INPUTS{header || body || (state == DISCARD)}};

    wire [15:0] header_crc;
    wire [31:0] body_crc;
    wire [31:0] check = {15'd0, poisoned && (state == HEADER_CRC), header_crc};   // wrong with [16] = 1
    wire [31:0] crc_added;                                                        // by time stamps
    assign word_data  = ((state == BODY_CRC) && crc_wrong) ? ~body_crc : (head ^ crc_added) | side | check;

    // The CRCs take the words from the port, a clock later: so no path leads from a crosspoint through the multiplexor
    // and a CRC. The last word, on the port while its CRC is due, is included by crc_next.
    reg         was_body;
    wire [15:0] unused_header_crc;
    wire [31:0] unused_body_crc;
    `SWITCH_HEADER_CRC header_check (
        .clk (clk), .clear (state != HEADER_LO), .step (1'b1), .data (word_sent), .due (state == HEADER_CRC),
        .crc_next (header_crc), .crc (unused_header_crc)
    );
    `SWITCH_BODY_CRC body_check (
        .clk (clk), .clear (!was_body), .step (1'b1), .data (word_sent), .due (state == BODY_CRC), .crc_next (body_crc),
        .crc (unused_body_crc)
    );
    always @(posedge clk) was_body <= (state == BODY) && !rst;

    // ---- the scheduler may choose: no packet is in flight, or it is about to end; or a credit word alone, a check
    // record
    assign choose = ready || !with_packet || (body && (left <= CHOOSE_AHEAD)) || (state == DISCARD);

    // ---- time stamps
    wire        stamp_next;       // the fourth word of the payload comes next, and is:
    wire [31:0] departure;
    generate
        if (STAMPS != 0) begin : stamps
            reg  [2:0]  since_sop;
            reg  [31:0] sop_time;
            reg         carries;          // the packet carries stamps
            reg  [6:0]  place;            // [0]: its second header word is here; [2]: the first of the payload
            wire [31:0] unused_crc;
            wire        carries_next = with_packet && head[23] && (words > 10'd2);
            wire [31:0] added        = {32{place[3]}} | (word_sent & {32{place[5]}}) | (sop_time & {32{place[6]}});

            `SWITCH_BODY_CRC added_check (
                .clk (clk), .clear (!was_body || !carries), .step (1'b1), .data (added),
                .due (carries && (state == BODY_CRC)), .crc_next (crc_added), .crc (unused_crc)
            );

            assign stamp_next = place[4];
            assign departure  = sop_time;

            always @(posedge clk) begin
                since_sop <= {since_sop[1:0], start_packet};
                if (since_sop[2]) sop_time <= now;
                place <= {place[5:0], (state == HEADER_HI) && carries_next};
                if (state == HEADER_HI) carries <= carries_next;
            end
        end else begin : no_stamps
            wire unused = &{1'b0, now};
            assign crc_added  = 32'd0;
            assign stamp_next = 1'b0;
            assign departure  = 32'd0;
        end
    endgenerate

    always @(posedge clk)
        if (stamp_next)
            side <= departure;
        else if (ready ? !credit_take : (state != HEADER_HI) || with_packet)
            side <= 32'd0;
        else
            side <= ready ? credit_word : {20'd0, record_units};

    always @(posedge clk)
        if (rst) begin
            state       <= READY;
            current     <= {INPUTS{1'b0}};
            with_packet <= 1'b0;
            left        <= {LENGTH_BITS+1{1'b0}};
            poisoned    <= 1'b0;
            over        <= 1'b0;
        end else
            case (state)
                READY: begin
                    current     <= taken ? chosen_onehot : {INPUTS{1'b0}};
                    with_packet <= start_packet;
                    poisoned    <= 1'b0;
                    over        <= 1'b0;
                    if (start_record)
                        state <= HEADER_HI;
                    else if (start_packet)
                        state <= credit_request ? CREDIT : HEADER_HI;
                    else if (start_credit)
                        state <= CREDIT;
                    else if (start_drain)
                        state <= DISCARD;
                end
                CREDIT:     state <= with_packet ? HEADER_HI : READY;
                HEADER_HI: begin
                    state <= HEADER_LO;
                    left  <= {length, 1'b1};
                end
                HEADER_LO: begin
                    state    <= HEADER_CRC;
                    poisoned <= with_packet && !head_valid;
                end
                HEADER_CRC: state <= !with_packet ? READY : poisoned ? DISCARD : BODY;
                BODY: begin
                    left     <= left - 1'b1;
                    poisoned <= poisoned || !head_valid || head_end;
                    if (head_end) begin     // too early: the next words belong to another packet
                        over    <= 1'b1;
                        current <= {INPUTS{1'b0}};
                    end
                    if (left == 2)
                        state <= BODY_CRC;
                end
                BODY_CRC:   state <= (over || head_end) ? READY : DISCARD;
                default:    state <= head_end ? READY : DISCARD;
            endcase

    // ---- drained inputs: a packet without its second header word ends at its header CRC, and reports nothing
    always @(posedge clk)
        if (rst) begin
            drained <= {INPUTS{1'b0}};
            reports <= 1'b0;
        end else begin
            if (start_drain)
                drained <= drained | chosen_onehot;
            else if ((state == HEADER_CRC) && !poisoned)
                drained <= drained & ~current;
            if (state == HEADER_CRC)
                reports <= |(drained & current);
        end

    // ---- departures, idle words
    always @(posedge clk)
        if (rst) begin
            departed       <= {INPUTS{1'b0}};
            departed_units <= 8'd0;
            been_idle      <= 1'b0;
        end else begin
            departed <= taken ? chosen_onehot : {INPUTS{1'b0}};
            if (taken)
                departed_units <= taken_units[7:0];
            been_idle <= word_idle || (been_idle && !window_start);
        end

    // ---- events
    always @(posedge clk) begin
        ev_start   <= start_packet && !rst;
        ev_packet  <= (state == BODY_CRC) && !rst;
        ev_drained <= start_drain && !rst;
        ev_dry     <= (((state == BODY_CRC) && (poisoned || !head_end)) || ((state == HEADER_CRC) && poisoned)) && !rst;
    end
    assign ev_backpressure = ready && chosen && head_valid && !granted && !down;

    // ---- measuring
    wire       probe_busy         = !word_idle || (state == DISCARD) || chosen;
    wire       probe_stall_credit = ev_backpressure;
    wire       probe_stall_words  = ready && chosen && !head_valid;
    wire       probe_stall_window = ready && chosen && !taken && (tight || !packets_may_start);
    wire       probe_stall        = ready && chosen && !taken;
    wire       probe_start        = taken;
    wire       probe_done         = (state == BODY_CRC);
    wire [2:0] probe_state        = state;
endmodule
`default_nettype wire
