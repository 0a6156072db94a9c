#!/usr/bin/perl
# What has changed in a model with waves is found in its memory, a line at a time, and not signal by signal.
#
#   perl scripts/places.pl NAME FOLDER      changes Verilator's C++ of a model in FOLDER that was made with --trace-fst
#
# Verilator compares each signal with what it was. Most signals are variables of C++, or parts of arrays, and stand side by side: here these
# comparisons are taken out, and a function says at the start where each stands (fst_place in sim/runtime/fst.h). Signals that are worked
# out for the waves get a place, too, in arrays that are added to the model: they are worked out when they were, and not compared then. All
# are written by Verilator's own functions when recording begins.
#
# The places of signals must not overlap: a word of a variable that is a signal itself, as a whole, has one in these arrays. What is printed
# in another way than expected is compared as before; where nothing is, sim/runtime asks the model itself for what is worked out.
use strict;
use warnings;
require "./scripts/files.pl";

@ARGV == 2 or die "usage: places.pl NAME FOLDER\n";
my ($name, $folder) = @ARGV;
my $root = "V${name}___024root";

my %text = map { $_ => text($_) } glob("$folder/V${name}__Trace__*.cpp");
# The first time all signals are written, later those that have changed: functions of either kind, what they are called with, and each
# signal's code, counted from the model's first one.
my $function  = qr/\nVL_ATTR_COLD void ${root}__trace_full_sub_\d+\(${root}\* vlSelf, [^()]*\) \{\n.*?\n\}\n/s;
my $changes   = qr/\nvoid ${root}__trace_chg_sub_\d+\(${root}\* vlSelf, [^()]*\) \{\n.*?\n\}\n/s;
my $statement = qr/[ ]*bufp->(?:full|chg)(Bit|[CSIQW]Data)\(oldp\+(\d+),\(([^;]*)\)(?:,(\d+))?\);\n/;
sub first_code { return $_[0] =~ /\boldp\b[^\n]* = bufp->oldp\(vlSymsp->__Vm_baseCode(?: \+ (\d+))?\);/ ? $1 // 0 : undef; }
sub is_place { return $_[0] =~ /^(?:vlSelf->|vlSymsp->TOP\w*\.)\w+(?:\[(?:0x)?[0-9a-f]+U?\])*$/; }

my (%of, %kind, %bits, %compared, %whole);
for my $t (values %text) {
    for my $f ($t =~ /$function/g) {
        my $first = first_code($f) // next;
        while ($f =~ /$statement/g) {
            my ($kind, $code, $expression, $bits) = ($1, $first + $2, $3, $4);
            ($kind{$code}, $of{$code}, $bits{$code}) = ($kind, $expression =~ s/\s+//gr, $bits);
        }
    }
    for my $f ($t =~ /$changes/g) {
        my $first = first_code($f) // next;
        while ($f =~ /$statement/g) {
            my ($code, $expression) = ($first + $2, $3);
            $compared{$code} = $expression =~ s/\s+//gr;
        }
    }
}
sub depth { return scalar(() = $_[0] =~ /\[/g); }
for my $code (keys %of) {
    delete $of{$code} unless defined $compared{$code} && $compared{$code} eq $of{$code};
}
for my $place (grep { is_place($_) } values %of) {
    my ($variable, $depth) = ($place =~ s/\[.*//r, depth($place));
    $whole{$variable} = $depth unless defined $whole{$variable} && $whole{$variable} < $depth;
}
# Those without a place of their own: where they are put when they have been worked out.
my (%taken, $places, %put, %count);
for my $code (sort { $a <=> $b } keys %of) {
    my $place = $of{$code};
    if (!is_place($place) || depth($place) > $whole{$place =~ s/\[.*//r} || $taken{$place}++) {
        my $type = $kind{$code} =~ s/Bit/CData/r;
        $type = 'VlWide<' . int(($bits{$code} + 31) / 32) . '>' if $type eq 'WData';
        $place = $put{$code} = 'vlSelf->__Vwaves_' . $type =~ s/<(\d+)>/$1/r . '[' . $count{$type}++ . ']';
    }
    $places .= "    sim_signal_place(first + $code, &$place, sizeof $place);\n";
}
exit 0 unless $places;
my $members = join('', map { "    $_ __Vwaves_" . s/<(\d+)>/$1/r . "[$count{$_}];\n" } sort keys %count);

# Which code the signal has that is declared next, for sim_signal_place; called when all are.
my $declared = <<'END';
extern "C" void sim_signal_code(uint32_t code);
extern "C" void sim_signal_place(uint32_t code, const void* at, size_t bytes);
extern "C" void sim_signals_by(void (*work_out)(void*, VerilatedFst::Buffer*), void (*done)(void*, VerilatedFst*), void* self);
END
# What is in a function instead of its comparisons, or beside what it writes.
sub changed {
    my ($body, $writes) = @_;
    my $first = first_code($body) // return $body;
    $body =~ s{($statement)}{
        my ($all, $code, $expression) = ($1, $first + $3, $4);
        my $put = !$put{$code} ? '' : $kind{$code} eq 'WData' ? "    VL_ASSIGN_W($bits{$code}, $put{$code}, $expression);\n"
            : "    $put{$code} = ($expression);\n";
        ($writes || !defined $of{$code} ? $all : '') . $put}ge;
    $body =~ s/\n[^\n]*\boldp\b[^\n]*bufp->oldp[^\n]*// if !$writes && $body !~ /bufp->chg/;
    return $body;
}
for my $f (keys %text) {
    $text{$f} =~ s/($changes)/changed($1, 0)/ge;
    $text{$f} =~ s/($function)/changed($1, 1)/ge;
}
my @called = map { /tracep->add(?:Chg|Cleanup)Cb\(&(\w+), vlSelf\);/g } values %text;
my $by = @called == 2 && !grep({ /bufp->chg/ } values %text) ? "    sim_signals_by(&$called[0], &$called[1], vlSelf);\n" : '';
my $says = "VL_ATTR_COLD static void ${root}__trace_places(${root}* vlSelf) {\n" .
    "    V${name}__Syms* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;\n" .
    "    const uint32_t first = vlSymsp->__Vm_baseCode;\n$places$by}\n";
my $said;
for my $f (keys %text) {
    my $top = qr/\nVL_ATTR_COLD void ${root}__trace_init_top\([^()]*\) \{\n/;
    next unless $text{$f} =~ s/$top.*?\K(?=\n\}\n)/\n    ${root}__trace_places(vlSelf);/s;
    my $functions = $by ? "void $called[0](void*, VerilatedFst::Buffer*);\nvoid $called[1](void*, VerilatedFst*);\n" : '';
    $text{$f} =~ s/(?=$top)/\n$functions$says/;
    $said = 1;
}
for my $f (keys %text) {
    my $codes = $text{$f} =~ s/(tracep->decl[A-Z]\w*)\((c\+[^,"]+),/sim_signal_code($2), $1($2,/g;
    $text{$f} =~ s/(#include "V${name}__Syms\.h"\n)/$1$declared/ if $codes || $text{$f} =~ /sim_signal_place/;
}
my $header = text("$folder/$root.h");
$said && $header =~ s{(?=\n    // INTERNAL VARIABLES\n)}{\n    // SIGNALS OF WAVES (scripts/places.pl)\n$members} or exit 0;
put("$folder/$root.h", $header);
put($_, $text{$_}) for keys %text;
