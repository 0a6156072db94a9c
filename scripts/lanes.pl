#!/usr/bin/perl
# Lanes: the C++ that Verilator printed for a model -> C++ that evaluates several instances of it at once, one vector lane for each.
#
#   perl scripts/lanes.pl NAME FOLDER OUT      reads FOLDER/VNAME*.cpp and .h, writes OUT
#
# Verilator's functions are kept as they are, statement by statement. Variables become L<type> (lanes.hpp.in, which is copied in), `if`
# becomes a mask that assignments obey and that is tested once for all lanes, `?:` selects. Parts that rest.pl has marked are left out where
# in no lane anything has changed that they find. What it prints is a small language; a word that is not known here ends the program with
# its place, and nothing is written: the model is then used instance by instance.
use strict;
use warnings;
require "./scripts/files.pl";
no warnings 'recursion';

@ARGV == 3 or die "usage: lanes.pl NAME FOLDER OUT\n";
my ($name, $folder, $out) = @ARGV;
my $root = "V${name}___024root";
my $where = '';
sub unknown { die "lanes.pl: $name: $where: not known: " . substr($_[0], 0, 120) . "\n" }

# ---- what Verilator wrote ----
my (%function, %member, @members, @ports, %input, %table);

my %stored = (CData => 'uint8_t', SData => 'uint16_t', IData => 'uint32_t', QData => 'uint64_t');
# {stored type, number of places, words of a place, bits, unpacked}
sub type_of {
    my ($text) = @_;
    my ($bits) = $text =~ m{/\*(\d+):0\*/};
    (my $t = $text) =~ s{/\*.*?\*/|\s+}{}g;
    my $of = sub { { type => $_[0], places => $_[1], words => $_[2], bits => ($bits // 0) + 1, memory => $_[3] } };
    return $of->($stored{$t}, 1, 1, 0) if $stored{$t};
    return $of->('uint32_t', 1, $1, 0) if $t =~ /^VlWide<(\d+)>$/;
    return $of->($stored{$1}, $2, 1, 1) if $t =~ /^VlUnpacked<(\w+),(\d+)>$/ && $stored{$1};
    return $of->('uint32_t', $2, $1, 1) if $t =~ /^VlUnpacked<VlWide<(\d+)>,(\d+)>$/;
    return undef;
}
sub one_bit { my ($t) = @_; return $t->{bits} == 1 && $t->{words} == 1 && !$t->{memory}; }
# What a local variable is, and what keeps one of the model.
sub vector { my ($t) = @_; return one_bit($t) ? 'B' : $t->{type} eq 'uint64_t' ? 'V64' : 'V32'; }
sub kept   { my ($t) = @_; return one_bit($t) ? 'L1' : "L<$t->{type}>"; }
# A memory of so many places that lanes are read and written one by one.
sub far { my ($t) = @_; return $t->{memory} && power($t->{places}) > 8; }
sub power { my $p = 1; $p *= 2 while $p < $_[0]; return $p; }

my $model_sees = text("$folder/$root.h") =~ /\b__Vico_known\b/;
$where = "$root.h";
for (split /\n/, text("$folder/$root.h")) {
    next unless /^\s+(\S.*?)\s*(\w+|\w+\(.*\));$/;
    my ($t, $n) = ($1, $2);
    if (/^\s+VL_(IN|OUT)(8|16|64|W|)\(&?(\w+),(\d+),\d+(?:,(\d+))?\);/) {
        my ($direction, $size, $port, $left, $words) = ($1, $2, $3, $4, $5);
        my %c = (8 => 'CData', 16 => 'SData', '' => 'IData', 64 => 'QData');
        $n = $port;
        push @ports, $port;
        $input{$port} = $direction eq 'IN';
        $t = ($size eq 'W' ? "VlWide<$words>" : $c{$size}) . "/*$left:0*/";
    }
    my $type = type_of($t) or next;
    next if $n =~ /^__V(?:ico|stl|act|nba)|^__Vm_/;
    $member{$n} = $type;
    push @members, $n;
}
for my $file (glob("$folder/V${name}__ConstPool*.cpp $folder/$root*.cpp")) {
    my $t = text($file);
    $table{$2} = $1 while $t =~ /extern const (VlUnpacked<[^;]*?>)\s+(V${name}__ConstPool__TABLE_\w+);/g;
    next if $file =~ /Slow/;
    while ($t =~ /\n(?:VL_INLINE_OPT )?void ${root}___(\w+)\($root\* vlSelf\) \{\n(.*?)\n\}\n/sg) { $function{$1} = $2; }
}

# ---- expressions: C++'s own precedence ----
my (@token, $at, %local);
my @levels = (['||'], ['&&'], ['|'], ['^'], ['&'], ['==', '!='], ['<', '>', '<=', '>='], ['<<', '>>'], ['+', '-'], ['*']);

sub tokens {
    my ($text) = @_;
    @token = $text =~ /\G\s*(0x[0-9a-fA-F]+U?L*L*|\d+U?L*|vlSelf->\w+|\w+|<<|>>|<=|>=|==|!=|&&|\|\||[-+*&|^~!<>?:()\[\],])/g;
    (my $all = $text) =~ s/\s+//g;
    join('', @token) eq $all or unknown($text);
    $at = 0;
}
sub next_is { return $at < @token && $token[$at] eq $_[0]; }
sub expect  { next_is($_[0]) or unknown(join(' ', @token)); $at++; }

sub expression {
    my $c = binary(0);
    return $c if !next_is('?');
    $at++;
    my $then = operand(expression());
    expect(':');
    return "select($c, $then, " . operand(expression()) . ')';
}
# 0 and 1 beside something of one bit are of one bit, too.
sub operand { my ($e) = @_; return $e =~ /^(?:0x0*)?([01])U$/ ? "K<$1>()" : $e; }
sub binary {
    my ($level) = @_;
    return unary() if $level == @levels;
    my $left = binary($level + 1);
    while ($at < @token && grep { $token[$at] eq $_ } @{$levels[$level]}) {
        my $op = $token[$at++];
        $left = '(' . operand($left) . " $op " . operand(binary($level + 1)) . ')';
    }
    return $left;
}
sub unary {
    if (next_is('~') || next_is('!') || next_is('-')) {
        my $op = $token[$at++];
        return "($op" . unary() . ')';
    }
    if (next_is('(') && $token[$at + 1] =~ /^([CSIQ])Data$/ && $token[$at + 2] eq ')') {
        my $kind = $1;
        $at += 3;
        return "to$kind(" . unary() . ')';
    }
    if (next_is('(')) {
        $at++;
        my $e = expression();
        expect(')');
        return "($e)";
    }
    my $word = $token[$at++] // unknown(join(' ', @token));
    return $word if $word =~ /^\d/;
    if ($word =~ /^VL_REDXOR_\d+$/) {
        expect('(');
        my $e = expression();
        expect(')');
        return "$word($e)";
    }
    if ($table{$word}) {
        expect('[');
        my $e = expression();
        expect(']');
        return "look_up($word, $e)";
    }
    return place($word)->{read};
}
# A variable with its indices: how it is read, and how it is written.
sub place {
    my ($word) = @_;
    my $in_model = $word =~ s/^vlSelf->//;
    my $type = $in_model ? $member{$word} : $local{$word};
    $type or unknown($word);
    my @index;
    while (next_is('[')) {
        $at++;
        push @index, expression();
        expect(']');
    }
    @index == $type->{memory} + ($type->{words} > 1) or unknown("$word with " . @index . ' indices');
    my $v = $in_model ? "s.$word" : $word;
    # numbers are kept within their bits; what C++ itself would cut off is cut off here
    my $whole = "$type->{bits} $type->{type}";
    my $cast  = $whole eq '8 uint8_t' ? 'toC' : $whole eq '16 uint16_t' ? 'toS' : '';
    if ($type->{memory} && !$in_model) { unknown("$word, a memory that is not the model's"); }
    if ($type->{memory}) {
        my $word_of = $type->{words} > 1 ? $index[1] : 0;
        $word_of =~ /^\d+U?$|^0x[0-9a-f]+U?$/ or unknown("$word\[][$word_of]");
        my $shape = power($type->{places}) . ", $type->{words}";
        my $at = "$v, $index[0], $word_of";
        return { read => "get_at<$shape>($at)", write => sub { "put_at<$shape>($_[0], $at, $cast($_[1]));" } };
    }
    if ($type->{words} > 1) {
        if ($index[0] !~ /^\d+U?$|^0x[0-9a-f]+U?$/) {    # a word per lane
            my $shape = power($type->{words}) . ', 1';
            return { read => "get_at<$shape>($v, $index[0], 0)", write => sub { "put_at<$shape>($_[0], $v, $index[0], 0, $_[1]);" } };
        }
        $v .= "[$index[0]]";
    }
    return { read => "get($v)", write => sub { "put($_[0], $v, $cast($_[1]));" } } if $in_model;
    $cast ||= 'as<' . vector($type) . '>';
    return { read => $v, write => sub { $_[0] eq 'm0' ? "$v = $cast($_[1]);" : "$v = blend($_[0], $cast($_[1]), $v);" } };
}

# ---- statements ----
my ($body, $masks, %part);
sub skip { $body =~ /\G\s+/gc; }
# the text up to the bracket that closes the one just read
sub inside {
    my $from = pos($body);
    my $depth = 1;
    while ($depth) {
        $body =~ /\G[^()]*([()])/gc or unknown(substr($body, $from, 80));
        $depth += $1 eq '(' ? 1 : -1;
    }
    return substr($body, $from, pos($body) - $from - 1);
}
sub statements {
    my ($mask) = @_;
    my @out;
    for (;;) {
        skip();
        return @out if pos($body) >= length($body);
        return @out if $body =~ /\G\}/gc;
        push @out, statement($mask);
    }
}
sub condition {
    my ($mask) = @_;
    tokens(inside());
    my $c = expression();
    $at == @token or unknown(join(' ', @token));
    my $k = ++$masks;
    skip();
    $body =~ /\G\{/gc or unknown(substr($body, pos($body), 80));
    my @then = statements("m$k");
    my @else;
    skip();
    if ($body =~ /\Gelse\s+if\s*\(/gc) { @else = condition("e$k"); }
    elsif ($body =~ /\Gelse\s*\{/gc)    { @else = statements("e$k"); }
    my @out = ("const B c$k = bits($c);", "if (const B m$k = both($mask, c$k); any(m$k)) {", @then, '}');
    push @out, "if (const B e$k = only($mask, c$k); any(e$k)) {", @else, '}' if @else;
    return ('{', @out, '}');
}
sub statement {
    my ($mask) = @_;
    return condition($mask) if $body =~ /\Gif\s*\(/gc;
    if ($body =~ /\GPART_(\d+)\s*\{/gc) {
        my $k = $1;
        return ("if (part_$k(s, $mask)) {", statements($mask), '}');
    }
    $body =~ /\G([^;{}]*);/gc or unknown(substr($body, pos($body), 80));
    my $s = $1;
    if ($s =~ /^((?:[CSIQ]Data|VlWide<\d+>)(?:\/\*\d+:0\*\/)?)\s+(\w+)$/) {
        my $t = type_of($1);
        $local{$2} = $t;
        return $t->{words} > 1 ? "V32 $2\[" . power($t->{words}) . '] = {};' : vector($t) . " $2 = {};";
    }
    return () if $s =~ /^VL_ZERO_W\(\d+, \w+\)$/ || $s =~ /^\s*$/;
    $s =~ /^([^=]*?)\s*=(?!=)\s*(.*)$/s or unknown($s);
    my ($left, $right) = ($1, $2);
    tokens($left);
    my $to = place($token[$at++]);
    $at == @token or unknown($s);
    tokens($right);
    my $value = expression();
    $at == @token or unknown($s);
    return $to->{write}->($mask, $value);
}
sub lines_of {
    my ($function) = @_;
    $where = $function;
    defined $function{$function} or unknown("function $function");
    $body = $function{$function};
    %local = ();
    $masks = 0;
    $body =~ s{    // PART (\d+):([^\n]*)\n.*?\n    if \(go_\1\) (\{.*?\n    \})\n    // END \1\n}{
        my ($k, $compared, $statements) = ($1, $2, $3);
        $part{$k} = [$compared =~ /vlSelf->(\w+)/g];
        "PART_$k $statements\n";
    }sge;
    $body =~ s{    const QData rest = [^\n]*\n}{};
    $body =~ s{//[^\n]*}{}g;
    $body =~ s{VL_DEBUG_IF\(.*?\); \);}{}sg;
    $body =~ s{^\s*if \(false && vlSelf\) \{\}}{};
    $body =~ s{V${name}__Syms\* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;}{};
    pos($body) = 0;
    return statements('m0');
}

# ---- the order of evaluation: inputs, then edges until there are none ----
my (@functions, @passes, @triggers, @seen, %edge, $inside, $input_code);
# Inputs that only make edges.
sub clock_only { my ($n) = @_; return $edge{$n} && $input_code !~ /\bs\.$n\b/; }
sub wanted { my ($f) = @_; push @functions, $f if !grep { $_ eq $f } @functions; return $f; }

$where = 'eval_ico';
my @inputs = map { wanted($_) } ($function{eval_ico} // unknown('no function eval_ico')) =~ /\n\s+${root}___(\w+)\(vlSelf\);/g;
$where = 'eval_act';
($function{eval_act} // unknown('no function eval_act')) !~ /${root}___\w+\(vlSelf\);/ or unknown('code in the active region');
$where = 'eval_nba';
my $nba = $function{eval_nba} // unknown('no function eval_nba');
my @resting = $nba =~ s/    const bool resting = !\((.*?)\);\n.*?\n    \}\n//s ? $1 =~ /\bt(\d+)/g : ();
while ($nba =~ /\n    if \((.*?)\) \{\n(?:        vlSelf->__Vnba_rest = (.*?);\n)?((?:        ${root}___\w+\(vlSelf\);\n)+)    \}/sg) {
    my ($if, $times, $calls) = ($1, $2 // '', $3);
    my @called = map { wanted($_) } $calls =~ /${root}___(\w+)\(/g;
    push @passes, [[$if =~ /(?:__VnbaTriggered\.at\(|\bt)(\d+)/g], \@called, [$times =~ /times\[(\d+)\]/g]];
}
my $calls = () = $nba =~ /${root}___\w+\(vlSelf\);/g;
$calls == (map { @{$_->[1]} } @passes) or unknown('a call that no trigger guards');
$where = 'eval_triggers__act';
$body = $function{eval_triggers__act} // unknown('no function eval_triggers__act');
while ($body =~ /vlSelf->__VactTriggered\.at\((\d+)U\) = (.*?);/sg) {
    my ($k, $e) = ($1, $2);
    $k == @triggers or unknown("trigger $k");
    $inside = 1 if grep { !/^__Vtrigrprev__TOP__/ && !$input{$_} } $e =~ /vlSelf->(\w+)/g;
    tokens($e);
    push @triggers, expression();
}
while ($body =~ /vlSelf->(__Vtrigrprev\w+) = vlSelf->(\w+);/g) {
    push @seen, "put(active, s.$1, get(s.$2));";
    $edge{$2} = 1;
}
@triggers && @passes or unknown('no edges');

my %code = map { my $f = $_; $f => join("\n", map { "    $_" } lines_of($f)) } @functions;
my ($variables, $of_one_bit, $far, $tables, $functions, $each, $bind, $to_model, $from_model) = ('') x 9;
my ($pins_in, $pins, $shown_ports, $join_shown, $differ, $pass_in, $pass_out, $pass_settled) = ('') x 8;
my ($bits_in, $clocks_in, $lane_bits, $lane_clocks) = ('') x 4; # inputs of one bit: of an instance, and of the lanes
$input_code = join('', @code{@inputs});
for my $n (@members) {
    my $t = $member{$n};
    my $count = ($t->{memory} ? power($t->{places}) : 1) * ($t->{memory} ? $t->{words} : power($t->{words}));
    my $i = $t->{words} == 1 ? 'i' : "i * $t->{words} + w";
    my $mine = far($t) ? "s.$n.v[k][$i]" : "s.$n\[$i].v[k]";
    my $place = $t->{words} == 1 ? "f(\"$n\", $mine, r->$n\[i]);"
        : "for (int w = 0; w < $t->{words}; w++) f(\"$n\", $mine, r->$n\[i][w]);";
    if (far($t)) { $far .= "    far<$t->{type}, $count> $n;\n"; }
    elsif (one_bit($t) && $input{$n}) { ${clock_only($n) ? \$lane_clocks : \$lane_bits} .= "    L1 $n;\n"; }
    elsif (one_bit($t)) { $of_one_bit .= "    L1 $n;\n"; }
    else { $variables .= "    L<$t->{type}> $n" . ($t->{memory} || $t->{words} > 1 ? "[$count]" : '') . ";\n"; }
    $each .= $t->{memory} ? "    for (int i = 0; i < $t->{places}; i++) $place\n"
        : $t->{words} > 1 ? "    for (int w = 0; w < $t->{words}; w++) f(\"$n\", s.$n\[w].v[k], r->$n\[w]);\n"
                          : "    f(\"$n\", s.$n.v[k], r->$n);\n";
}
# Ports as users see them stand apart, instance by instance: what goes in, of which clocks, and what comes out. Most of them are at an edge
# what they were at the one before, so `seen` and `shown` are what was copied last.
for my $n (@ports) {
    my $t = $member{$n};
    my $w = $t->{words};
    my $each_word = $w > 1 ? "for (int w = 0; w < $w; w++) " : '';
    my ($in_pins, $in_model) = map { $w > 1 ? "$_$n\[w]" : "$_$n" } 'p.', 'm->';
    my ($in_lane, $shown) = map { $w > 1 ? "$_$n\[w]" : "$_$n" } 'g->s.', 'g->shown.';
    $shown_ports .= '    ' . kept($t) . " $n" . ($w > 1 ? "[$w]" : '') . ";\n" if !$input{$n};
    my $pin = "    $t->{type} $n" . ($w > 1 ? "[$w]" : '') . ";\n";
    $bind .= "    $each_word$in_pins = $in_model;\n    b->$n = " . ($w > 1 ? '' : '&') . "p.$n;\n";
    if (!$input{$n}) {
        my $copy = "    ${each_word}pass(g, mask, $in_lane, $shown, [=](pins &p) -> auto & { return $in_pins; });\n";
        $pins         .= $pin;
        $from_model   .= "    $each_word$in_pins = $in_model;\n";
        $differ       .= "    ${each_word}compare(\"$n\", $in_pins, $in_model);\n";
        $join_shown   .= "    $each_word$shown.v[k] = $in_lane.v[k];\n";
        $pass_out     .= $copy;
        $pass_settled .= $copy if $input_code =~ /\bput\(\w+, s\.$n\b/;
        next;
    }
    $to_model .= "    $each_word$in_model = $in_pins;\n";
    one_bit($t) or !$edge{$n} or unknown("edges of $n, more than one bit");
    if (clock_only($n)) { $clocks_in .= $pin; }
    elsif (one_bit($t)) { $bits_in .= $pin; }
    else {
        $pins_in .= $pin;
        $pass_in .= "        $each_word$in_lane.v[k] = $in_pins;\n";
    }
}
for my $t (sort keys %table) { $tables .= "extern const $table{$t} $t;\n" if grep { index($_, $t) >= 0 } values %code; }
my $head = "(S &s, const MASK m0)\n{\n";
$functions .= "template <class MASK> __attribute__((noinline)) void $_$head$code{$_}\n}\n" for @functions;
my $calls_of  = sub {
    my ($indent, $mask, $calls) = @_;
    my ($every, $some) = map { my $m = $_; join(' ', map { "$_(s, $m);" } @$calls) } 'every()', $mask;
    return "${indent}if (all($mask | unused)) { $every }\n${indent}else { $some }\n";
};
my $settle    = $calls_of->('    ', 'active', \@inputs);
my $triggers  = join('', map { "        const B t$_ = both(active, bits($triggers[$_]));\n" } 0 .. $#triggers);
$triggers .= join('', map { "        $_\n" } @seen);
my $some   = sub { join(' | ', map { "t$_" } @_) };
my $none   = $some->(0 .. $#triggers);
my $passes = join('', map {
    '        if (const B t = ' . $some->(@{$_->[0]}) . "; any(t)) {\n" .
        (@{$_->[2]} ? '            s.rest = resting ? ' . join(' + ', map { "s.times[$_]" } @{$_->[2]}) . " : 0;\n" : '') .
        $calls_of->('            ', 't', $_->[1]) . "        }\n"
} @passes);
# where all edges are those of inputs, what registers do cannot make another one
my $again = $inside ? '' : "        return true;\n";
# Parts of functions that are left out at rest (rest.pl): `rest` and `seen` as there, for all lanes; in `known` those that `seen` is of.
my ($parts, $rests, $joins) = ('', '', '');
if (@resting) {
    $rests = '        const bool resting = !any(' . $some->(@resting) . ");\n        if (!resting) {\n" .
        join('', map { "            s.times[$_] += any(t$_);\n" } 0 .. $#triggers) . "        }\n";
    $variables .= '    uint64_t rest = 0, times[' . @triggers . '] = {' . join(', ', (1) x @triggers) . "};\n";
    $joins = "    for (uint64_t &t : g->s.times) t++;\n";
}
for my $k (sort { $a <=> $b } keys %part) {
    my ($differ, $take) = ('', '');
    $variables .= "    uint64_t rest_$k = 0;\n    B known_$k = {};\n";
    for my $i (0 .. $#{$part{$k}}) {
        my $n = $part{$k}[$i];
        my $t = $member{$n};
        my $seen = "seen_${k}_$i";
        $variables .= '    ' . kept($t) . " $seen" . ($t->{words} > 1 ? "[$t->{words}]" : '') . ";\n";
        for my $w ($t->{words} > 1 ? map { "[$_]" } 0 .. $t->{words} - 1 : '') {
            $differ .= "    note(differ, ones, get(s.$n$w), get(s.$seen$w));\n";
            $take   .= "    put(m, s.$seen$w, get(s.$n$w));\n";
        }
    }
    $parts .= "template <class MASK> IN bool part_$k(S &s, const MASK m)\n{\n    if (!s.rest) return true;\n" .
        "    if (s.rest_$k != s.rest) s.known_$k = {};\n    s.rest_$k = s.rest;\n    V32 differ = {};\n    B ones = {};\n$differ" .
        "    if (!any(both(m, bits(differ) | ones | B{s.known_$k.v ^ FULL}))) return false;\n$take" .
        "    s.known_$k = s.known_$k | both(m, B{FULL});\n    return true;\n}\n";
}

# evaluate.pl, rest.pl: what the model's own functions have seen is not what its state has followed from here
my $forget = ($model_sees ? "    r->__Vico_known = false;\n" : '') . (@resting ? "    for (QData &t : r->__Vnba_times) t++;\n" : '');

# a struct without members would take no room of its own
$_ ||= "    uint8_t none = 0;\n" for $bits_in, $clocks_in;
$_ ||= "    L1 none = {};\n" for $lane_bits, $lane_clocks;

(my $vectors = __FILE__) =~ s/pl$/hpp.in/;
$vectors = text($vectors);
my $text = <<"END";
// Written by scripts/lanes.pl: $name, several instances at once.
#include <cstdlib>
#include <new>

#include "V$name.h"
#include "${root}.h"
#include "$name.h"
$vectors
$tables
namespace {
// Inputs of one bit, side by side as the pins of each instance are: eight are gathered at a time.
struct alignas(8 * sizeof(L1)) lane_bits {
$lane_bits};
struct alignas(8 * sizeof(L1)) lane_clocks {
$lane_clocks};
struct S : lane_bits, lane_clocks {
$of_one_bit$variables$far};

$parts$functions
// `unused`: lanes that hold no model; whatever becomes of them.
void inputs(S &s, const B active, const B unused)
{
$settle}

bool edges(S &s, const B active, const B unused)
{
    for (bool some = false;; some = true) {
$triggers        if (!any($none)) return some;
$rests$passes$again    }
}

// Every variable of a lane beside that of a model.
template <class F> void each(S &s, $root *r, int k, F f)
{
$each}

// Ports of an instance as its users see them. No two instances share a line of the cache: one that is evaluated alone may be so in another
// thread.
struct alignas(8) pins_bits {
$bits_in};
struct alignas(8) pins_clocks {
$clocks_in};
struct alignas(64) pins_in : pins_bits { // but for clocks
$pins_in};
struct alignas(64) pins : pins_in, pins_clocks {
$pins};
struct pins_out {
$shown_ports};

struct group {
    S s;
    pins port[LANES];
    pins_in seen[LANES];
    pins_out shown;
    V$name *model[LANES];
};

bool same(const pins_in &a, const pins_in &b)
{
    u32v differ = {};
    for (unsigned at = 0; at < sizeof a; at += sizeof differ) {
        u32v x, y;
        memcpy(&x, reinterpret_cast<const char *>(&a) + at, sizeof x);
        memcpy(&y, reinterpret_cast<const char *>(&b) + at, sizeof y);
        differ |= x ^ y;
    }
    return !any(bits(V32{differ}));
}

void *make()
{
    void *at = aligned_alloc(alignof(group), sizeof(group));
    return at ? new (at) group() : nullptr;
}

void release(void *lanes) { free(lanes); }

void take(void *lanes, unsigned k, void *model, void *binding)
{
    auto *g = static_cast<group *>(lanes);
    auto *b = static_cast<$name *>(binding);
    V$name *m = g->model[k] = static_cast<V$name *>(model);
    pins &p = g->port[k];
$bind}

void in_model(group *g, unsigned k)
{
    V$name *m = g->model[k];
    const pins &p = g->port[k];
$to_model    m->eval();
}

void alone(void *lanes, unsigned k)
{
    auto *g = static_cast<group *>(lanes);
    const V$name *m = g->model[k];
    pins &p = g->port[k];
    in_model(g, k);
$from_model}

void join(void *lanes, unsigned k)
{
    auto *g = static_cast<group *>(lanes);
    alone(lanes, k);
    each(g->s, g->model[k]->rootp, (int)k, [](const char *, auto &&mine, auto &its) { mine = its; });
    g->seen[k] = g->port[k];
$joins$join_shown}

template <class F> void each_lane(group *g, uint32_t mask, F f)
{
    for (; mask; mask &= mask - 1) {
        const int k = __builtin_ctz(mask);
        f(g->port[k], k);
    }
}

// The pins of one bit that PINS has, of these lanes, become the variables of LANES_OF.
template <class PINS, class LANES_OF, class P> IN void gather(LANES_OF &to, uint32_t mask, const P (&from)[LANES])
{
    auto *all = reinterpret_cast<decltype(L1::v.all) *>(&to);
    if constexpr (sizeof *all > 1) {
        for (unsigned i = 0; i < sizeof(PINS); i++) {
            uint32_t bits = all[i] & ~mask;
            for (uint32_t left = mask; left; left &= left - 1) {
                const int k = __builtin_ctz(left);
                bits |= (reinterpret_cast<const uint8_t *>(static_cast<const PINS *>(&from[k]))[i] & 1u) << k;
            }
            all[i] = (decltype(L1::v.all))bits;
        }
        return;
    }
    const uint64_t ones = ~0ull / 255; // a bit in each byte: pin i of lane k becomes bit k of byte i
    for (unsigned at = 0; at < sizeof(PINS); at += 8) {
        uint64_t bits, pins;
        memcpy(&bits, all + at, 8);
        bits &= ~(ones * mask);
        for (uint32_t left = mask; left; left &= left - 1) {
            const int k = __builtin_ctz(left);
            memcpy(&pins, reinterpret_cast<const char *>(static_cast<const PINS *>(&from[k])) + at, 8);
            bits |= (pins & ones) << k;
        }
        memcpy(all + at, &bits, 8);
    }
}

// An output, if it has changed in some lane; in a lane that the mask leaves out it has not.
template <class V, class F> IN void pass(group *g, uint32_t mask, const V &lane, V &shown, F pin)
{
    if (!memcmp(&lane, &shown, sizeof lane)) return;
    shown = lane;
    each_lane(g, mask, [&](pins &p, int k) { pin(p) = lane.v[k]; });
}

void outputs(group *g, uint32_t mask)
{
$pass_out}

void settle(void *lanes, uint32_t mask, uint32_t joined)
{
    auto *g = static_cast<group *>(lanes);
    const B unused = {FULL & ~joined};
    uint32_t fresh = 0;
    gather<pins_clocks, lane_clocks>(g->s, mask, g->port);
    each_lane(g, mask, [&](const pins &p, int k) {
        if (same(p, g->seen[k])) return;
        g->seen[k] = p;
        fresh |= 1u << k;
$pass_in    });
    if (fresh) {
        gather<pins_bits, lane_bits>(g->s, FULL, g->seen);
        inputs(g->s, B{fresh}, unused);
    }
    if (edges(g->s, B{mask}, unused)) return outputs(g, mask);
    if (!fresh) return;
    // those that inputs pass through to
$pass_settled}

void edge(void *lanes, uint32_t mask, uint32_t joined)
{
    auto *g = static_cast<group *>(lanes);
    gather<pins_clocks, lane_clocks>(g->s, mask, g->port);
    edges(g->s, B{mask}, B{FULL & ~joined});
    outputs(g, mask);
}

void show(void *lanes, unsigned k)
{
    auto *g = static_cast<group *>(lanes);
    $root *r = g->model[k]->rootp;
    each(g->s, r, (int)k, [](const char *, auto &&mine, auto &its) { its = mine; });
$forget}

const char *differs(void *lanes, unsigned k, int all)
{
    auto *g = static_cast<group *>(lanes);
    const char *first = nullptr;
    in_model(g, k);
    auto compare = [&](const char *what, const auto &mine, const auto &its) { if (!first && mine != its) first = what; };
    const V$name *m = g->model[k];
    const pins &p = g->port[k];
$differ    if (all) each(g->s, m->rootp, (int)k, compare);
    return first;
}
}

extern "C" const sim_lanes ${name}_lanes = {"$name", LANES, lanes_usable, make, release, take, alone, join, show, settle, edge, differs};
END
put($out, $text);
