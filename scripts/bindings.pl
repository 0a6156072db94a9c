#!/usr/bin/perl
# Binding generator: the port list that Verilator reports -> C header and C++ glue.
#
#   perl scripts/bindings.pl NAME MODULE XML DIR [PARAMETER=VALUE...]           writes DIR/NAME.h, DIR/NAME_glue.cpp (only if they change)
#                                                                               and DIR/NAME.ports
#   perl scripts/bindings.pl --split NAME MODULE XML DIR [PARAMETER=VALUE...]   writes DIR/NAME_pins.v if MODULE has inout ports
#   perl scripts/bindings.pl --probes NAME MODULE XML DIR FILE                  writes DIR/NAME_probes.v for modules without probes, as the
#                                                                               file MODULE.probes asks (handshakes.pl)
#
# Reads the output of `verilator --xml-only`: ports of the top module with their widths, and every instance below it whose module
# declares probe_busy (sim/runtime/cycles.h has all probes); for these the clock is followed upwards from the instance's `clk` through port
# connections and plain assignments to a port of the top. Probes wr_probe_* are those of a side with the clock `wr_clk`. Names of states are
# what waves/states.awk finds in the file of the module. And every loop, for the message about one that does not end. What the header offers is described in
# sim/runtime/model.h. What Verilator calls the ports in C++ is read from DIR/cpp/VNAME.h.
#
# NAME_pins.v is MODULE with three ports in the place of each inout one, for Verilator cannot do without (model.h says what they mean).
#
# NAME.ports has a line for each port, for scripts: VERILOG C DIRECTION BITS RANGE ROLE. ROLE is clock, reset_low, reset_high (those that
# act without a clock), or -.
use strict;
use warnings;

my $mode = @ARGV && $ARGV[0] =~ /^--(split|probes)$/ ? shift @ARGV : '';
@ARGV >= 4 or die "usage: bindings.pl [--split|--probes] NAME MODULE XML DIR [PARAMETER=VALUE...]\n";
my ($name, $module, $xml, $dir, @parameters) = @ARGV;

