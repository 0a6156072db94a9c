// The rules of a PCI-X bus, for both of its sides: sim/model/host/pcix_rules.h has the list, this file what they mean
// in gates, clock by clock as sim/model/host/pcix_monitor.h checks them. tb/unit/host feeds both the same violations.
//
// One initiator and one target are on the bus. `by_initiator` and `by_target` have a bit for each rule, in the order of
// the list: the one whose pins have broken it. `ad`, `cbe_n` and `level` are what the wires carry, `initiator_oe` and
// `target_oe` who drives them; `level` and these in the order of enum pcix_signal. A proof of a side requires none of
// its bits as long as none of the other side's was set.
//
// Not here: rules of arbiters, of a third agent, of electrical errors (PERR#, SERR#) and of byte enables; rules that
// span transactions or need the configuration of an agent, but for LATENCY_TIMER.
`default_nettype none
`include "bus_rules.vh"
module pcix_properties (
    input  wire                   clk,
    input  wire                   rst,             // RST# is low
    input  wire [63:0]            ad,
    input  wire [7:0]             cbe_n,
    input  wire [10:0]            level,
    input  wire [14:0]            initiator_oe,
    input  wire [14:0]            target_oe,
    input  wire                   gnt_n,           // the initiator's
    input  wire [7:0]             latency_timer,   // of the initiator; 255: none
    output reg  [`PCIX_RULES-1:0] by_initiator,
    output reg  [`PCIX_RULES-1:0] by_target,
    output reg  [3:0]             phase,           // enum pcix_phase
    output wire [11:0]            index            // in a data phase: its number
);
    localparam FRAME = 0, IRDY = 1, DEVSEL = 2, TRDY = 3, STOP = 4, REQ64 = 5, ACK64 = 6, PAR = 9, PAR64 = 10, AD = 11,
               AD64 = 12, CBE64 = 14;
    localparam [14:0] CONTROLS = 15'h0023, ANSWERS = 15'h005c, HELD = 15'h00ff, DATA_LINES = 15'h1800,
                      COMMAND_LINES = 15'h6000;
    localparam [3:0] IDLE = 4'd0, ADDRESS = 4'd1, ADDRESS2 = 4'd2, ATTRIBUTE = 4'd3, RESPONSE = 4'd4, WAIT = 4'd5,
                     DATA = 4'd6, TERMINATE = 4'd7, OVER = 4'd8;
    localparam [3:0] MEMORY_WRITE = 4'h7, CONFIG_READ = 4'ha, CONFIG_WRITE = 4'hb, SPLIT_COMPLETION = 4'hc,
                     DUAL_ADDRESS = 4'hd;
    localparam [11:0] SLACK = 12'd6;               // phases to leave in after the timer: 4, and 2 for a slow decision

    wire frame = !level[FRAME], irdy = !level[IRDY], devsel = !level[DEVSEL], trdy = !level[TRDY], stop = !level[STOP];
    wire idle  = !frame && !irdy;

    // ---- clocks before
    reg [3:1]  frames, irdys;                      // low so many clocks ago
    reg [2:1]  gnts_n;
    reg [14:0] initiator_had, target_had;          // output enables
    reg [7:0]  level_had;
    reg [31:0] upper_had;
    reg [3:0]  upper_cbe_had;
    reg [1:0]  parity_had;
    reg [2:0]  since_reset;                        // 7 at most

    // ---- the transaction, as the clock before left it
    reg [3:0]  was;                                // its phase
    reg        dual, req64, ack64, claimed, frame_up, stopped, single;
    reg [3:0]  command;
    reg [6:0]  address;
    reg [12:0] count;
    reg [4:0]  since_a, since_d;                   // clocks since the address phase and DEVSEL#, 31 at most
    reg [9:0]  since_start;
    reg [11:0] moved, stop_at, frame_at, plan_seen, leave_by;
    reg        plan_known, frame_known, irdy_known, target_over, timer_out;
    reg [12:0] frame_left, irdy_left;              // clocks until FRAME# must be high, until IRDY# must
    reg [1:0]  since_over;                         // of the target, 3 at most
    reg        frame_rose, irdy_rose;              // in the clock before
    reg [63:0] word_0, word_1;
    reg [7:0]  cbe_0, cbe_1;

    // ---- this clock
    reg        claims, claimed_n, ack64_n, single_n, stopped_n, frame_up_n, frame_known_n, irdy_known_n, target_over_n,
               timer_out_n, dual_n, req64_n;
    reg [3:0]  command_n, answer;
    reg [6:0]  address_n;
    reg [4:0]  since_a_n, since_d_n;
    reg [9:0]  since_start_n;
    reg [11:0] stop_at_n, frame_at_n, last, leave_by_n, at;
    reg [12:0] frame_left_n, irdy_left_n;
    reg        runs, first, responds, ended, writes, reads, dword, wide, sends, known, second, waiting;
    reg [13:0] phases;
    reg [4:0]  offset;
    reg [14:0] need;
    reg [63:0] lines;
    reg        half_bad;
    assign index = moved;

    // index of the last data phase before the first ADB that at least so many phases lead to
    function [11:0] to_adb(input [11:0] least, input [4:0] behind, input is_wide);
        reg [11:0] mask;
        begin
            mask   = is_wide ? 12'd15 : 12'd31;
            to_adb = ((least + {7'd0, behind} + mask) & ~mask) - {7'd0, behind} - 12'd1;
        end
    endfunction

    always @* begin
        // ---- follow the transaction (pcix_tracker)
        {command_n, address_n, dual_n, req64_n} = {command, address, dual, req64};
        {claims, claimed_n, ack64_n, single_n}  = {1'b0, claimed, ack64, single};
        {stop_at_n, frame_at_n, stopped_n}      = {stop_at, frame_at, stopped};
        first  = was == ATTRIBUTE || was == RESPONSE || was == WAIT;
        answer = (trdy && (devsel || stop)) ? DATA : (first && devsel && !trdy && !stop) ? WAIT : TERMINATE;
        if (was == DATA && !frame && &frame_at) frame_at_n = moved + 12'd1;
        last  = (frame_at_n < stop_at) ? frame_at_n : stop_at;
        phase = OVER;
        if (was == IDLE) phase = (frame && !frames[1] && !irdys[1]) ? ADDRESS : IDLE;
        else if (was == ADDRESS && dual)                  phase = ADDRESS2;
        else if (was == ADDRESS || was == ADDRESS2)       phase = ATTRIBUTE;
        else if (idle && was != ATTRIBUTE)                phase = IDLE;
        else if (first)                                   phase = claimed ? answer : RESPONSE;
        else if (was == DATA && moved <= last && !single) phase = answer;
        runs = phase != IDLE || was != IDLE;

        since_a_n     = since_a + {4'd0, !(&since_a)};
        since_d_n     = since_d + {4'd0, !(&since_d)};
        since_start_n = since_start + {9'd0, !(&since_start)};
        if (phase == ADDRESS) begin
            {command_n, address_n, dual_n, req64_n} = {cbe_n[3:0], ad[6:0], cbe_n[3:0] == DUAL_ADDRESS, !level[REQ64]};
            {claimed_n, ack64_n, single_n, stopped_n, since_a_n, since_start_n} = 19'd0;
            {stop_at_n, frame_at_n} = {12'd0, 12'hfff};
        end
        if (phase == ADDRESS2) {command_n, since_a_n} = {cbe_n[3:0], 5'd0};
        if (phase == RESPONSE && devsel) {claims, claimed_n, ack64_n, since_d_n} = {2'd3, !level[ACK64], 5'd0};
        dword  = command_n < MEMORY_WRITE || command_n == CONFIG_READ || command_n == CONFIG_WRITE;
        reads  = command_n == 4'h0 || command_n == 4'h2 || command_n == 4'h6 || command_n == 4'h8
                 || command_n == CONFIG_READ || command_n == 4'he;
        writes = !reads;
        wide   = req64 && ack64_n;
        phases = dword ? 14'd1 : wide ? ({1'b0, count} + {11'd0, address[2:0]} + 14'd7) >> 3
                                      : ({1'b0, count} + {12'd0, address[1:0]} + 14'd3) >> 2;
        offset = wide ? {1'b0, address[6:3]} : address[6:2];
        responds = first && claimed && phase != WAIT && phase != IDLE;
        if (phase == DATA) begin
            if (first) stop_at_n = phases[11:0] - 12'd1;
            if (first && !frame) frame_at_n = 12'd1;
            if (!devsel) {single_n, stop_at_n} = {1'b1, moved};
            else if (stop && !stopped) begin
                stopped_n = 1'b1;
                if (to_adb(first ? 12'd1 : moved + 12'd4, offset, wide) < stop_at_n)
                    stop_at_n = to_adb(first ? 12'd1 : moved + 12'd4, offset, wide);
            end
        end
        last = (frame_at_n < stop_at_n) ? frame_at_n : stop_at_n;

        {by_initiator, by_target} = {2*`PCIX_RULES{1'b0}};

        // ---- the target's answer
        target_over_n = target_over && phase != ADDRESS;
        if (runs && !claimed_n) begin
            by_target[`PCIX_TARGET_EARLY]    = (target_oe & ANSWERS) != 15'd0;
            by_initiator[`PCIX_TARGET_EARLY] = (initiator_oe & ANSWERS) != 15'd0;
        end
        if (runs && claimed_n) by_initiator[`PCIX_TARGET_ONLY] = (initiator_oe & ANSWERS) != 15'd0;
        if (claims) begin
            by_target[`PCIX_DEVSEL_WINDOW]  = !(since_a_n == 5'd2 || since_a_n == 5'd3 || since_a_n == 5'd4
                                              || since_a_n == 5'd6);
            by_target[`PCIX_DEVSEL_COMMAND] = command == 4'h1 || command == 4'h4 || command == 4'h5;
            by_target[`PCIX_RESPONSE_EARLY] = trdy || stop;
            by_target[`PCIX_TARGET_DRIVE]   = !target_oe[DEVSEL] || !target_oe[TRDY] || !target_oe[STOP];
            by_target[`PCIX_ACK64_ALONE]    = ack64_n && !req64;
        end else if (runs && claimed_n && target_over_n) begin
            by_target[`PCIX_TARGET_STOP]    = (~level[7:0] & ANSWERS[7:0]) != 8'd0;
            by_target[`PCIX_STS_RELEASE]    = since_over != 2'd0 && (target_oe & ANSWERS) != 15'd0;
        end else if (runs && claimed_n) begin
            if (phase == WAIT) by_target[`PCIX_LATENCY_DATA] = since_start_n > 10'd15;
            else if (responds) begin
                by_target[`PCIX_RESPONSE_LOST]    = !trdy && !stop;
                by_target[`PCIX_RESPONSE_COMMAND] = (command == SPLIT_COMPLETION)
                    ? !(devsel ? trdy && !stop : stop && !trdy)
                    : (trdy && !devsel && !stop && writes && !dword) || (trdy && devsel && stop && dword);
                by_target[`PCIX_LATENCY_END]      = phase != DATA && (trdy || stop) && since_start_n > 10'd7;
                by_target[`PCIX_LATENCY_DATA]     = phase == DATA && since_start_n > 10'd15;
                by_target[`PCIX_WAIT_PAIR]        = phase == DATA && !since_d_n[0] && writes
                                                    && (!dword || command == SPLIT_COMPLETION);
                by_target[`PCIX_SPLIT_ONES]       = trdy && !devsel && !stop && reads
                    && (ad[31:0] != 32'hffffffff || (ack64 && ad[63:32] != 32'hffffffff) || !target_oe[AD]);
            end else begin
                by_target[`PCIX_RESPONSE_LATER]   = (!devsel && trdy) || (devsel && stop && !trdy);
                by_target[`PCIX_TARGET_WAIT]      = !(!devsel && trdy) && !(stop && !trdy) && !trdy;
                by_target[`PCIX_STOP_STICKY]      = devsel && trdy && stopped && !stop;
            end
            if (level[ACK64] ? ack64 && devsel : !ack64 || (!devsel && !responds && phase != TERMINATE)) begin
                by_target[`PCIX_ACK64_DEVSEL]     = req64;
                by_target[`PCIX_ACK64_ALONE]      = !req64;
            end
            if (phase == TERMINATE || (phase == DATA && (moved + 12'd1 > last || single_n))) target_over_n = 1'b1;
        end

        // ---- when FRAME# and IRDY# have to rise
        {frame_up_n, frame_known_n, irdy_known_n} = {frame_up, frame_known, irdy_known} & {3{phase != ADDRESS}};
        {frame_left_n, irdy_left_n, at} = {frame_left, irdy_left, moved};
        if (runs && ((!claimed_n && since_a_n == 5'd6 && !irdy_known) || phase == TERMINATE)) begin
            if (!frame_known || frame_left > 13'd2) frame_left_n = 13'd2;
            if (!irdy_known || irdy_left > 13'd2)   irdy_left_n  = 13'd2;
            {frame_known_n, irdy_known_n} = 2'b11;
        end else if (phase == DATA && (!plan_known || stop_at_n != plan_seen) && !frame_up) begin
            frame_known_n = 1'b1;
            frame_left_n  = {1'b0, (stop_at_n < 12'd3) ? 12'd3 : stop_at_n} - 13'd1 - {1'b0, moved};
            if (stop_at_n <= 12'd2) begin
                irdy_known_n = 1'b1;
                irdy_left_n  = {1'b0, (stop_at_n == 12'd0) ? 12'd2 : stop_at_n + 12'd1} - {1'b0, moved};
            end
        end
        if (runs && phase != ADDRESS) begin
            if (frame_up) by_initiator[`PCIX_FRAME_EARLY] = frame;
            else if (frame) begin
                by_initiator[`PCIX_MASTER_ABORT] = frame_known_n && frame_left_n == 13'd0 && !claimed_n;
                by_initiator[`PCIX_FRAME_LATE]   = frame_known_n && frame_left_n == 13'd0 && claimed_n;
            end else begin
                frame_up_n = 1'b1;
                if (!frame_known_n || frame_left_n != 13'd0) begin
                    // a Target-Abort of this clock or the one before comes too late to matter
                    at = moved + {11'd0, was == TERMINATE};
                    if (!(phase == DATA || phase == TERMINATE || was == TERMINATE) || moved == 12'd0 || at < 12'd2)
                    begin
                        by_initiator[`PCIX_MASTER_ABORT] = !claimed_n && since_a_n > 5'd6;
                        by_initiator[`PCIX_FRAME_EARLY]  = claimed_n || since_a_n <= 5'd6;
                    end else by_initiator[`PCIX_ADB_END] = to_adb(at + 12'd2, offset, wide) != at + 12'd1;
                end
                if (phase == DATA && (!irdy_known_n || irdy_left_n + {1'b0, moved} > {1'b0, last} + 13'd1)) begin
                    irdy_known_n = 1'b1;
                    irdy_left_n  = {1'b0, (last == 12'd0) ? 12'd2 : last + 12'd1} - {1'b0, moved};
                end
            end
        end
        ended = irdy_known_n && irdy_left_n == 13'd0;

        // ---- IRDY#, REQ64#
        if (phase == ADDRESS) by_initiator[`PCIX_IRDY_START] = irdy;
        else if (runs && since_a_n <= 5'd2) by_initiator[`PCIX_IRDY_START] = irdy;
        else if (runs && irdy) begin
            by_initiator[`PCIX_MASTER_ABORT] = by_initiator[`PCIX_MASTER_ABORT] || (ended && !claimed_n);
            by_initiator[`PCIX_IRDY_END]     = ended && claimed_n;
        end else if (runs && !ended) begin
            by_initiator[`PCIX_IRDY_START]   = since_a_n == 5'd3;
            by_initiator[`PCIX_IRDY_WAIT]    = since_a_n != 5'd3;
        end
        if (runs) by_initiator[`PCIX_REQ64_FRAME] = !level[REQ64] != (req64_n && frame);

        // ---- who drives AD and C/BE#
        sends = phase == ADDRESS || since_a_n <= 5'd1 || (writes && !ended);
        need  = COMMAND_LINES | (sends ? DATA_LINES : 15'd0);
        if (!(req64_n && since_a_n > 5'd1 && (!claimed_n || ack64_n))) {need[CBE64], need[AD64]} = 2'b00;
        if (runs) begin
            by_target[`PCIX_INITIATOR_ONLY] = (target_oe & (CONTROLS | COMMAND_LINES)) != 15'd0;
            by_target[`PCIX_AD_OWNER]       = (target_oe & DATA_LINES) != 15'd0
                && (writes || !claimed_n || since_a_n < 5'd3 || phase == ADDRESS || target_over);
            if (ended) by_initiator[`PCIX_INITIATOR_RELEASE] = (initiator_oe & (DATA_LINES | COMMAND_LINES)) != 15'd0;
            else begin
                by_initiator[`PCIX_AD_OWNER]  = !sends && (initiator_oe & DATA_LINES) != 15'd0;
                by_initiator[`PCIX_AD_DRIVEN] = (initiator_oe & need) != need;
                by_target[`PCIX_AD_DRIVEN]    = phase == DATA && !sends
                                                && (!target_oe[AD] || (ack64_n && !target_oe[AD64]));
            end
            if (since_a_n >= 5'd2 && phase != ADDRESS && !ended && command_n != MEMORY_WRITE)
                by_initiator[`PCIX_CBE_HIGH] = cbe_n != 8'hff;
        end

        // ---- the latency timer: with it out and GNT# high the initiator leaves at the next ADB it can make
        {timer_out_n, leave_by_n} = {timer_out && phase != ADDRESS, leave_by};
        if (phase == DATA && !frame_up_n && !dword && since_start_n >= {2'd0, latency_timer}
                && latency_timer != 8'hff) begin
            timer_out_n = gnt_n;
            if (gnt_n && !timer_out) leave_by_n = to_adb(moved + SLACK, offset, wide);
            by_initiator[`PCIX_LATENCY_TIMER] = gnt_n && moved > leave_by_n;
        end

        // ---- data of a write until the first response has been seen: D0 up to d + 1, then D1 D0 D1 ..
        known  = claimed_n && since_d_n >= 5'd2;
        second = known && phases > 14'd1 && !since_d_n[0];
        lines  = {{32{req64 && (!known || ack64)}}, {32{!(req64 && address[2] && known && ack64)}}};
        if (runs && since_a_n >= 5'd2 && phase != ADDRESS && writes && (first || was == ADDRESS)
                && (claimed_n || since_a_n <= 5'd6) && phase != IDLE) begin
            by_initiator[`PCIX_UPPER_DUPLICATE] = req64 && address[2] && !known && ad[63:32] != ad[31:0];
            if (since_a_n != 5'd2 && !(second && since_d_n == 5'd2))
                by_initiator[`PCIX_WRITE_HOLD] = ((ad ^ (second ? word_1 : word_0)) & lines) != 64'd0
                    || ((cbe_n ^ (second ? cbe_1 : cbe_0)) & {{4{lines[63]}}, {4{lines[0]}}}) != 8'd0;
        end

        // ---- start and address phases
        if (phase == ADDRESS) begin
            by_initiator[`PCIX_START_GNT]   = gnts_n[2] && cbe_n[3:0] != CONFIG_READ && cbe_n[3:0] != CONFIG_WRITE;
            by_initiator[`PCIX_START_IDLE]  = (frames[2] || irdys[2]) && (frames[3] || !irdys[3]);
            by_initiator[`PCIX_RESET_START] = since_reset < 3'd5;
        end
        if ((phase == ADDRESS && !dual_n) || phase == ADDRESS2) begin
            by_initiator[`PCIX_COMMAND] = command_n == 4'h4 || command_n == 4'h5 || command_n == 4'h8
                                          || command_n == 4'h9 || command_n == DUAL_ADDRESS;
            by_initiator[`PCIX_DAC_COMMAND]   = phase == ADDRESS2 && command_n < 4'h6;
            if (phase == ADDRESS2 && (command_n == CONFIG_READ || command_n == CONFIG_WRITE
                                      || command_n == SPLIT_COMPLETION)) by_initiator[`PCIX_DAC_COMMAND] = 1'b1;
            by_initiator[`PCIX_DAC_ZERO]      = phase == ADDRESS2 && ad[31:0] == 32'd0;
            by_initiator[`PCIX_REQ64_COMMAND] = dword && req64_n;
            by_initiator[`PCIX_CONFIG_ADDRESS] = (command_n == CONFIG_READ || command_n == CONFIG_WRITE)
                && (ad[31:16] != 16'd1 << ad[14:11] || ad[15] || ad[1:0] != 2'd0);
        end
        if ((phase == ADDRESS && !dual_n) || phase == ATTRIBUTE)
            by_initiator[`PCIX_UPPER_HIGH] = ad[63:32] != 32'hffffffff || cbe_n[7:4] != 4'hf;
        if (phase == ADDRESS2)
            by_initiator[`PCIX_UPPER_DAC] = req64 && initiator_oe[AD64] && initiator_oe[CBE64] && initiator_had[AD64]
                && initiator_had[CBE64] && (ad[63:32] != ad[31:0] || upper_had != ad[63:32] || cbe_n[7:4] != cbe_n[3:0]
                                            || upper_cbe_had != cbe_n[3:0]);
        if (phase == ATTRIBUTE && command != SPLIT_COMPLETION)
            by_initiator[`PCIX_ATTRIBUTE_RESERVED] = ad[31]
                || ((command <= 4'h3 || command == CONFIG_READ || command == CONFIG_WRITE) && ad[30:29] != 2'd0)
                || (dword && command != CONFIG_READ && command != CONFIG_WRITE && ad[7:0] != 8'd0);

        // ---- no transaction runs; signals that are released
        if (!runs) begin
            by_initiator[`PCIX_IDLE_CONTROL] = (initiator_oe & (CONTROLS | ANSWERS)) != 15'd0;
            by_initiator[`PCIX_IDLE_AD] = (initiator_oe & (DATA_LINES | COMMAND_LINES)) != 15'd0 && gnts_n[2];
            by_target[`PCIX_IDLE_CONTROL] = (target_oe & CONTROLS) != 15'd0
                                            || ((target_oe & ANSWERS) != 15'd0 && since_over != 2'd0);
            by_target[`PCIX_IDLE_AD] = (target_oe & (DATA_LINES | COMMAND_LINES)) != 15'd0;
        end
        by_initiator[`PCIX_STS_HIGH] = (initiator_had[7:0] & ~initiator_oe[7:0] & HELD[7:0] & ~level_had) != 8'd0;
        by_target[`PCIX_STS_HIGH]    = (target_had[7:0] & ~target_oe[7:0] & HELD[7:0] & ~level_had) != 8'd0;
        by_initiator[`PCIX_STS_RELEASE] = (frame_rose && (initiator_oe[FRAME] || initiator_oe[REQ64]))
                                          || (irdy_rose && initiator_oe[IRDY]);
        if (since_over == 2'd1 && (target_oe & ANSWERS) != 15'd0) by_target[`PCIX_STS_RELEASE] = 1'b1;
        by_initiator[`PCIX_ONE_DRIVER]  = (initiator_oe & target_oe) != 15'd0;
        by_target[`PCIX_ONE_DRIVER]     = (initiator_oe & target_oe) != 15'd0;
        by_initiator[`PCIX_TURNAROUND]  = (initiator_oe & target_had & ~initiator_had) != 15'd0;
        by_target[`PCIX_TURNAROUND]     = (target_oe & initiator_had & ~target_had) != 15'd0;

        // ---- parity of the clock before
        by_initiator[`PCIX_PAR_DRIVE]   = initiator_had[AD64:AD] != initiator_oe[PAR64:PAR];
        by_target[`PCIX_PAR_DRIVE]      = target_had[AD64:AD] != target_oe[PAR64:PAR];
        waiting  = reads && (was == RESPONSE || was == WAIT);
        half_bad = (initiator_had[AD] || target_had[AD]) && level[PAR] != parity_had[0] && !waiting;
        by_initiator[`PCIX_PAR_VALUE]   = half_bad && initiator_had[AD];
        by_target[`PCIX_PAR_VALUE]      = half_bad && target_had[AD];
        half_bad = (initiator_had[AD64] || target_had[AD64]) && level[PAR64] != parity_had[1] && !waiting
                   && !(claimed_n && !ack64_n);
        by_initiator[`PCIX_PAR64_VALUE] = half_bad && initiator_had[AD64];
        by_target[`PCIX_PAR64_VALUE]    = half_bad && target_had[AD64];

        if (rst) {by_initiator, by_target} = {2*`PCIX_RULES{1'b0}};
    end

    always @(posedge clk) begin
        frames    <= {frames[2:1], frame};
        irdys     <= {irdys[2:1], irdy};
        gnts_n    <= {gnts_n[1], gnt_n};
        level_had <= level[7:0];
        {initiator_had, target_had} <= rst ? 30'd0 : {initiator_oe, target_oe};
        {upper_had, upper_cbe_had}  <= {ad[63:32], cbe_n[7:4]};
        parity_had  <= {^{ad[63:32], cbe_n[7:4]}, ^{ad[31:0], cbe_n[3:0]}};
        since_reset <= rst ? 3'd0 : since_reset + {2'd0, !(&since_reset)};

        was <= rst ? IDLE : phase;
        {dual, req64, ack64, claimed, single, stopped} <= {dual_n, req64_n, ack64_n, claimed_n, single_n, stopped_n};
        {frame_up, frame_known, irdy_known, timer_out} <= {frame_up_n, frame_known_n, irdy_known_n, timer_out_n};
        {command, address, since_a, since_d} <= {command_n, address_n, since_a_n, since_d_n};
        since_start <= since_start_n;
        {stop_at, frame_at, leave_by, target_over} <= {stop_at_n, frame_at_n, leave_by_n, target_over_n};
        frame_left  <= frame_left_n - {12'd0, frame_left_n != 13'd0};
        irdy_left   <= irdy_left_n - {12'd0, irdy_left_n != 13'd0};
        moved       <= (phase == ADDRESS) ? 12'd0 : moved + {11'd0, phase == DATA};
        plan_known  <= phase != ADDRESS && (plan_known || phase == DATA);
        if (phase == DATA) plan_seen <= stop_at_n;
        if (phase == ATTRIBUTE) count <= dword ? 13'd4 : {{cbe_n[3:0], ad[7:0]} == 12'd0, cbe_n[3:0], ad[7:0]};
        frame_rose  <= !rst && frame_up_n && !frame_up;
        irdy_rose   <= !rst && phase == IDLE && was != IDLE;
        since_over  <= rst ? 2'd3 : (target_over_n && !target_over) ? 2'd0 : since_over + {1'b0, since_over != 2'd3};
        if (since_a_n == 5'd2 && phase != ADDRESS) {word_0, cbe_0} <= {ad, cbe_n};
        if (second && since_d_n == 5'd2)           {word_1, cbe_1} <= {ad, cbe_n};
    end
endmodule
`default_nettype wire
