// One outstanding DMA read: the remaining count, and a half word that waits for its other half.
//
// Opened when the caller's request is accepted; from then on it sees every data phase with its tag, whether immediate
// data of our own request or a Split Completion, 64 or 32 bits wide, and turns them into 64-bit words in address order.
// If a 32-bit target disconnects after an odd number of dwords, `half` keeps the odd one.
//   data phase in cycle t  ->  word in t+1 (registered by pcix_reads)
//   last word in cycle t   ->  done in t+2, when the parity of that data phase is known
// A read ends early when the initiator or an error message ends it (`fail`), or when pcix_reads abandons it: it has
// been split for 8 ticks (`overdue`). Data that then still arrive for its tag match no entry.
`default_nettype none
module pcix_read_entry (
    input  wire        clk,
    input  wire        rst,

    // ---- open
    input  wire        open,
    input  wire [4:0]  open_tag,
    input  wire [9:0]  open_words,
    input  wire [3:0]  open_low,               // address [6:3]

    // ---- the request was answered with Split Response
    input  wire [4:0]  own_tag,                // tag of the initiator's request
    input  wire        own_asked,              // REQ# is low for it
    input  wire        split,

    // ---- a data phase
    input  wire [4:0]  data_tag,
    input  wire        data_valid,
    input  wire        data_wide,              // it had 64 bits
    input  wire [63:0] data,
    input  wire        data_bad,               // the previous cycle's data phase had wrong parity
    output wire        word_valid,             // this cycle
    output wire [63:0] word,

    // ---- an early end
    input  wire [4:0]  fail_tag,
    input  wire        fail,                   // one clock: the read fail_tag has ended without all its data
    input  wire [2:0]  fail_status,
    input  wire        tick,                   // one clock: an eighth of the time for completions has passed
    output wire        overdue,                // it has been split for 8 ticks
    input  wire        expire,                 // one clock, while no data arrives

    // ---- is this Split Completion the one expected?
    input  wire [4:0]  look_tag,
    input  wire [6:0]  look_low,
    input  wire [12:0] look_count,
    input  wire        look_part,              // ... counts only a part of the read, up to an ADB (BCM)
    output wire        look_known,             // the tag is outstanding
    output wire        look_match,             // address and byte count fit too

    // ---- state
    output reg         active,
    output reg         asked,                  // active, and REQ# has been low for it
    output reg         waiting,                // split, no completion data yet
    output wire        splitting,              // split and unfinished
    output reg  [4:0]  tag,
    output wire        done,                   // one clock
    output wire [2:0]  status                  // with done: as rd_status of pcix_core
);
    localparam [2:0] OK = 3'd0, PARITY = 3'd3, ABANDONED = 3'd5;

    reg        is_split;
    reg [9:0]  words;
    reg [3:0]  low;
    reg        odd;
    reg        bad;
    reg        data_was_mine;
    reg [31:0] half;
    reg        finishing;
    reg        ending;
    reg [2:0]  code;
    reg [3:0]  ticks;

    wire open_end = active && (words != 10'd0);
    wire mine     = open_end && data_valid && (data_tag == tag);
    wire complete = mine && (data_wide || odd);
    wire failing  = open_end && ((fail && (fail_tag == tag)) || expire);

    wire [12:0] left = {words, 3'b000} - {10'd0, odd, 2'b00};    // bytes

    assign word_valid = complete;
    assign word       = !odd ? data : {data_wide ? data[63:32] : data[31:0], half};
    assign look_known = is_split && (look_tag == tag);
    assign look_match = look_known && (look_low == {low, odd, 2'b00})
                        && ((look_count == left) || (look_part && look_count < left));
    assign splitting  = is_split;
    assign overdue    = ticks[3];
    assign done       = ending;
    assign status     = (code != OK) ? code : bad ? PARITY : OK;

    always @(posedge clk)
        if (rst) begin
            active        <= 1'b0;
            asked         <= 1'b0;
            is_split      <= 1'b0;
            waiting       <= 1'b0;
            tag           <= 5'd0;
            words         <= 10'd0;
            low           <= 4'd0;
            odd           <= 1'b0;
            bad           <= 1'b0;
            data_was_mine <= 1'b0;
            finishing     <= 1'b0;
            ending        <= 1'b0;
            code          <= OK;
        end else begin
            data_was_mine <= mine;
            finishing     <= complete && (words == 10'd1);
            ending        <= finishing || failing;
            if (open) begin
                active   <= 1'b1;
                asked    <= 1'b0;
                is_split <= 1'b0;
                waiting  <= 1'b0;
                tag      <= open_tag;
                words    <= open_words;
                low      <= open_low;
                odd      <= 1'b0;
                bad      <= 1'b0;
                code     <= OK;
            end else begin
                if (ending) begin
                    active <= 1'b0;
                    asked  <= 1'b0;
                end else if (active && own_asked && own_tag == tag)
                    asked <= 1'b1;
                if (failing) begin
                    words <= 10'd0;
                    code  <= expire ? ABANDONED : fail_status;
                end else if (complete) begin
                    words <= words - 10'd1;
                    low   <= low + 4'd1;
                    odd   <= 1'b0;
                end else if (mine)
                    odd   <= 1'b1;
                if (failing || (complete && words == 10'd1))
                    is_split <= 1'b0;
                else if (active && split && own_tag == tag) begin
                    is_split <= 1'b1;
                    waiting  <= 1'b1;
                end
                if (mine || failing)
                    waiting <= 1'b0;
                if (data_was_mine && data_bad)
                    bad <= 1'b1;
            end
        end

    always @(posedge clk)
        if (!is_split)
            ticks <= 4'd0;
        else if (tick && !ticks[3])
            ticks <= ticks + 4'd1;

    always @(posedge clk)
        if (mine && !complete)
            half <= data[31:0];

    wire probe_busy        = active;
    wire probe_stall_split = is_split && !mine;
    wire probe_start       = open;
    wire probe_done        = done;
endmodule
`default_nettype wire