# ---- read the XML: one element per line, which Verilator guarantees ----
my (%modules, %width, %range, %unpacked, %type, $aggregate, $packed_array, %file, @loops, $current, @blocks, $routine, $instance, $port, $assign, $always, $edge, $expression, $top);
# The signal that a name means here: one declared in a generate block around it, or one of the module.
sub meant {
    my ($what) = @_;
    for (my $depth = @blocks; $depth > 0; $depth--) {
        my $scoped = join('.', @blocks[0 .. $depth - 1], $what);
        return $scoped if $current && $current->{locals}{$scoped};
    }
    return $what;
}
open(my $in, '<', $xml) or die "$xml: $!\n";
while (<$in>) {
    my %a = map { $_ } /(\w+)="([^"]*)"/g;
    if    (/<module /)      {
        $current = $modules{$a{name}} = { id => $a{name}, name => $a{origName}, file => $a{loc} =~ s/,.*//r, ports => [], vars => {}, children => [], alias => {}, locals => {},
                                              from => {}, edges => [] };
        $top = $current if $a{topModule};
    }
    elsif (/<\/module>/)    { undef $current; }
    elsif (/<file /)        { $file{$a{id}} = $a{filename}; }
    elsif (/<while /)       { push @loops, [split(/,/, $a{loc})]; }
    elsif (/<begin .*\/>/)  { }
    elsif (/<begin /)       { push @blocks, $a{name} // ''; }
    elsif (/<\/begin>/)     { pop @blocks; }
    elsif (/<(?:func|task) /)   { $routine = 1; }
    elsif (/<\/(?:func|task)>/) { $routine = 0; }
    elsif (/<var / && $routine) { }    # an argument or a local variable of a function
    elsif (/<var / && $current) {
        if (!@blocks) {
            $current->{vars}{$a{origName}} = $a{dtype_id};
            push @{$current->{order}}, $a{origName};
        }
        $current->{locals}{join('.', @blocks, $a{origName})} = 1 if @blocks;
        push @{$current->{ports}}, { name => $a{name}, cpp => $a{origName}, dir => $a{dir}, type => $a{dtype_id} } if $a{dir} && !@blocks;
    }
    elsif (/<instance /)    {
        $instance = { of => $a{defName}, path => join('.', @blocks, $a{origName}), pins => {}, way => {}, in => {} };
        push @{$current->{children}}, $instance;
    }
    elsif (/<\/instance>/)  { undef $instance; }
    elsif (/<port / && $instance) { $port = $a{name}; $instance->{way}{$port} = $a{direction}; $expression = ''; }
    elsif (/<\/port>/)      {
        $instance->{sign}{$port} = $expression eq '' ? 1 : $expression eq '<not' ? -1 : 0 if $instance;
        undef $port;
    }
    elsif (/<contassign /)  { $assign = []; $expression = ''; }
    elsif (/<\/contassign>/) {
        my ($target, @from) = reverse grep { defined } @$assign;
        $current->{alias}{$assign->[1]} = $assign->[0] if $current && @$assign == 2;
        push @{$current->{from}{$target}}, [$expression eq '' ? 1 : $expression eq '<not' ? -1 : 0, @from] if $current && @from;
        undef $assign;
    }
    elsif (/<always /)      { $always = { edges => [], read => {} }; }
    elsif (/<\/always>/)    {
        my @read = keys %{$always->{read}};
        if    (!$current)            { }
        elsif (@{$always->{edges}})  { push @{$current->{edges}}, $always; }
        else                         { push @{$current->{from}{$_}}, [0, @read] for @read; }
        undef $always;
    }
    elsif (/<senitem /)     { $edge = { kind => $a{edgeType}, from => [], plain => 1 }; }
    elsif (/<\/senitem>/)   {
        push @{$always->{edges}}, $edge if $always && $edge->{kind} ne 'CHANGED';
        undef $edge;
    }
    elsif (/<varref /) {
        my $signal = meant($a{name});
        if ($port && $instance) {
            $instance->{pins}{$port} = $signal if !exists $instance->{pins}{$port};
            push @{$instance->{in}{$port}}, $signal;
        }
        push @$assign, $signal if $assign;
        if    ($edge)   { push @{$edge->{from}}, $signal; }
        elsif ($always) { $always->{read}{$signal} = 1; }
    }
    elsif (/<basicdtype /) {
        $width{$a{id}} = defined $a{left} ? abs($a{left} - $a{right}) + 1 : 1;
        $range{$a{id}} = "[$a{left}:$a{right}]" if defined $a{left};
        $unpacked{$a{id}} = 1 if $a{name} =~ /^(?:real|string|chandle|event)/;
    }
    elsif (/<unpackarraydtype /) { $unpacked{$a{id}} = 1; }
    elsif (/<((?:packarray|struct|union|member|enum|ref)dtype) /) {
        push @{$aggregate->{members}}, $a{sub_dtype_id} if $1 eq 'memberdtype' && $aggregate;
        $type{$a{id}} = { kind => $1, sub => $a{sub_dtype_id}, members => [], bounds => [] };
        $aggregate = $type{$a{id}} if $1 =~ /^(?:struct|union)/ && !m{/>};
        $packed_array = $type{$a{id}} if $1 eq 'packarraydtype' && !m{/>};
    }
    elsif (/<\/(?:struct|union)dtype>/) { undef $aggregate; }
    elsif (/<\/packarraydtype>/) { undef $packed_array; }
    elsif ($packed_array && /<const .*name="\d+&apos;s?h([0-9a-f]+)"/) { push @{$packed_array->{bounds}}, hex $1; }
    elsif (/(<(?!\/)\w*)/) {    # an expression: not a plain connection
        $expression .= $1 if $assign || $port;
        $edge->{plain} = 0 if $edge;
        push @$assign, undef, undef, undef if $assign;
        $instance->{pins}{$port} = undef if $port && $instance && !exists $instance->{pins}{$port};
    }
}
close($in);
# Widths of types that SystemVerilog packs of others.
sub width_of {
    my ($id) = @_;
    my $t = $type{$id // ''} or return $width{$id // ''};
    return $width{$id} if defined $width{$id};
    my @parts = map { width_of($_) // return } $t->{kind} =~ /^(?:struct|union)/ ? @{$t->{members}} : $t->{sub};
    my ($sum, $most) = (0, 0);
    for (@parts) { $sum += $_; $most = $_ if $_ > $most; }
    return $width{$id} = $most if $t->{kind} eq 'uniondtype';
    return $width{$id} = $sum if $t->{kind} ne 'packarraydtype';
    return @{$t->{bounds}} == 2 ? $width{$id} = $sum * (abs($t->{bounds}[0] - $t->{bounds}[1]) + 1) : undef;
}
width_of($_) for keys %type;
$top or die "$xml: no top module\n";

# ---- find the probes and the top-level clock each runs on ----
my @probes;
# What was bound (handshakes.pl): module, side -> by what it counts.
my %counted_by;
if (open(my $bound, '<', "$dir/${name}_probes.v")) {
    while (<$bound>) { $counted_by{$1, $2 eq '-' ? '' : $2} = $3 if m{^// by (\S+) (\S+) (.*)}; }
    close($bound);
}
# State machines of a module: the names of the states of each, in the order of the file.
my %machines;
sub machines {
    my ($m) = @_;
    my $file = $file{$m->{file}} // return [];
    if (!$machines{$m->{name}}) {
        open(my $awk, '-|', 'awk', '-f', $0 =~ s/[^\/]*$/waves\/states.awk/r, $file) or die "awk: $!\n";
        $machines{$m->{name}} = [map { [/"(\w+)"/g] } <$awk>];
        close($awk) or die "$name: $file: no names of states can be found\n";
    }
    return [@{$machines{$m->{name}}}];
}
# The probes of a module: side -> signals, those of one kind in the order of the file.
sub sides {
    my ($m, $path, $machines_of) = @_;
    my (%sides, $machines);
    for my $signal (@{$m->{order}}) {
        my ($side, $what) = $signal =~ /^(?:(\w+?)_)?probe_(\w+)$/ or next;
        my ($kind, $label) = $what =~ /^(busy|start|done|level|stall(?=_|$)|state(?=_|$))_?(\w*)$/;
        defined $kind && ($label eq '' || $kind =~ /^sta[lt]/) or
            die "$name: $path.$signal: expected probe_busy, _stall, _stall_REASON, _start, _done, _level, _state or _state_NAME\n";
        my $bits = $width{$m->{vars}{$signal}};
        $bits == 1 || $kind =~ /^(level|state)$/ or die "$name: $path.$signal must be one bit wide\n";
        $bits <= ($kind eq 'state' ? 8 : 32) or die "$name: $path.$signal has $bits bits, at most ", $kind eq 'state' ? 8 : 32, "\n";
        my @states;
        if ($kind eq 'state') { # the next machine whose states it can count
            $machines //= machines($machines_of);
            while (@$machines) {
                my $machine = shift @$machines;
                next if @$machine > 1 << $bits || ($m == $machines_of && @$machine <= 1 << ($bits - 2));
                @states = @$machine;
                last;
            }
        }
        push @{$sides{$side // ''}}, { signal => $signal, kind => uc($kind), label => $label, states => join(' ', @states) };
    }
    for my $side (keys %sides) {
        next if grep { $_->{kind} eq 'BUSY' } @{$sides{$side}};
        die "$name: $path ($m->{name}) declares $sides{$side}[0]{signal}, but no ", $side eq '' ? '' : "${side}_", "probe_busy\n";
    }
    return \%sides;
}
sub walk {
    my ($m, $path, $clock_of, $into) = @_; # into: the module that this one was bound into
    my $resolve = sub {
        my ($signal, $hops) = (shift, 0);
        while (defined $signal && !exists $clock_of->{$signal} && $hops++ < 50) { $signal = $m->{alias}{$signal}; }
        return defined $signal ? $clock_of->{$signal} : undef;
    };
    my $sides = sides($m, $path, $into // $m);
    for my $side (sort keys %$sides) {
        my $port = $side . ($side eq '' ? 'clk' : '_clk');
        my $busy = $side . ($side eq '' ? 'probe_busy' : '_probe_busy');
        my $clock = $resolve->($port);
        warn "$name: $path is not counted: its clock cannot be followed to a port of $module\n" if $into && !defined $clock;
        next if $into && !defined $clock;
        defined $clock or die "$name: $path ($m->{name}) declares $busy, but its port `$port` cannot be followed to a port of $module\n";
        my $at = $into // $m;
        push @probes, { scope => $path, path => $into ? $path =~ s/\.nx_probes$//r : $path, module => $at->{name}, side => $side, clock => $clock,
                        by => $into ? $counted_by{$at->{name}, $side} // '' : '', signals => $sides->{$side} };
    }
    for my $c (@{$m->{children}}) {
        my $child = $modules{$c->{of}} or next;
        my %below;
        for my $pin (keys %{$c->{pins}}) {
            my $clock = $resolve->($c->{pins}{$pin});
            $below{$pin} = $clock if defined $clock;
        }
        # a combinational block counts the clocks of the block around it
        $below{clk} = $resolve->('clk') if !exists $child->{vars}{clk};
        walk($child, "$path.$c->{path}", \%below, $c->{path} eq 'nx_probes' ? $m : undef);
    }
}
$mode eq '--probes' or walk($top, $top->{name}, { map { $_->{name} => $_->{name} } grep { $_->{dir} eq 'input' } @{$top->{ports}} });

# ---- which ports act by their edges: followed downwards, through all that is not a register ----
# Signals that a signal follows from -> how: 1 the same, -1 the opposite, 0 otherwise.
sub add {
    my ($to, $signs, $sign) = @_;
    for (keys %$signs) {
        my $s = $sign * $signs->{$_};
        $to->{$_} = exists $to->{$_} && $to->{$_} != $s ? 0 : $s;
    }
}
# Inputs of the module that a signal follows from.
sub origins {
    my ($m, $signal) = @_;
    return $m->{origins}{$signal} if $m->{origins}{$signal};
    $m->{input} //= { map { $_->{name} => 1 } grep { $_->{dir} ne 'output' } @{$m->{ports}} };
    return $m->{origins}{$signal} = { $signal => 1 } if $m->{input}{$signal};
    my $all = $m->{origins}{$signal} = {};
    for my $f (@{$m->{from}{$signal} // []}) {
        my ($sign, @from) = @$f;
        add($all, origins($m, $_), $sign) for @from;
    }
    if (!$m->{driven}) {
        $m->{driven} = {};
        for my $c (@{$m->{children}}) {
            for my $p (grep { $c->{way}{$_} ne 'in' } keys %{$c->{in}}) { push @{$m->{driven}{$_}}, [$c, $p] for @{$c->{in}{$p}}; }
        }
    }
    for my $d (@{$m->{driven}{$signal} // []}) {
        my ($c, $p) = @$d;
        my $inside = $modules{$c->{of}} ? origins($modules{$c->{of}}, $p) : {};
        add($all, pin_origins($m, $c, $_), $inside->{$_} * $c->{sign}{$p}) for keys %$inside;
    }
    return $all;
}
sub pin_origins {
    my ($m, $instance, $pin) = @_;
    my $all = {};
    add($all, origins($m, $_), $instance->{sign}{$pin}) for @{$instance->{in}{$pin} // []};
    return $all;
}
# Inputs of a module whose edges matter -> rise, fall: which; clock: of registers, not through an expression (which may be a gated clock
# only if it is called so).
sub edges {
    my ($m) = @_;
    return $m->{acts} if $m->{acts};
    my $acts = $m->{acts} = {};
    my $act = sub {
        my ($port, $sign, $what) = @_;
        my $to = $acts->{$port} //= {};
        $to->{clock} ||= $what->{clock} && ($sign || $port =~ /cl(oc)?k/i);
        $to->{rise} ||= $what->{$sign < 0 ? 'fall' : 'rise'} || !$sign;
        $to->{fall} ||= $what->{$sign < 0 ? 'rise' : 'fall'} || !$sign;
    };
    for my $always (@{$m->{edges}}) {
        for my $e (@{$always->{edges}}) {
            for my $signal (@{$e->{from}}) {
                my $reset = @{$always->{edges}} > 1 && $always->{read}{$signal};
                my $what = { clock => !$reset, rise => $e->{kind} ne 'NEG', fall => $e->{kind} ne 'POS' };
                my $from = origins($m, $signal);
                $act->($_, $e->{plain} * $from->{$_}, $what) for keys %$from;
            }
        }
    }
    for my $c (@{$m->{children}}) {
        my $inside = edges($modules{$c->{of}} // next);
        for my $pin (keys %$inside) {
            my $from = pin_origins($m, $c, $pin);
            $act->($_, $from->{$_}, $inside->{$pin}) for keys %$from;
        }
    }
    return $acts;
}
my $acts = edges($top);
sub role {
    my $act = $acts->{$_[0]} or return '-';
    return $act->{clock} ? 'clock' : $act->{rise} && $act->{fall} ? '-' : $act->{rise} ? 'reset_high' : 'reset_low';
}
my $falling = join(' ', map { $_->{name} } grep { ($acts->{$_->{name}} // {})->{fall} } @{$top->{ports}});

# ---- loops: in the XML all are `while`; those that count are named only if there are no others ----
my (%counting, %other);
for my $l (@loops) {
    my ($id, $line, $column) = @$l;
    open(my $verilog, '<', $file{$id} // next) or next;
    my $text = (<$verilog>)[$line - 1] // next;
    my $place = "$file{$id}:$line";
    substr($text, $column - 1) =~ /^for\b/ ? $counting{$place} : $other{$place} = 1;
}
sub some {
    my @places = sort { $a cmp $b } @_;
    return join(', ', @places > 4 ? (@places[0 .. 3], '...') : @places);
}
my $loops = some(%other ? keys %other : keys %counting);

# ---- inout ports: a module around this one that has inputs and outputs only ----
$width{$_->{type}} or die "$name: port $_->{name} has a type without a width\n" for @{$top->{ports}};
if ($mode eq '--probes') {
    require($0 =~ s/[^\/]*$/handshakes.pl/r =~ s/^(?=[^\/])/.\//r);
    my $text = probes_of(\%modules, $top, \%width, \%unpacked, $parameters[0]);
    $text eq '' ? unlink("$dir/${name}_probes.v") : put("$dir/${name}_probes.v", $text);
    exit 0;
}
if ($mode eq '--split') {
    my %taken = map { $_->{name} => 1 } @{$top->{ports}};
    my (@ports, @wires, @pins);
    my $declare = sub { push @ports, "    $_[0] wire" . ($_[1] ? " [$_[1]:0]" : '') . " \\$_[2] "; };
    for my $p (@{$top->{ports}}) {
        my ($n, $msb, $what) = ($p->{name}, $width{$p->{type}} - 1, "\\$p->{name} ");
        if ($p->{dir} eq 'inout') {
            my ($value, $enable) = ("${n}_i", "${n}_ie");
            for ($value, $enable) { $_ .= '_' while $taken{$_}; $taken{$_} = 1; }
            $declare->('output', $msb, $n);
            $declare->('input', $msb, $value);
            $declare->('input', $msb, $enable);
            $what = "\\pins_of_$n ";
            push @wires, "    wire [$msb:0] $what;\n    assign \\$n = $what;\n";
            for my $bit (0 .. $msb) {
                my $select = $msb ? "[$bit]" : '';
                push @wires, "    assign $what\[$bit] = \\$enable $select ? \\$value $select : 1'bz;\n";
            }
        }
        else { $declare->($p->{dir}, $msb, $n); }
        push @pins, "        .\\$n ($what)";
    }
    exit 0 if !@wires;
    my $values = join(', ', map { /^(\w+)=(.*)$/ ? ".$1($2)" : () } @parameters);
    my $inner = "$module " . ($values eq '' ? '' : "#($values) ") . $module;
    put("$dir/${name}_pins.v", join("\n", "// Generated by scripts/bindings.pl: $module, its inout ports split.", "module ${name}_pins (",
            join(",\n", @ports), ");", join('', @wires) . "    $inner (", join(",\n", @pins), "    );", "endmodule", ''));
    exit 0;
}

# ---- names in C and C++ ----
my %word = (model => 1);
open(my $words, '<', $0 =~ s/[^\/]*$/words/r) or die "$0: words: $!\n";
while (<$words>) { my ($language, @list) = split; $word{$_} = 1 for ($language // '') eq 'c' ? @list : (); }
close($words);
my (%member, %field);
my $class = "$dir/cpp/V$name.h";
open(my $cpp, '<', $class) or die "$class: $!\n";
while (<$cpp>) { $member{$1} = 1 if /^\s*VL_(?:IN|OUT)\w*\(&(\w+)/; }
close($cpp);
for my $p (@{$top->{ports}}) {
    ($p->{c} = $p->{name}) =~ s/\W/_/g;
    $p->{c} .= '_' while $word{$p->{c}} || $field{$p->{c}} || ($p->{c} ne $p->{name} && grep { $_->{name} eq $p->{c} } @{$top->{ports}});
    $field{$p->{c}} = 1;
    ($p->{cpp}) = grep { $member{$_} } $p->{cpp}, "__SYM__$p->{cpp}" or die "$name: port $p->{name} is not in $class\n";
}

# ---- write ----
my (@fields, @fill, @rows, @list);
for my $p (@{$top->{ports}}) {
    my $w = $width{$p->{type}};
    my $c = $w <= 8 ? 'uint8_t' : $w <= 16 ? 'uint16_t' : $w <= 32 ? 'uint32_t' : $w <= 64 ? 'uint64_t' : 'uint32_t';
    my $note = $w > 64 ? sprintf("%d bits, %d words, lowest first", $w, ($w + 31) / 32) : $w == 1 ? '1 bit' : "$w bits";
    my $const = $p->{dir} eq 'output' ? 'const ' : '';
    my $verilog = $p->{c} eq $p->{name} ? '' : "; $p->{name} in Verilog";
    push @fields, sprintf("    %-40s /* %s, %s%s */", "$const$c *$p->{c};", $p->{dir}, $note, $verilog);
    my $output = $p->{dir} eq 'output' ? 1 : 0;
    push @fill, $w > 64 ? "    b->$p->{c} = m->$p->{cpp}.data();" : "    b->$p->{c} = &m->$p->{cpp};";
    push @rows, "    {\"$p->{name}\", $w, $output, offsetof($name, $p->{c})},";
    push @list, join(' ', @$p{qw(name c dir)}, $w, $range{$p->{type}} // '-', role($p->{name})) . "\n";
}
put("$dir/$name.ports", join('', @list));
my $guard = 'MODEL_' . uc($name) . '_H';
my $fields = join("\n", @fields);
my $fill   = join("\n", @fill);
my $rows   = join("\n", @rows);
my $ports  = join(', ', map { $_->{c} } @{$top->{ports}});
# Instances of one module have the same signals.
my (%table, @signals, @probe_rows);
for my $p (@probes) {
    my $rows = join('', map { sprintf("    {\"%s\", SIM_PROBE_%s, \"%s\", \"%s\"},\n", @$_{qw(signal kind label states)}) } @{$p->{signals}});
    if (!defined $table{$rows}) {
        $table{$rows} = 'signals_' . @signals;
        push @signals, "const sim_probe_signal " . $table{$rows} . "[] = {\n$rows};\n";
    }
    push @probe_rows, sprintf('    {"%s", "%s", "%s", "%s", "%s", "%s", %s, %d},', @$p{qw(path scope module side clock by)}, $table{$rows},
                              scalar @{$p->{signals}});
}
my ($signals, $table) = (join('', @signals), join("\n", @probe_rows));

put("$dir/$name.h", <<"END");
/* Binding of Verilog module $module, generated by scripts/bindings.pl. What it offers: sim/runtime/model.h. */
#ifndef $guard
#define $guard

#include "sim/runtime/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct $name {
    sim_model *model;
$fields
} $name;

typedef struct ${name}_ports {
    sim_port $ports;
} ${name}_ports;

extern const sim_config ${name}_config;
$name *${name}_new(sim *s, const char *instance);
void ${name}_free($name *b);

#ifdef __cplusplus
}
#endif
#endif
END

my $folder = defined $ENV{VERILOG_FILE} ? $ENV{VERILOG_FILE} =~ s/[^\/]*$//r : '';
s/"/\\"/g for @parameters;
put("$dir/${name}_glue.cpp", <<"END");
// Generated by scripts/bindings.pl: the model of Verilog module $module behind the C functions of $name.h.
#include <cstddef>
#include <cstdlib>

#include "$name.h"
#include "V$name.h"
#if VM_TRACE_FST
#include "verilated_fst_c.h"
typedef VerilatedFstC recorder;
#elif VM_TRACE
#include "verilated_vcd_c.h"
typedef VerilatedVcdC recorder;
#endif

#ifdef LANES
extern "C" const sim_lanes ${name}_lanes;
#define LANES_OF_MODEL &${name}_lanes
#else
#define LANES_OF_MODEL nullptr
#endif

namespace {
${signals}const sim_probe probes[] = {
$table
    {nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, 0},
};
const sim_config_port ports[] = {
$rows
    {nullptr, 0, 0, 0},
};

int model_eval(void *m, void *context, uint64_t time)
{
    auto *c = static_cast<VerilatedContext *>(context);
    Verilated::threadContextp(c);
    c->time(time);
    static_cast<V$name *>(m)->eval();
    return c->gotError() ? 2 : c->gotFinish() ? 1 : 0;
}
#if VM_TRACE
void model_waves(void *m, void *waves) { static_cast<V$name *>(m)->trace(static_cast<recorder *>(waves), 99); }
#else
constexpr void (*model_waves)(void *, void *) = nullptr;
#endif
void model_free(void *m)
{
    static_cast<V$name *>(m)->final();
    delete static_cast<V$name *>(m);
}

sim_model *make(sim *s, const char *instance)
{
    void *context = sim_model_prepare(s, &sim_verilated, instance);
    if (!context) return nullptr;
    sim_model_folder(context, "$folder");
    $name *b = static_cast<$name *>(calloc(1, sizeof *b));
    if (!b) return nullptr;
    V$name *m = new V$name(static_cast<VerilatedContext *>(context), instance);
$fill
    return b->model = sim_model_new(s, &${name}_config, m, b, instance);
}
}

extern "C" {
const sim_config ${name}_config = {
    "$name", "$module", "@parameters", make, ports, sizeof ports / sizeof ports[0] - 1, "$falling",
    sizeof($name), model_eval, model_waves, model_free, probes, sizeof probes / sizeof probes[0] - 1, LANES_OF_MODEL, "$loops", "@{[$ENV{BLOCKS} // '']}",
};

$name *${name}_new(sim *s, const char *instance)
{
    sim_model *m = make(s, instance);
    return m ? static_cast<$name *>(sim_model_binding(m)) : nullptr;
}

void ${name}_free($name *b)
{
    if (b) sim_model_free(b->model);
}
}
END

sub put {
    my ($file, $text) = @_;
    if (open(my $old, '<', $file)) {
        local $/;
        return if <$old> eq $text;
    }
    open(my $out, '>', $file) or die "$file: $!\n";
    print $out $text or die "$file: $!\n";
    close($out) or die "$file: $!\n";
}
