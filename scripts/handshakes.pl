# What a module without probes does, by the names of its ports; part of bindings.pl. Nothing in the module is changed: probes are ports of a
# module that SystemVerilog's `bind` puts into it, in models with waves and probes only.
#
# Recognised, whatever stands around these words (s_axis_tvalid, S_AXI_AWREADY, valid_i, o_ready), if both have opposite directions:
#   valid, vld         and ready, rdy                    AXI-Stream, AXI and most others
#   wr_en, push, we .. and full, full_n                  a FIFO's write side; rd_en, pop, re .. and empty, empty_n: its read side
#   req, request       and gnt, grant
#   cyc, stb           and ack, stall, err, rty          Wishbone
# A channel moves in a clock in which both sides agree, and waits while the sender offers and nobody takes. A clock of the module is stalled
# for a channel out of it that waits while none moves; busy when a channel moves, or one into it waits (the module is at work); else idle.
# An operation is a clock in which something moves in, or, if there is no channel in, out. A module without channels is busy in a clock in
# which one of its outputs has changed. A module without a clock is not counted.
#
# A file MODULE.probes beside MODULE.v asks for this; its lines say better for a module, by expressions of what is in it:
#   fifo probe_busy = !empty                  # MODULE PROBE [@CLOCK] = EXPRESSION of Verilog; probes: sim/runtime/cycles.h
#   fifo probe_stall_reader @rd_clk = !empty && !rd_en
use strict;
use warnings;

