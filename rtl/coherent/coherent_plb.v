// Slave at the data-side PLB port of one PowerPC 405 (UG018; names of the DCU's signals in lower case, `cancel` is
// ABORT; IBM's bit 0 is our highest). The address chooses who serves: the cache, the registers of the chip, the private
// PLB, or nobody: `err`.
// README.md has the map and the order that a program can rely on.
//
//     clock         0       1       2
//     request   ___/-------\_______________   load that hits: addrack in the clock of the request, data in the next one
//     addrack   ___/-------\_______________
//     rddack    ___________/-------\_______
//
//     request   ___/-------\_______________   store: its word is taken with the address, and performed while `busy`
//     addrack,  ___/-------\_______________
//     wrdack
//     busy      ___________/-------\_______
//
// One access at a time, each performed before the next one is acknowledged; a new one may be acknowledged in the clock
// in which a load ends. A request that is aborted in the clock of `addrack` is dropped. A line of coherent memory is
// four accesses; lines start at word 0 whatever the address says.
//
// Registers: `reg_*` from the clock after `addrack` until `reg_done`, when the processor's word is acknowledged.
// Private PLB: the request is shown again from the clock after `addrack`; data and their acknowledges pass in the same
// clock. The slave there must be 64 bits wide and must not acknowledge data before the clock of its own `addrack`.
`default_nettype none
module coherent_plb (
    input  wire        clk,
    input  wire        rst,

    // processor
    input  wire        request,
    input  wire        rnw,
    input  wire [31:0] abus,
    input  wire        size2,        // a line of eight words of 32 bits
    input  wire [7:0]  be,
    input  wire        cancel,
    input  wire [63:0] wrdbus,
    input  wire [1:0]  priority,
    input  wire        cacheable,
    input  wire        writethru,
    input  wire        guarded,
    input  wire        u0attr,
    output wire        addrack,
    output wire        ssize1,
    output wire        rddack,
    output wire [63:0] rddbus,
    output wire [2:0]  rdwdaddr,
    output wire        wrdack,
    output wire        busy,
    output wire        err,

    // cache
    output wire        cpu_valid,
    input  wire        cpu_ready,
    output wire        cpu_write,
    output wire [1:0]  cpu_atomic,
    output wire [22:0] cpu_line,
    output wire [1:0]  cpu_word,
    output wire [7:0]  cpu_be,
    output wire [63:0] cpu_wdata,
    input  wire        cpu_done,
    input  wire [63:0] cpu_rdata,

    // registers
    output wire        reg_valid,    // level, until `reg_done`
    output wire        reg_write,
    output wire [19:2] reg_address,
    output wire [3:0]  reg_be,       // bit 3: [31:24]
    output wire [31:0] reg_wdata,
    input  wire        reg_done,
    input  wire        reg_error,    // with it
    input  wire [31:0] reg_rdata,

    // private PLB, as the processor's port
    output wire        private_request,
    output wire        private_rnw,
    output wire [31:0] private_abus,
    output wire        private_size2,
    output wire [7:0]  private_be,
    output wire        private_cancel,
    output wire [63:0] private_wrdbus,
    output wire [1:0]  private_priority,
    output wire        private_cacheable,
    output wire        private_writethru,
    output wire        private_guarded,
    output wire        private_u0attr,
    input  wire        private_addrack,
    input  wire        private_rddack,
    input  wire [63:0] private_rddbus,
    input  wire [2:0]  private_rdwdaddr,
    input  wire        private_wrdack,
    input  wire        private_busy,
    input  wire        private_err,

    // an access that ended with `err`, one clock
    output wire        error_event,
    output wire        error_write,
    output wire [31:0] error_address
);
    localparam [2:0] IDLE = 3'd0, CACHE = 3'd1, LINE = 3'd2, LINE_WAIT = 3'd3, REGISTER = 3'd4, PRIVATE = 3'd5,
                     DRAIN = 3'd6, REFUSE = 3'd7;

    reg [2:0]  state;
    reg        read, line;
    reg [31:0] address;
    reg [7:0]  enables;
    reg [4:0]  attributes;
    reg        shown;               // private: not acknowledged yet
    reg [1:0]  word;                // of a line

    wire coherent = abus[31:30] == 2'b01 && abus[29:28] != 2'b11;
    wire apart    = abus[31:30] == 2'b00 || abus[31:30] == 2'b11;
    wire register = abus[31:20] == 12'h800;
    wire ends     = state == CACHE && cpu_done;
    wire free     = state == IDLE || ends;
    wire accept   = request && addrack && !cancel;
    wire direct   = coherent && !size2;
    wire last     = !line || word == 2'd3;
    wire moves    = (state == REGISTER && reg_done) || (state == PRIVATE && (private_rddack || private_wrdack)) ||
                    state == REFUSE || (state == LINE_WAIT && cpu_done);

    assign addrack = request && free && (!direct || cpu_ready);
    assign ssize1  = 1'b1;
    assign busy    = state != IDLE;

    always @(posedge clk)
        if (rst) state <= IDLE;
        else if (accept)
            state <= direct ? CACHE : coherent ? LINE : apart ? PRIVATE : (register && !size2) ? REGISTER : REFUSE;
        else
            case (state)
                CACHE:           if (cpu_done) state <= IDLE;
                LINE:            if (cpu_ready) state <= LINE_WAIT;
                LINE_WAIT:       if (cpu_done) state <= last ? IDLE : LINE;
                PRIVATE:         if (moves && last) state <= DRAIN;
                DRAIN:           if (!private_busy) state <= IDLE;
                REGISTER,
                REFUSE:          if (moves && last) state <= IDLE;
                default: ;
            endcase

    always @(posedge clk)
        if (accept) begin
            read       <= rnw;
            line       <= size2;
            address    <= abus;
            enables    <= be;
            attributes <= {priority, cacheable, writethru, guarded};
            word       <= 2'd0;
        end else if (moves) word <= word + 2'd1;

    reg attribute;
    always @(posedge clk) begin
        if (accept) attribute <= u0attr;
        if (rst)         shown <= 1'b0;
        else if (accept) shown <= 1'b1;
        else if (private_addrack) shown <= 1'b0;
    end

    // ---- cache: a word straight from the pins, a line word by word
    wire lines = state == LINE;
    assign cpu_valid  = lines || (request && free && direct && !cancel);
    assign cpu_write  = lines ? !read : !rnw;
    assign cpu_atomic = lines ? 2'd0 : abus[29:28];
    assign cpu_line   = lines ? address[27:5] : abus[27:5];
    assign cpu_word   = lines ? word : abus[4:3];
    assign cpu_be     = lines ? 8'hff : be;
    assign cpu_wdata  = wrdbus;

    // ---- registers
    wire low = address[2];
    assign reg_valid   = state == REGISTER;
    assign reg_write   = !read;
    assign reg_address = address[19:2];
    assign reg_be      = low ? enables[3:0] : enables[7:4];
    assign reg_wdata   = low ? wrdbus[31:0] : wrdbus[63:32];

    // ---- private PLB
    assign private_request   = state == PRIVATE && shown;
    assign private_rnw       = read;
    assign private_abus      = address;
    assign private_size2     = line;
    assign private_be        = enables;
    assign private_cancel     = 1'b0;
    assign private_wrdbus    = wrdbus;
    assign {private_priority, private_cacheable, private_writethru, private_guarded} = attributes;
    assign private_u0attr    = attribute;

    // ---- answers
    wire taken = (addrack && direct && !rnw) || (lines && cpu_ready && !read);   // a word for the cache
    wire wrong = state == REFUSE || (state == REGISTER && reg_done && reg_error);

    assign rddack   = (ends || moves) && read;
    assign wrdack   = taken || (moves && !read && state != LINE_WAIT);
    assign rddbus   = (state == PRIVATE) ? private_rddbus : (state == REGISTER) ? {reg_rdata, reg_rdata} : cpu_rdata;
    assign rdwdaddr = (state == PRIVATE) ? private_rdwdaddr : {word, 1'b0};
    assign err      = wrong || (state == PRIVATE && moves && private_err);

    assign error_event   = wrong && (last || state == REGISTER);
    assign error_write   = !read;
    assign error_address = address;

    // ---- measuring
    wire probe_busy  = state != IDLE;
    wire probe_start = accept;
    wire probe_done  = rddack || wrdack;
endmodule
`default_nettype wire
