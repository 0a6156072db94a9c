#!/usr/bin/perl
# What Verilator puts around a model's own code is made short: its function `eval`, in the C++ that it has printed, is written anew.
#
#   perl scripts/evaluate.pl NAME FOLDER      changes FOLDER/VNAME___024root.h and the file that holds `eval`
#
# Verilator's eval works out all that follows from inputs without a clock, whether they have changed or not, and then looks for edges until
# there are none, three times if there is one. The new one
#
# * compares the inputs with those seen last, and does the first part only where they differ;
# * looks for edges once, where all edges are those of inputs: what registers do then cannot make another one.
#
# What comes out is the same to the bit: after each evaluation all that is combinational has settled, and nobody but the model itself writes
# its variables. Who does (lanes.pl, into a model that leaves its lanes) sets __Vico_known to false. Inputs that only registers look at, and
# clocks, are not compared. A part that Verilator has printed in another way, because edges come from inside for instance, stays as it is.
use strict;
use warnings;
require "./scripts/files.pl";

@ARGV == 2 or die "usage: evaluate.pl NAME FOLDER\n";
my ($name, $folder) = @ARGV;
my $root = "V${name}___024root";

# ---- what is there ----
my (%function, $file);
for my $f (sort glob("$folder/V${name}_*__DepSet_*.cpp")) {
    next if $f =~ /__Slow\.cpp$/;
    my $t = text($f);
    while ($t =~ /\n(?:VL_INLINE_OPT |VL_ATTR_COLD )?\w+ (\w+)\([^()]*\) \{\n(.*?)\n\}\n/sg) {
        my ($function, $body) = ($1, $2);
        $file = $f if $function eq "${root}___eval";
        $function{$function} = $body;
    }
}
$file or exit 0;
# The statements of a function; undef if there is no such function.
sub statements {
    my ($f) = @_;
    my $body = $function{"${root}___$f"} // return undef;
    $body =~ s/^#if.*?^#endif[^\n]*\n?//msg;
    $body =~ s/^\s*if \(false && vlSelf\) \{\}//;
    $body =~ s/V${name}__Syms\* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;//;
    $body =~ s/VL_DEBUG_IF\([^\n]*\);\n?//g;
    $body =~ s{//[^\n]*}{}g;
    $body =~ s/\s+/ /g;
    return $body =~ s/^ | $//gr;
}

# What a function reads, and those that it calls; undef if one of them is not known.
sub reads {
    my (%reads, %done);
    for (my @calls = @_; @calls;) {
        my $f = pop @calls;
        next if $done{$f}++;
        my $body = $function{$f} // return undef;
        $reads{$1} = 1 while $body =~ /(?:vlSelf->|TOP\.)(\w+)/g;
        push @calls, $body =~ /\b(V${name}_\w+)\(/g;
    }
    return \%reads;
}

# Inputs, in the order of the module: kind of C++ variable, words.
my $header = text("$folder/$root.h");
my (%input, @inputs);
while ($header =~ /^\s+VL_IN(8|16|64|W|)\(&?(\w+),\d+,\d+(?:,(\d+))?\);/mg) {
    push @inputs, $2;
    $input{$2} = { 8 => 'CData', 16 => 'SData', '' => 'IData', 64 => 'QData', W => 'VlWide<' . ($3 // 0) . '>' }->{$1};
}
exit 0 if @inputs != (() = $header =~ /\bVL_IN/g); # one that is written in another way

# ---- edges: of inputs only, and nothing that is done in their search ----
my ($edges, $looks) = (statements('eval_triggers__act'), '');
if (defined $edges && (statements('eval_act') // 'none') eq '') {
    my (@trigger, $seen, $unknown);
    for my $s (map { s/^ //r } split /;/, $edges) {
        if ($s =~ /^vlSelf->__VactTriggered\.at\((\d+)U\) = (.*)$/ && $1 == @trigger) { push @trigger, $2; }
        elsif ($s =~ /^vlSelf->__Vtrigrprev__TOP__(\w+) = vlSelf->\1$/ && $input{$1}) { $seen .= "    $s;\n"; }
        elsif ($s ne '') { $unknown = 1; }
    }
    for my $e (@trigger) {
        my $rest = $e =~ s/vlSelf->(?:__Vtrigrprev__TOP__)?(\w+)/$input{$1} ? '' : 'unknown'/ger;
        $unknown = 1 if $rest =~ s/\(IData\)//gr =~ /[^()&|~ ]/;
    }
    my @t = map { "t$_" } 0 .. $#trigger;
    my $found = join('', map { "    const bool $t[$_] = $trigger[$_];\n" } 0 .. $#t);
    my $tell  = join('', map { "    vlSelf->__VnbaTriggered.at(${_}U) = $t[$_];\n" } 0 .. $#t);
    my $none  = join(' | ', @t);
    $looks = "$found$seen    if (!($none)) return;\n$tell    ${root}___eval_nba(vlSelf);\n" if @t && !$unknown;
}

# ---- inputs that differ ----
my ($kept, $settles) = ('', '');
if ((statements('eval_triggers__ico') // '') eq 'vlSelf->__VicoTriggered.at(0U) = (0U == vlSelf->__VicoIterCount);') {
    my $reads  = reads("${root}___eval_ico");
    my $differ = '!vlSelf->__Vico_known';
    for my $p (grep { !$reads || $reads->{$_} } @inputs) {
        $kept    .= "    $input{$p} __Vico_seen_$p;\n";
        $settles .= "        vlSelf->__Vico_seen_$p = vlSelf->$p;\n";
        $differ  .= "\n        | (vlSelf->$p$_ ^ vlSelf->__Vico_seen_$p$_)" for $input{$p} =~ /<(\d+)>/ ? map { "[$_]" } 0 .. $1 - 1 : '';
    }
    $kept   .= "    bool __Vico_known = false; // what follows from inputs follows from those seen\n";
    $settles = "    if (0U != ($differ)) {\n        vlSelf->__Vico_known = true;\n$settles" .
        "        vlSelf->__VicoTriggered.at(0U) = 1U;\n        ${root}___eval_ico(vlSelf);\n    }\n";
}

# ---- both parts, in the place of Verilator's ----
my $all = text($file);
$all =~ /(?<=\nvoid ${root}___eval\(${root}\* vlSelf\) \{\n)(.*?)(?=\n\}\n)/s or exit 0;
my ($from, $to, $body) = ($-[0], $+[0], "$1\n");
my $loop = qr/    while \(__V\w+Continue\) \{\n.*?\n    \}\n/s;
$settles = '' unless $settles && $body =~ s/    vlSelf->__VicoIterCount = 0U;\n    __VicoContinue = 1U;\n$loop/$settles/;
$looks   = '' unless $looks   && $body =~ s/    __VnbaIterCount = 0U;\n    __VnbaContinue = 1U;\n$loop\z/$looks/;
for my $variable ($settles ? '__VicoContinue' : (), $looks ? qw(__VpreTriggered __VnbaIterCount __VnbaContinue) : ()) {
    $body =~ s/^    \S+ $variable;\n//m;
}
exit 0 unless $settles || $looks;
substr($all, $from, $to - $from) = $body;
put($file, $all);
if ($settles) {
    $header =~ s{(?=\n    // INTERNAL VARIABLES\n)}{\n    // INPUTS SEEN LAST (scripts/evaluate.pl)\n$kept};
    put("$folder/$root.h", $header);
}
