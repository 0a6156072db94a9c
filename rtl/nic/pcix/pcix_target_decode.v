// Compares an address phase with the base addresses, the Requester ID and IDSEL. Purely combinational: its probes are
// in pcix_target.
//
// Memory addresses above 4 GB miss: the base registers are 32 bits wide (a dual address whose upper half is zero hits).
// Split Completions are claimed on the Requester ID alone; whether they are expected is decided later.
`default_nettype none
module pcix_target_decode #(
    // log2 of the bytes in BAR0
    parameter BAR0_BITS = 27,
    // log2 of the bytes in BAR1
    parameter BAR1_BITS = 15
) (
    input  wire [31:0]         address,
    input  wire [3:0]          command,
    input  wire                dual,             // second phase of a dual address
    input  wire                high_zero,        // upper 32 address bits are zero
    input  wire                idsel,
    input  wire [31:BAR0_BITS] bar0,
    input  wire [31:BAR1_BITS] bar1,
    input  wire                memory_enable,
    input  wire [7:0]          bus_number,
    input  wire [4:0]          device_number,
    output wire                hit_config,
    output wire                hit_bar0,
    output wire                hit_bar1,
    output wire                hit_completion,
    output wire                takes_data        // the data phases carry data to us
);
    localparam [3:0] MEMORY_READ_DWORD = 4'h6, MEMORY_WRITE = 4'h7, ALIAS_READ_BLOCK = 4'h8, ALIAS_WRITE_BLOCK = 4'h9,
                     CONFIG_READ = 4'ha, CONFIG_WRITE = 4'hb, SPLIT_COMPLETION = 4'hc,
                     MEMORY_READ_BLOCK = 4'he, MEMORY_WRITE_BLOCK = 4'hf;

    reg memory;
    reg config_access;
    reg write;

    always @* begin
        memory        = 1'b0;
        config_access = 1'b0;
        write         = 1'b0;
        case (command)
            MEMORY_READ_DWORD, MEMORY_READ_BLOCK, ALIAS_READ_BLOCK:  memory = 1'b1;
            MEMORY_WRITE, MEMORY_WRITE_BLOCK, ALIAS_WRITE_BLOCK: begin
                memory = 1'b1;
                write  = 1'b1;
            end
            CONFIG_READ:      config_access = 1'b1;
            CONFIG_WRITE: begin
                config_access = 1'b1;
                write         = 1'b1;
            end
            SPLIT_COMPLETION: write = 1'b1;
            default: ;
        endcase
    end

    // configuration: type 0, function 0
    assign hit_config     = config_access && idsel && !dual && (address[1:0] == 2'b00) && (address[10:8] == 3'd0);
    assign hit_bar0       = memory && memory_enable && high_zero && (address[31:BAR0_BITS] == bar0);
    assign hit_bar1       = memory && memory_enable && high_zero && (address[31:BAR1_BITS] == bar1);
    assign hit_completion = (command == SPLIT_COMPLETION) && !dual
                            && (address[23:8] == {bus_number, device_number, 3'd0});
    assign takes_data     = write;

    wire unused_bits  = ^address;
endmodule
`default_nettype wire