# ---- names ----
my @words = ( # the sender's word, the receiver's
    ['(valid|vld)', '(ready|rdy)'],
    ['(wr_en|wren|wr_enable|wr_valid|write_en|write_enable|w_en|wen|wr_req|wrreq|winc|wr_inc|push|enq|enqueue|put|write|wr|we)',
     '(?:wr_?|w_?|write_?)?(full)'],
    ['(?:rd_?|r_?|read_?)?(empty)', '(rd_en|rden|rd_enable|read_en|read_enable|r_en|ren|rd_req|rdreq|rinc|rd_inc|pop|deq|dequeue|get|read|rd|re)'],
    ['(req|request)', '(gnt|grant)'],
);
# Without what says the direction: i_, o_ in front, _i, _o, _in, _out behind.
sub plain_name {
    my $name = lc shift;
    $name =~ s/^[io]_(?=.)//;
    $name =~ s/(?<=.)_(?:[io]|in|out)$//;
    return $name;
}
# [what is around the word, is the port low when the word is true], or nothing. With last nothing is behind it.
sub around {
    my ($port, $words, $last) = @_;
    my $name = plain_name($port->{name});
    my $low = $name =~ s/(?<=full|mpty)_n$// ? 1 : 0;
    return if $name =~ /invalid/;
    return $name =~ /^(?:(.*?)_)??$words$/ ? [$1 // '', $low] : () if $last;
    return $name =~ /^(.*?)$words(.*)$/ ? ["$1/$3", 0] : ();
}
sub escaped { return "\\$_[0] "; }
# The channels of a module: name, in (into it), move, wait, ports.
sub channels {
    my ($m, $width) = @_;
    my (@channels, %used);
    my @ports = grep { $_->{dir} ne 'inout' } @{$m->{ports}};
    my $wide = sub { $width->{$_[0]{type}} // "type $_[0]{type}" };
    my $add = sub {
        my ($sender, $move, $wait, @used) = @_;
        my $name = plain_name($sender->{name} =~ /empty/i ? $used[1]{name} : $sender->{name});
        $name =~ s/(?:_t|^t|_)?(?:valid|vld)|(?:^|_)cyc$//;
        my $in = $sender->{dir} eq 'input';
        $name = $in ? 'in' : 'out' if $name eq '';
        $used{$_->{name}} = 1 for @used;
        push @channels, { name => $name, in => $in, move => $move, wait => $wait, ports => \@used };
    };
    # Wishbone first: its ack belongs to cyc and stb
    for my $cyc (@ports) {
        my ($where) = plain_name($cyc->{name}) =~ /^(.*?)cyc$/ or next;
        my $find = sub {
            my ($word, $opposite) = @_;
            my @found = grep { plain_name($_->{name}) eq $where . $word && ($_->{dir} ne $cyc->{dir}) == $opposite &&
                               $wide->($_) eq $wide->($cyc) } @ports;
            return $found[0];
        };
        my $ack = $find->('ack', 1) or next;
        my ($stb, $stall) = ($find->('stb', 0), $find->('stall', 1));
        my @ends = grep { $_ } $ack, $find->('err', 1), $find->('rty', 1);
        my $asks = join(' & ', map { escaped($_->{name}) } grep { $_ } $cyc, $stb);
        my $ended = '(' . join(' | ', map { escaped($_->{name}) } @ends) . ')';
        my $moves = $stall ? "($asks & ~" . escaped($stall->{name}) . " | $ended)" : "($asks & $ended)";
        $add->($cyc, $moves, '(' . ($stall ? escaped($cyc->{name}) : $asks) . " & ~$moves)", grep { $_ } $cyc, $stb, $stall, @ends);
    }
    for my $w (@words) {
        my ($sends, $takes) = @$w;
        my $last = $w != $words[0];
        for my $s (@ports) {
            next if $used{$s->{name}};
            my ($s_at) = around($s, $sends, $last) or next;
            my @fit;
            for my $t (@ports) {
                next if $used{$t->{name}} || $t->{dir} eq $s->{dir} || $wide->($t) ne $wide->($s);
                my ($t_at) = around($t, $takes, $last) or next;
                push @fit, [$t, $t_at->[1]] if $t_at->[0] eq $s_at->[0];
            }
            # i_valid goes with o_ready, but in_valid_i with in_ready_o: what is written alike first
            my ($best) = sort { (length $a->[0]{name}) <=> (length $b->[0]{name}) } @fit or next;
            my ($t, $t_low) = @$best;
            my $offers = ($sends =~ /empty/ && !$s_at->[1] ? '~' : '') . escaped($s->{name});
            my $taken = ($takes =~ /full/ && !$t_low ? '~' : '') . escaped($t->{name});
            my $refused = $taken =~ /^~/ ? substr($taken, 1) : "~$taken";
            $add->($s, "($offers & $taken)", "($offers & $refused)", $s, $t);
        }
    }
    # names in tables: s_axis; two of one name by their ports
    my %named;
    $named{$_->{name}}++ for @channels;
    for (@channels) {
        $_->{name} = plain_name($_->{ports}[0]{name}) if $named{$_->{name}} > 1;
        $_->{name} =~ s/\W/_/g;
        $_->{name} =~ s/^_+|_+$//g;
    }
    return @channels;
}

# ---- clocks of ports, by what is read and written with them ----
# The clock ports of the module whose registers a signal belongs to; way: from (who drives it), to (who uses it).
sub clocks_at {
    my ($modules, $m, $signal, $way, $seen) = @_;
    return {} if $seen->{"$m->{id}.$signal.$way"}++;
    if (!$m->{mentions}) {
        for my $always (@{$m->{edges}}) {
            my $many = @{$always->{edges}} > 1;
            my @edges = grep { !($many && grep { $always->{read}{$_} } @{$_->{from}}) } @{$always->{edges}}; # without resets
            my @clocks = map { keys %{origins($m, $_)} } map { @{$_->{from}} } @edges;
            for my $s (keys %{$always->{read}}) { $m->{mentions}{$s}{$_} = 1 for @clocks; }
        }
        for my $to (keys %{$m->{from}}) { for my $f (@{$m->{from}{$to}}) { my ($sign, @from) = @$f; push @{$m->{users}{$_}}, $to for @from; } }
        for my $c (@{$m->{children}}) {
            next if !$modules->{$c->{of}};
            for my $pin (keys %{$c->{in}}) { push @{$m->{pins_of}{$_}{$c->{way}{$pin} eq 'in' ? 'to' : 'from'}}, [$c, $pin] for @{$c->{in}{$pin}}; }
        }
        $m->{mentions} //= {};
    }
    my %found = %{$m->{mentions}{$signal} // {}};
    return \%found if %found;
    for my $p (@{($m->{pins_of}{$signal} // {})->{$way} // []}) {
        my ($c, $pin) = @$p;
        for my $inside (keys %{clocks_at($modules, $modules->{$c->{of}}, $pin, $way, $seen)}) {
            $found{$_} = 1 for keys %{pin_origins($m, $c, $inside)};
        }
    }
    my @next = $way eq 'from' ? map { my ($sign, @from) = @$_; @from } @{$m->{from}{$signal} // []} : @{$m->{users}{$signal} // []};
    for my $n (@next) { $found{$_} = 1 for keys %{clocks_at($modules, $m, $n, $way, $seen)}; }
    return \%found;
}
# The clock that most of these ports have, by name if it is not one: wr_clk of wr_en.
sub clock_of {
    my ($modules, $m, $clocks, @ports) = @_;
    return $clocks->[0] if @$clocks == 1;
    for my $p (sort { $b->{dir} cmp $a->{dir} } @ports) { # outputs first
        my $at = clocks_at($modules, $m, $p->{name}, $p->{dir} eq 'output' ? 'from' : 'to', {});
        my @is = grep { $at->{$_} } @$clocks;
        return $is[0] if @is == 1;
    }
    for my $clock (@$clocks) {
        my $side = lc($clock) =~ s/_?cl(?:oc)?k.*//r =~ s/^[io]_//r;
        return $clock if $side ne '' && grep { plain_name($_->{name}) =~ /^\Q$side\E/ } @ports;
    }
    return $clocks->[0];
}

# ---- the file MODULE.probes ----
sub read_probes {
    my ($file, $modules) = @_;
    my (%said, %there);
    $there{$_->{name}} = $_ for values %$modules;
    open(my $in, '<', $file) or die "$file: $!\n";
    while (<$in>) {
        next if /^\s*(#.*)?$/;
        my $place = "$file:$.";
        my ($module, $probe, $clock, $value) = /^\s*(\w+)\s+(\w+)\s*(?:\@\s*(\w+)\s*)?=(?!=)\s*(.*?)\s*(?:#\s.*)?$/
            or die "$place: expected MODULE PROBE [\@CLOCK] = EXPRESSION, such as: fifo probe_busy = !empty\n";
        $there{$module} or die "$place: there is no module $module in it; expected one of ", join(' ', sort keys %there), "\n";
        $probe =~ /^probe_(busy|start|done|level|(?:stall|state)(_\w+)?)$/
            or die "$place: $probe: expected probe_busy, _stall, _stall_REASON, _start, _done, _level, _state or _state_NAME\n";
        push @{$said{$module}}, { probe => $probe, clock => $clock, value => $value, line => $., place => $place };
    }
    return \%said;
}

# ---- the modules that are bound: DIR/NAME_probes.v ----
sub probes_of {
    my ($modules, $top, $width, $unpacked, $file) = @_;
    my $said = read_probes($file, $modules);
    # nearest to the top first, as many instances as a table can show
    my ($room, $left_out, @order, %instances) = (400, 0);
    my @level = ([$top, 1]);
    while (@level) {
        my @next;
        for (@level) {
            my ($m, $n) = @$_;
            push @order, $m if !$instances{$m->{name}};
            $instances{$m->{name}} += $n;
            my %below;
            $below{$_->{of}}++ for @{$m->{children}};
            push @next, map { [$modules->{$_}, $n * $below{$_}] } grep { $modules->{$_} } sort keys %below;
        }
        my (%sum, %of);
        for (@next) { $sum{$_->[0]{id}} += $_->[1]; $of{$_->[0]{id}} = $_->[0]; }
        @level = map { [$of{$_}, $sum{$_}] } sort keys %sum;
    }
    my @text;
    for my $m (grep { $_->{name} =~ /^\w+$/ } @order) {
        my $acts = edges($m);
        my @clocks = grep { ($acts->{$_} // {})->{clock} } map { $_->{name} } grep { $_->{dir} eq 'input' } @{$m->{ports}};
        my (%sides, %by);
        if (my $lines = $said->{$m->{name}}) {
            for my $l (@$lines) {
                my $clock = $l->{clock} // (@clocks == 1 ? $clocks[0] : undef);
                defined $clock && grep { $_ eq $clock } @clocks
                    or die "$l->{place}: ", defined $l->{clock} ? "\@$l->{clock}: $m->{name} has no such clock" : "which clock of $m->{name}?",
                           "; expected ", @clocks ? join(' or ', map { "\@$_" } @clocks) : 'a module with a clock', "\n";
                my $bits = $l->{probe} =~ /level/ ? '[31:0] ' : $l->{probe} =~ /state/ ? '[7:0] ' : '';
                push @{$sides{$clock}}, [$bits, $l->{probe}, $l->{value}, $l->{line}];
                $by{$clock} = $file;
            }
        }
        else {
            next if !@clocks;
            $left_out += $instances{$m->{name}}, next if ($room -= $instances{$m->{name}}) < 0;
            my %channels;
            push @{$channels{clock_of($modules, $m, \@clocks, @{$_->{ports}})}}, $_ for channels($m, $width);
            for my $clock (keys %channels) {
                my @list = @{$channels{$clock}};
                my $any = sub { my ($what, @of) = @_; return @of ? join(' || ', map { "|$_->{$what}" } @of) : "1'b0"; };
                my @in = grep { $_->{in} } @list;
                my $moves = $any->('move', @list);
                push @{$sides{$clock}}, ['', 'probe_busy', "$moves || " . $any->('wait', @in)],
                    ['', 'probe_start', $any->('move', @in ? @in : @list)],
                    map { ['', "probe_stall_$_->{name}", "|$_->{wait} && !($moves)"] } grep { !$_->{in} } @list;
                $by{$clock} = 'handshakes of ' . join(', ', map { $_->{name} } @list);
            }
            my %outputs;
            if (!%sides) {
                my @all = grep { $_->{dir} eq 'output' && !$unpacked->{$_->{type}} } @{$m->{ports}};
                push @{$outputs{clock_of($modules, $m, \@clocks, $_)}}, $_ for @all;
            }
            for my $clock (keys %outputs) {
                push @{$sides{$clock}}, ['changes', 'changes', '{' . join(', ', map { escaped($_->{name}) } @{$outputs{$clock}}) . '}'];
                $by{$clock} = 'changes of its outputs, without a handshake';
            }
        }
        my (@ports, @pins, @inside, @bits, %taken);
        for my $clock (grep { $sides{$_} } @clocks) {
            my $side = @clocks == 1 ? '' : $clock =~ s/_?cl(?:oc)?k(?:_[io])?$|^cl(?:oc)?k_?//ir;
            $side = $clock if $side eq '' && @clocks > 1 || $taken{$side}++;
            $side .= '_' if $side ne '';
            push @text, "// by $m->{name} " . ($side eq '' ? '-' : $side =~ s/_$//r) . " $by{$clock}";
            push @ports, "    input ${side}clk";
            push @pins, "    .${side}clk(" . escaped($clock) . ')';
            for (@{$sides{$clock}}) {
                my ($bits, $probe, $value, $line) = @$_;
                my $from = defined $line ? "\n`line $line \"$file\" 0\n" : '';
                if ($bits eq 'changes') {
                    push @bits, ".${side}BITS(\$bits($value))";
                    push @ports, "    input [${side}BITS-1:0] ${side}now";
                    push @inside, "    reg [${side}BITS-1:0] ${side}earlier;\n    always @(posedge ${side}clk) ${side}earlier <= ${side}now;\n" .
                        "    wire ${side}probe_busy = ${side}earlier != ${side}now;\n";
                    push @pins, "    .${side}now($value)";
                }
                else {
                    push @ports, "    input $bits$side$probe";
                    push @pins, "    .$side$probe($from$value)";
                }
            }
        }
        next if !@ports || grep { /^(?:\w+_)?probe_/ } @{$m->{order}};
        my $parameters = join(', ', map { /^\.(\w+)/ ? "parameter $1 = 1" : () } @bits);
        push @text, "module nx_probes_$m->{name}" . (@bits ? " #($parameters)" : '') . " (\n" . join(",\n", @ports) . "\n);\n" .
            join('', @inside) . "endmodule",
            "bind $m->{name} nx_probes_$m->{name} " . (@bits ? '#(' . join(', ', @bits) . ') ' : '') . "nx_probes (\n" .
            join(",\n", @pins) . "\n);";
    }
    print STDERR "$file: $left_out instances far below the top are not counted; a line for their modules counts them\n" if $left_out;
    return @text ? join("\n", "// Generated by scripts/bindings.pl: what make cycles counts in modules without probes (scripts/handshakes.pl).",
                        "`begin_keywords \"1800-2017\"", @text, '`end_keywords', '') : '';
}
1;
