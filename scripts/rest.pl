#!/usr/bin/perl
# What waits costs little to evaluate, too: in a chip whose clocks rest (rtl/README.md), statements are left out that would change nothing.
#
#   perl scripts/rest.pl NAME FOLDER      changes Verilator's C++ of a model in FOLDER, where one of its clocks is called run_clk
#
# While such a clock rests, Verilator goes on to work out at each edge of the clock beside it what follows from the registers of both: most
# of what there is, from few registers that can have changed. Here the statements of such a function are divided into parts that have no
# variable in common that one of them writes. A part that is long stands behind a comparison of what it finds,
#
#     if (go_1) { ... }       go_1: not at rest, or a variable that it reads is not what it was when it was done last
#
# with those variables only that can change at rest: inputs, and what is written by functions that are called without an edge of a clock
# that rests. All others have not changed if none of the clocks whose edges write them has had one, and the function has been called at
# rest only: `rest` is a sum of numbers of evaluations with such edges. A part of which another function at rest writes a variable is
# done always. So what comes out is the same to the bit, whatever the Verilog.
#
# The parts are marked for lanes.pl, which makes the same of them for several instances. C++ that is not as expected stays as it is.
use strict;
use warnings;
require "./scripts/files.pl";

@ARGV == 2 or die "usage: rest.pl NAME FOLDER\n";
my ($name, $folder) = @ARGV;
my $root = "V${name}___024root";
my $SMALL = 16; # variables that a part mentions, at least
my $WORTH = 3;  # times as many as it is compared by

