// Parity checking and the error lines PERR# and SERR#.
//
// Parity of what the bus carries at clock n is on PAR / PAR64 at n+1. The xor over the data is taken when n is
// captured, compared with PAR one cycle later, and reaches PERR# / SERR# at clock n+3, as the sheet (10) wants.
//   check_control: n is an address or attribute phase (32 bits; the upper half is ignored).
//   check_low/high: n is a data phase in which we are the receiver.
// The error outputs show in the cycle after the check.
//
// SERR#: a bad address or attribute phase, or any event that sets Master Data Parity Error while recovery is off.
`default_nettype none
module pcix_parity (
    input  wire        clk,
    input  wire        rst,

    input  wire [63:0] in_ad,
    input  wire [7:0]  in_cbe_n,
    input  wire        in_par,
    input  wire        in_par64,

    // ---- what the bus carried in this cycle's in_*
    input  wire        check_control,          // address or attribute phase: 32 bits
    input  wire        check_low,              // data phase to us, AD[31:0]
    input  wire        check_high,             // ... AD[63:32]

    // ---- errors of the previous cycle's in_*
    output wire        control_error,
    output wire        data_error,

    // ---- configuration
    input  wire        parity_response,        // Command bit 6
    input  wire        serr_enable,            // Command bit 8
    input  wire        parity_recovery,        // PCI-X Command bit 0
    input  wire        master_data_parity,     // pulse: Status bit 8 is being set

    // ---- lines, and status bits
    output wire        drive_perr,             // 1: PERR# low
    output wire        drive_serr              // 1: SERR# low
);
    reg low_xor;
    reg high_xor;
    reg control_checked;
    reg low_checked;
    reg high_checked;

    always @(posedge clk)
        if (rst) begin
            low_xor         <= 1'b0;
            high_xor        <= 1'b0;
            control_checked <= 1'b0;
            low_checked     <= 1'b0;
            high_checked    <= 1'b0;
        end else begin
            low_xor         <= ^{in_ad[31:0], in_cbe_n[3:0]};
            high_xor        <= ^{in_ad[63:32], in_cbe_n[7:4]};
            control_checked <= check_control;
            low_checked     <= check_low;
            high_checked    <= check_high;
        end

    wire low_wrong  = low_xor ^ in_par;
    wire high_wrong = high_xor ^ in_par64;

    assign control_error = control_checked && low_wrong;
    assign data_error    = (low_checked && low_wrong) || (high_checked && high_wrong);
    assign drive_perr    = data_error && parity_response;
    assign drive_serr    = serr_enable && parity_response
                           && (control_error || (master_data_parity && !parity_recovery));

    wire probe_busy = control_checked || low_checked || high_checked;
endmodule
`default_nettype wire
