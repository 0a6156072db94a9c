// Proof of pm_locks: `bad` is never high, whatever outputs ask for. What is assumed: an output asks while it holds no
// lock, and releases the one that it holds.
//
//   exclusive    no lock has two holders
//   never lost   `free` shows the locks without holder, so a released one can be granted again
//   given        of the requests for a free lock exactly one is granted
//   fair         who asks whenever a lock is given is passed over PORTS - 1 times at most
`default_nettype none
`include "slots.vh"
module prove_pm_locks #(
    parameter PORTS = 4,
    parameter PW    = $clog2(PORTS)
) (
    input  wire                clk,
    input  wire [PORTS-1:0]    any_ask,
    input  wire [PORTS*PW-1:0] any_input,
    input  wire [PORTS-1:0]    any_release,
    input  wire [PW-1:0]       any_output,     // the output and lock that `fair` is looked at for: of the first clock
    input  wire [PW-1:0]       any_lock,
    output wire                bad
);
    reg running;                                // 0 in the first clock
    initial running = 1'b0;
    always @(posedge clk) running <= 1'b1;

    wire [PORTS-1:0]    granted;
    wire [PORTS-1:0]    free;
    reg  [PORTS-1:0]    asked;
    reg  [PORTS-1:0]    held;                   // since an earlier clock
    reg  [PORTS*PW-1:0] which;                  // asked for, or held
    reg  [PORTS-1:0]    was_free;
    wire [PORTS-1:0]    holds   = held | granted;
    wire [PORTS-1:0]    ask     = any_ask & ~holds;
    wire [PORTS-1:0]    release_valid = any_release & holds;
    integer             o;
    integer             i;
    integer             n;

    `PM_LOCKS #(.PORTS(PORTS)) locks (
        .clk (clk), .rst (!running), .ask (ask), .ask_input (any_input), .granted (granted),
        .release_valid (release_valid), .release_input (which), .free (free)
    );

    always @(posedge clk)
        if (!running) begin
            asked    <= {PORTS{1'b0}};
            held     <= {PORTS{1'b0}};
            was_free <= {PORTS{1'b1}};
        end else begin
            asked    <= ask;
            held     <= holds & ~release_valid;
            was_free <= free;
            for (o = 0; o < PORTS; o = o + 1) if (!holds[o]) which[PW*o +: PW] <= any_input[PW*o +: PW];
        end

    // exclusive, never lost, given
    reg [PORTS-1:0] holders;                    // of a lock
    reg [PORTS-1:0] askers;
    reg             wrong;
    always @* begin
        wrong   = |(granted & ~asked);
        holders = {PORTS{1'b0}};
        askers  = {PORTS{1'b0}};
        o       = 0;
        n       = 0;
        for (i = 0; i < PORTS; i = i + 1) begin
            for (o = 0; o < PORTS; o = o + 1) begin
                holders[o] = holds[o] && which[PW*o +: PW] == i[PW-1:0];
                askers[o]  = asked[o] && which[PW*o +: PW] == i[PW-1:0];
            end
            if ((holders & (holders - 1'b1)) != {PORTS{1'b0}} || free[i] != (holders == {PORTS{1'b0}})) wrong = 1'b1;
            n = 0;
            for (o = 0; o < PORTS; o = o + 1) if (askers[o] && granted[o]) n = n + 1;
            if (n != ((was_free[i] && |askers) ? 1 : 0)) wrong = 1'b1;
        end
    end

    // fair
    reg  [PW-1:0] watched;
    reg  [PW-1:0] lock;
    reg  [PW:0]   passed;
    reg           given;                        // the lock, to whomever
    localparam [31:0] LIMIT = PORTS - 1;
    always @* begin
        given = 1'b0;
        for (o = 0; o < PORTS; o = o + 1) if (granted[o] && which[PW*o +: PW] == lock) given = 1'b1;
    end
    wire wants = asked[watched] && which[PW*watched +: PW] == lock;
    always @(posedge clk)
        if (!running) begin
            watched <= any_output;
            lock    <= any_lock;
            passed  <= {PW+1{1'b0}};
        end else if (given) passed <= (wants && !granted[watched]) ? passed + 1'b1 : {PW+1{1'b0}};

    assign bad = running && (wrong || passed > LIMIT[PW:0]);
endmodule
`default_nettype wire