# ---- what Verilator wrote ----
my (%text, %function, %class, %file, %header, %type);
for my $f (sort glob("$folder/V${name}_*__DepSet_*.cpp")) {
    next if $f =~ /__Slow\.cpp$/;
    $text{$f} = text($f);
    while ($text{$f} =~ /\n(?:VL_INLINE_OPT )?void (\w+)\((\w+)\* vlSelf\) \{\n(.*?)\n\}\n/sg) {
        ($function{$1}, $class{$1}, $file{$1}) = ($3, $2, $f);
    }
}
for my $f (glob("$folder/V${name}_*.h")) {
    my $t = text($f);
    my ($class) = $t =~ /^class (\w+) final : public VerilatedModule/m or next;
    $header{$class} = $f;
    $text{$f} = $t;
    for (split /\n/, $t) {
        if (/^\s+VL_(IN|OUT)(8|16|64|W|)\(&?(\w+),\d+,\d+(?:,(\d+))?\);/) {
            $type{$class}{$3} = { 8 => 'CData', 16 => 'SData', '' => 'IData', 64 => 'QData', W => 'VlWide<' . ($4 // 0) . '>' }->{$2};
        }
        elsif (m{^\s+([CSIQ]Data|VlWide<\d+>)/\*\d+:0\*/ (\w+);}) { $type{$class}{$2} = $1; }
    }
}
my $triggers = $function{"${root}___eval_triggers__act"} // exit 0;
my (%rests, $triggers_of);
while ($triggers =~ /__VactTriggered\.at\((\d+)U\) = (.*?);/sg) {
    my ($k, $e) = ($1, $2);
    $triggers_of = $k + 1;
    $rests{$k} = 1 if $e =~ /run_clk/;
}
exit 0 if !%rests || ($function{"${root}___eval_act"} // '(vlSelf);') =~ /___\w+\(vlSelf\);/;

# ---- statements: what they read and write ----
my $variable = qr/(?:vlSelf->|vlSymsp->TOP\w*\.)\w+/;
sub plain {
    my ($body) = @_;
    $body =~ s/^#if.*?^#endif[^\n]*\n?//msg;
    $body =~ s/VL_DEBUG_IF\([^\n]*\);\n?//g;
    $body =~ s{//[^\n]*}{}g;
    $body =~ s/^\s*if \(false && vlSelf\) \{\}//;
    $body =~ s/V${name}__Syms\* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;//;
    return $body;
}
# A function's local variables and its statements, each with what it reads (that is: finds) and writes; undef: not known.
my %parsed;
sub parsed {
    my ($f) = @_;
    return $parsed{$f} if exists $parsed{$f};
    $parsed{$f} = undef;
    my $body = plain($function{$f} // return undef);
    return undef if $body =~ /\b(?:for|while|switch|do|return|goto)\b/;
    while ($body =~ /\b(\w+)\s*\(/g) { return undef if $1 !~ /^(?:if|[CSIQ]Data|VL_REDXOR_\d+|VL_ZERO_W|VL_ASSIGNSEL_WI)$/; }
    my (%local, $locals, @statements, @text);
    my ($depth, $current) = (0, '');
    while ($body =~ /\G([^;{}]*)([;{}])/gc) {
        my ($s, $end) = ($1, $2);
        $current = pop @text if $depth == 0 && $current eq '' && $s =~ /^\s*else\b/;
        $current .= "$s$end";
        $depth += $end eq '{' ? 1 : $end eq '}' ? -1 : 0;
        next if $depth || $end eq '{';
        if ($current =~ m{^\s*(?:[CSIQ]Data|VlWide<\d+>)(?:/\*\d+:0\*/)?\s+(\w+);$}) { $local{$1} = 1; $locals .= $current; }
        else { push @text, $current; }
        $current = '';
    }
    return undef if $depth || $current ne '' || substr($body, pos($body) // 0) =~ /\S/;
    for my $t (@text) {
        my $s = { text => $t, reads => {}, writes => {}, mentions => 0 };
        my $level = 0;
        my $finds = sub { $s->{reads}{$_} = 1 for grep { /^vl/ || $local{$_} } $_[0] =~ /($variable|\b[A-Za-z_]\w*)/g; };
        while ($t =~ /\G\s*([^;{}]*)([;{}])/g) {
            my ($x, $end) = ($1, $2);
            if ($end eq ';' && $x =~ /^($variable|\w+)\s*((?:\[[^=]*\])*)\s*=(?!=)(.*)$/s) {
                my ($to, $index, $from) = ($1, $2, $3);
                $to =~ /^vl/ || $local{$to} or return undef;
                $s->{writes}{$to} = 1;
                $s->{reads}{$to} = 1 if $index ne '' || $level; # keeps a part of what it was, or sometimes all
                $finds->("$index $from");
            }
            elsif ($end eq ';' && $x =~ /^VL_\w+\((.*)$/s) {
                $finds->($1);
                $s->{writes}{$_} = 1 for keys %{$s->{reads}};
            }
            elsif ($end eq ';' && $x ne '') { return undef; }
            else { $finds->($x); }
            $level += $end eq '{' ? 1 : $end eq '}' ? -1 : 0;
        }
        $s->{mentions} = () = $t =~ /$variable/g;
        push @statements, $s;
    }
    return $parsed{$f} = { locals => $locals // '', statements => \@statements };
}

# ---- who is called, of which instance, at which edges ----
sub calls {
    my ($of) = @_;
    my $body = $function{"${root}___$of"} // return undef;
    my @calls;
    while ($body =~ /\n    if \((.*?)\) \{\n((?:        \w+\([^;]*\);\n)+)    \}/sg) {
        my ($if, $list) = ($1, $2);
        my %at = map { $_ => 1 } $if =~ /Triggered\.at\((\d+)U\)/g;
        while ($list =~ /\b(\w+)\((?:vlSelf|\(&vlSymsp->(\w+)\))\);/g) { push @calls, { f => $1, in => $2 // 'TOP', at => \%at }; }
    }
    return @calls == (() = plain($body) =~ /\bV\w+\(/g) ? \@calls : undef;
}
# The variable of an instance.
sub whose {
    my ($v, $in) = @_;
    return $v =~ /^vlSelf->(.*)/ ? "$in.$1" : $v =~ s/^vlSymsp->//r;
}
my $inputs = calls('eval_ico') // exit 0;
my $edges  = calls('eval_nba') // exit 0;
# ---- parts ----
# Statements that share a variable which one of them writes are one part: what it finds and writes, of variables that stay.
sub parts {
    my @statements = @{$_[0]};
    my @of = 0 .. $#statements;
    my $first = sub { my ($i) = @_; $i = $of[$i] while $of[$i] != $i; return $i; };
    my (%writes, %parts);
    for my $i (0 .. $#statements) { push @{$writes{$_}}, $i for keys %{$statements[$i]{writes}}; }
    for my $i (0 .. $#statements) {
        for my $v (keys %{$statements[$i]{reads}}, keys %{$statements[$i]{writes}}) {
            $of[$first->($i)] = $first->($_) for @{$writes{$v} // []};
        }
    }
    for my $i (0 .. $#statements) {
        my $p = $parts{$first->($i)} //= { text => '', mentions => 0, finds => {}, writes => {} };
        $p->{text} .= $statements[$i]{text};
        $p->{mentions} += $statements[$i]{mentions};
        $p->{finds}{$_} = 1 for grep { /^vl/ && !$p->{writes}{$_} } keys %{$statements[$i]{reads}};
        $p->{writes}{$_} = 1 for grep { /^vl/ } keys %{$statements[$i]{writes}};
    }
    return map { $parts{$_} } sort { $a <=> $b } keys %parts;
}

my (%writers, %changes, %at);
$changes{"TOP.$1"} = 1 while $text{$header{$root}} =~ /\bVL_IN\w*\(&?(\w+),/g;
for my $c (@$inputs, @$edges) {
    my $p = parsed($c->{f}) // exit 0;
    $p->{parts} //= [parts($p->{statements})];
    $c->{always} = $c->{f} =~ /___ico_/ || grep { !$rests{$_} } keys %{$c->{at}};
    for my $v (map { whose($_, $c->{in}) } map { keys %{$_->{writes}} } @{$p->{parts}}) {
        push @{$writers{$v}}, $c;
        $changes{$v} = 1 if $c->{always};
    }
}

# Those that count while the others rest: a comparison would be of no use.
my %counts;
for my $c (grep { $_->{always} } @$edges) {
    for my $t (map { $_->{text} } @{$parsed{$c->{f}}{statements}}) {
        while ($t =~ /(?:__Vdly__)?(\w+)\s*=\s([^;]*);/g) {
            my ($v, $from) = ($1, $2);
            $counts{whose("vlSelf->$v", $c->{in})} = 1 if $from =~ /vlSelf->$v\b/ && $from =~ /\(1U\)\s*\+|\+\s*\(IData\)\(1U\)/;
        }
    }
}

# ---- those left out ----
my (%sites, %class_of, %kept, %new, $parts);
for my $c (@$edges) {
    push @{$sites{$c->{f}}}, $c;
    $class_of{$c->{in}} = $class{$c->{f}};
}
for my $f (sort keys %sites) {
    my @sites = @{$sites{$f}};
    my $at = join(' ', sort keys %{$sites[0]{at}});
    next unless grep({ $rests{$_} } split(/ /, $at)) && grep({ !$rests{$_} } split(/ /, $at));
    next if grep { join(' ', sort keys %{$_->{at}}) ne $at } @sites;
    my $mine = $class{$f};
    my (@parts, @always);
    for my $p (@{$parsed{$f}{parts}}) {
        $p->{words} = {};
        my $never;
        for my $site (@sites) {
            # of what it writes nobody else at rest writes anything
            $never = 1 if grep { $_ != $site && $_->{always} } map { @{$writers{whose($_, $site->{in})} // []} } keys %{$p->{writes}};
            for my $v (keys %{$p->{finds}}) {
                my $its = whose($v, $site->{in});
                next if !$changes{$its};
                my $class = $v =~ /^vlSelf->/ ? $mine : $v =~ /^vlSymsp->(\w+)\./ && $class_of{$1} || '';
                my $type = $p->{words}{$v} = ($type{$class} // {})->{$v =~ s/.*(?:->|\.)//r} // '';
                $never = 1 if !$type || $counts{$its};
            }
        }
        if ($never) { push @always, $p; }
        else        { push @parts, $p; }
    }
    # Those that have a variable to compare in common have one comparison, if they are worth what they add to it.
    my $words = sub { my $n = 0; $n += $_[0]{$_} =~ /<(\d+)>/ ? $1 : 1 for grep { !$_[1]{$_} } keys %{$_[0]}; return $n; };
    my ($guarded, @together) = ('');
    while (@parts) {
        my (@with, %compared, $mentions);
        for (;;) {
            my ($best) = sort { $b->[0] <=> $a->[0] || $a->[1] <=> $b->[1] }
                map { [$parts[$_]{mentions} - $WORTH * $words->($parts[$_]{words}, \%compared), $_] }
                grep { my $p = $parts[$_]; !@with || grep { $compared{$_} } keys %{$p->{words}} } 0 .. $#parts;
            last if !$best || ($best->[0] < 0 && @with);
            my $p = splice(@parts, $best->[1], 1);
            push @with, $p;
            %compared = (%compared, %{$p->{words}});
            $mentions += $p->{mentions};
        }
        if ($mentions < $SMALL || $mentions < $WORTH * keys %compared) { push @always, @with; next; }
        push @together, @with;
        my $k = ++$parts;
        my @compared = sort keys %compared;
        my ($differ, $take) = ("(rest != vlSelf->__Vnba_rest_$k)", "            vlSelf->__Vnba_rest_$k = rest;\n");
        $kept{$mine} .= "    QData __Vnba_rest_$k = 0;\n";
        for my $i (0 .. $#compared) {
            my ($v, $seen) = ($compared[$i], "vlSelf->__Vnba_rest_${k}_$i");
            $kept{$mine} .= "    $compared{$v} __Vnba_rest_${k}_$i;\n";
            $take   .= "            $seen = $v;\n";
            $differ .= "\n            | ($v$_ ^ $seen$_)" for $compared{$v} =~ /<(\d+)>/ ? map { "[$_]" } 0 .. $1 - 1 : '';
        }
        $guarded .= "    // PART $k: @compared\n    bool go_$k = true;\n    if (0U != rest) {\n        go_$k = 0U != ($differ);\n" .
            "        if (go_$k) {\n$take        }\n    }\n    if (go_$k) {" . join('', map { $_->{text} } @with) .
            "\n    }\n    // END $k\n";
    }
    next if $guarded eq '';
    # edges after which it is done anyway: its own, and those that write what it finds or writes
    for my $site (@sites) {
        $at{$f}{$_} = 1 for keys %{$site->{at}};
        for my $v (map { whose($_, $site->{in}) } map { keys %{$_->{finds}}, keys %{$_->{writes}} } @together) {
            $at{$f}{$_} = 1 for grep { $rests{$_} } map { keys %{$_->{at}} } @{$writers{$v} // []};
        }
    }
    $new{$f} = "    V${name}__Syms* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;\n" .
        '    const QData rest = ' . ($mine eq $root ? 'vlSelf->' : 'vlSymsp->TOP.') . "__Vnba_rest;\n$parsed{$f}{locals}\n" .
        $guarded . join('', map { $_->{text} } @always);
}
exit 0 if !%new;

# ---- written ----
for my $f (keys %new) {
    my $symbols = "#include \"V${name}__Syms.h\"\n";
    $text{$file{$f}} =~ s/(?=#include "$class{$f}\.h"\n)/$symbols/ if $class{$f} ne $root && $text{$file{$f}} !~ /$symbols/;
    $text{$file{$f}} =~ s/(\n(?:VL_INLINE_OPT )?void $f\(\w+\* vlSelf\) \{\n).*?(?=\n\}\n)/$1$new{$f}/s or die "$f: gone\n";
}
# How many evaluations there have been with such edges, but for those in which nothing but clocks that do not rest had one.
my $nba = $function{"${root}___eval_nba"};
$nba =~ s{(\n    if \((.*?)\) \{\n)((?:        \w+\([^;]*\);\n)+)}{
    my ($if, $list) = ($1, $3);
    my %of = map { $_ => 1 } map { keys %{$at{$_} // {}} } $list =~ /\b(\w+)\(/g;
    my $times = join(' + ', map { "vlSelf->__Vnba_times[$_]" } sort keys %of);
    $if . (%of ? "        vlSelf->__Vnba_rest = resting ? $times : 0U;\n" : '') . $list
}sge;
my $some = join(' | ', map { "vlSelf->__VnbaTriggered.at(${_}U)" } sort keys %rests);
my $times = join('', map { "        vlSelf->__Vnba_times[$_] += vlSelf->__VnbaTriggered.at(${_}U);\n" } 0 .. $triggers_of - 1);
$nba =~ s{(    // Body\n)}{$1    const bool resting = !($some);\n    if (!resting) {\n$times    }\n};
# in registers of the processor: functions that are called do not change them
$nba =~ s/vlSelf->__VnbaTriggered\.at\((\d+)U\)/t$1/g;
my $edges_now = join('', map { "    const bool t$_ = vlSelf->__VnbaTriggered.at(${_}U);\n" } 0 .. $triggers_of - 1);
$nba =~ s{(    // Body\n)}{$1$edges_now};
$text{$file{"${root}___eval_nba"}} =~ s/(\nvoid ${root}___eval_nba\(\w+\* vlSelf\) \{\n).*?(?=\n\}\n)/$1$nba/s or die "eval_nba: gone\n";
my $ones = join(', ', (1) x $triggers_of);
$kept{$root} .= "    QData __Vnba_rest = 0; // 0: not at rest\n    QData __Vnba_times[$triggers_of] = {$ones};\n";
for my $class (keys %kept) {
    my $members = "\n    // PARTS AT REST (scripts/rest.pl)\n$kept{$class}";
    $text{$header{$class}} =~ s{(?=\n    // INTERNAL VARIABLES\n)}{$members} or die "$class: gone\n";
}
put($_, $text{$_}) for keys %text;
