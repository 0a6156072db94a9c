// Contexts: per queue the remainder of the transfer at its head, ready for the next packet to be cut off.
//
// A context is made from a transfer's header word (dma_voq_writer) and advanced by one packet at a time:
//
//     size     payload of the next packet: min(words left, limit)
//     after    words left after it; 0 = it is the last one
//     address  its destination; a multiple of 8, bits [2:0] are kept only with SYNC: an operation has [0] = 1
//     group    with SYNC, header [57:52], which are not needed as several queues have one destination each
//
// One write per clock, of one of three kinds, all through one subtractor: a header read from the ring (`load`), the
// step to the next packet (`step`), a header on its way into an empty queue (`put`). `load` wins over `step`, `step`
// over `put`; the writers must know (`load` and `step` are registers in the departure, so that is easy). Reads are
// combinational: whole contexts at `head_voq` and `step_voq`, the size alone at `look_voq`.
`default_nettype none
module voq_context #(
    // log2 of the queues, 1..4
    parameter LOG2_VOQS = 3,
    // log2 of the destinations, 1..7
    parameter LOG2_QUEUES = 3,
    // 1: with operations and groups; 0: without
    parameter SYNC = 0
) (
    input  wire                   clk,

    input  wire                   load,
    input  wire [LOG2_VOQS-1:0]   load_voq,
    input  wire [63:0]            load_header,
    input  wire                   put,
    input  wire [LOG2_VOQS-1:0]   put_voq,
    input  wire [63:0]            put_header,
    output wire [9:0]             put_size,     // value that would be written now: size, destination
    output wire [LOG2_QUEUES-1:0] put_lane,

    input  wire                   step,         // context of `step_voq` becomes that of its next packet
    input  wire [LOG2_VOQS-1:0]   step_voq,
    output wire [9:0]             step_size,    // ... of the packet that is left behind
    output wire                   step_last,
    output wire [LOG2_QUEUES-1:0] step_lane,

    input  wire [LOG2_VOQS-1:0]   look_voq,
    output wire [9:0]             look_size,
    output wire [LOG2_QUEUES-1:0] look_lane,

    input  wire [LOG2_VOQS-1:0]   head_voq,
    output wire [9:0]             head_size,
    output wire                   head_last,
    output wire [31:0]            head_address,
    output wire [2:0]             head_flags,   // remote notification, local notification, remote interrupt
    output wire [LOG2_QUEUES-1:0] head_lane,
    output wire [5:0]             head_group
);
    localparam SLOTS = 1 << LOG2_VOQS;

    initial
        if (LOG2_VOQS < 1 || LOG2_VOQS > 4 || LOG2_QUEUES < 1 || LOG2_QUEUES > 7) begin
            $display("%m: LOG2_VOQS must be 1..4, is %0d; LOG2_QUEUES 1..7, is %0d", LOG2_VOQS, LOG2_QUEUES);
            $finish;
        end

    (* ram_style = "distributed" *) reg [9:0]             sizes [0:SLOTS-1];
    (* ram_style = "distributed" *) reg [LOG2_QUEUES-1:0] lanes [0:SLOTS-1];
    (* ram_style = "distributed" *) reg [8:0]             afters [0:SLOTS-1];
    (* ram_style = "distributed" *) reg [9:0]             limits [0:SLOTS-1];
    (* ram_style = "distributed" *) reg [2:0]             flags [0:SLOTS-1];
    (* ram_style = "distributed" *) reg [28:0]            places [0:SLOTS-1];   // address [31:3]

    // ---- the context that is written
    wire [LOG2_VOQS-1:0]   at      = load ? load_voq : step ? step_voq : put_voq;
    wire [63:0]            header  = load ? load_header : put_header;
    wire                   old     = step && !load;
    wire [9:0]             left    = old ? {1'b0, afters[at]} : header[41:32];
    wire [9:0]             limit   = old ? limits[at] : header[51:42];
    wire [9:0]             size    = (left > limit) ? limit : left;
    wire [9:0]             after   = left - size;
    wire [28:0]            address = old ? places[at] + {19'd0, sizes[at]} : header[31:3];

    always @(posedge clk)
        if (load || step || put) begin
            sizes[at]  <= size;
            afters[at] <= after[8:0];
            places[at] <= address;
        end

    // Fields that stay the same for all packets.
    always @(posedge clk)
        if (load || put) begin
            lanes[at]  <= put_lane;
            limits[at] <= header[51:42];
            flags[at]  <= header[62:60];
        end

    assign put_size  = size;
    assign put_lane  = header[51+LOG2_QUEUES:52];
    assign step_size = sizes[at];
    assign step_last = (afters[at] == 9'd0);
    assign step_lane = lanes[at];

    // ---- readers
    assign look_size    = sizes[look_voq];
    assign look_lane    = lanes[look_voq];
    assign head_size    = sizes[head_voq];
    assign head_last    = (afters[head_voq] == 9'd0);
    wire   [2:0] head_low;
    assign head_address = {places[head_voq], head_low};
    assign head_flags   = flags[head_voq];
    assign head_lane    = lanes[head_voq];

    generate
        if (SYNC != 0) begin : operations
            (* ram_style = "distributed" *) reg [8:0] extras [0:SLOTS-1];

            always @(posedge clk)
                if (load || put) extras[at] <= {header[57:52], header[2:0]};

            assign {head_group, head_low} = extras[head_voq];
        end else begin : transfers
            assign {head_group, head_low} = 9'd0;
        end
    endgenerate

    // ---- measuring
    wire probe_busy  = load || step || put;
    wire probe_start = load || put;
    wire probe_done  = step && !load && step_last;

    wire unused = &{1'b0, header[63], header[59], header[2:0], header[58:52], after[9]};
endmodule
`default_nettype wire
