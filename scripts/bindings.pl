#!/usr/bin/perl
# Binding generator: the port list that Verilator reports -> C header and C++ glue.
#
#   perl scripts/bindings.pl NAME MODULE XML DIR [PARAMETER=VALUE...]      writes DIR/NAME.h and DIR/NAME_glue.cpp (only if they change)
#
# Reads the output of `verilator --xml-only`: ports of the top module with their widths, and every instance below it whose module
# declares probe_busy; for these the clock is followed upwards from the instance's `clk` through port connections and plain
# assignments to a port of the top. And every loop, for the message about one that does not end. What the header offers is described in
# sim/runtime/model.h.
use strict;
use warnings;

@ARGV >= 4 or die "usage: bindings.pl NAME MODULE XML DIR [PARAMETER=VALUE...]\n";
my ($name, $module, $xml, $dir, @parameters) = @ARGV;

# ---- read the XML: one element per line, which Verilator guarantees ----
my (%modules, %width, %file, @loops, $current, @blocks, $routine, $instance, $port, $assign, $top);
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
        $current = $modules{$a{name}} = { name => $a{origName}, ports => [], vars => {}, children => [], alias => {}, locals => {} };
        $top = $current if $a{topModule};
    }
    elsif (/<\/module>/)    { undef $current; }
    elsif (/<file /)        { $file{$a{id}} = $a{filename}; }
    elsif (/<while /)       { push @loops, [split(/,/, $a{loc})]; }
    elsif (/<begin .*\/>/)  { }
    elsif (/<begin /)       { push @blocks, $a{name}; }
    elsif (/<\/begin>/)     { pop @blocks; }
    elsif (/<(?:func|task) /)   { $routine = 1; }
    elsif (/<\/(?:func|task)>/) { $routine = 0; }
    elsif (/<var / && $routine) { }    # an argument or a local variable of a function
    elsif (/<var / && $current) {
        $current->{vars}{$a{origName}} = $a{dtype_id} if !@blocks;
        $current->{locals}{join('.', @blocks, $a{origName})} = 1 if @blocks;
        push @{$current->{ports}}, { name => $a{origName}, dir => $a{dir}, type => $a{dtype_id} } if $a{dir} && !@blocks;
    }
    elsif (/<instance /)    {
        $instance = { of => $a{defName}, path => join('.', @blocks, $a{origName}), pins => {} };
        push @{$current->{children}}, $instance;
    }
    elsif (/<\/instance>/)  { undef $instance; }
    elsif (/<port / && $instance) { $port = $a{name}; }
    elsif (/<\/port>/)      { undef $port; }
    elsif (/<contassign /)  { $assign = []; }
    elsif (/<\/contassign>/) {
        $current->{alias}{$assign->[1]} = $assign->[0] if $assign && @$assign == 2 && $current;
        undef $assign;
    }
    elsif (/<varref /) {
        if ($port && $instance) { $instance->{pins}{$port} = meant($a{name}) if !exists $instance->{pins}{$port}; }
        push @$assign, meant($a{name}) if $assign;
    }
    elsif (/<basicdtype /) { $width{$a{id}} = defined $a{left} ? abs($a{left} - $a{right}) + 1 : 1; }
    elsif (/<(?!\/)/) {    # an expression: not a plain connection
        push @$assign, undef, undef, undef if $assign;
        $instance->{pins}{$port} = undef if $port && $instance && !exists $instance->{pins}{$port};
    }
}
close($in);
$top or die "$xml: no top module\n";

# ---- find the probes and the top-level clock each runs on ----
my @probes;
sub walk {
    my ($m, $path, $clock_of) = @_;
    my $resolve = sub {
        my ($signal, $hops) = (shift, 0);
        while (defined $signal && !exists $clock_of->{$signal} && $hops++ < 50) { $signal = $m->{alias}{$signal}; }
        return defined $signal ? $clock_of->{$signal} : undef;
    };
    if (exists $m->{vars}{probe_busy}) {
        my $clock = $resolve->('clk');
        defined $clock or die "$name: $path ($m->{name}) declares probe_busy, but its port `clk` cannot be followed to a port of $module\n";
        for my $probe (qw(probe_busy probe_stall probe_start probe_done)) {
            next unless exists $m->{vars}{$probe};
            $width{$m->{vars}{$probe}} == 1 or die "$name: $path.$probe must be one bit wide\n";
        }
        my %has = map { $_ => exists $m->{vars}{"probe_$_"} } qw(stall start done);
        push @probes, { path => $path, module => $m->{name}, clock => $clock, %has };
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
        walk($child, "$path.$c->{path}", \%below);
    }
}
walk($top, $module, { map { $_->{name} => $_->{name} } grep { $_->{dir} eq 'input' } @{$top->{ports}} });

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

# ---- write ----
my (@fields, @fill, @rows);
for my $p (@{$top->{ports}}) {
    my $w = $width{$p->{type}} or die "$name: port $p->{name} has a type without a width\n";
    $p->{dir} =~ /^(input|output)$/ or die "$name: port $p->{name} is $p->{dir}: split it into _i, _o and _oe\n";
    my $c = $w <= 8 ? 'uint8_t' : $w <= 16 ? 'uint16_t' : $w <= 32 ? 'uint32_t' : $w <= 64 ? 'uint64_t' : 'uint32_t';
    my $note = $w > 64 ? sprintf("%d bits, %d words, lowest first", $w, ($w + 31) / 32) : $w == 1 ? '1 bit' : "$w bits";
    my $const = $p->{dir} eq 'output' ? 'const ' : '';
    push @fields, sprintf("    %-40s /* %s, %s */", "$const$c *$p->{name};", $p->{dir}, $note);
    my $output = $p->{dir} eq 'output' ? 1 : 0;
    push @fill, $w > 64 ? "    b->$p->{name} = m->$p->{name}.data();" : "    b->$p->{name} = &m->$p->{name};";
    push @rows, "    {\"$p->{name}\", $w, $output, offsetof($name, $p->{name})},";
}
my $guard = 'MODEL_' . uc($name) . '_H';
my $fields = join("\n", @fields);
my $fill   = join("\n", @fill);
my $rows   = join("\n", @rows);
my $ports  = join(', ', map { $_->{name} } @{$top->{ports}});
my $table  = join("\n", map { sprintf('    {"%s", "%s", "%s", %d, %d, %d},', @$_{qw(path module clock stall start done)}) } @probes);

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

put("$dir/${name}_glue.cpp", <<"END");
// Generated by scripts/bindings.pl: the model of Verilog module $module behind the C functions of $name.h.
#include <cstddef>
#include <cstdlib>

#include "$name.h"
#include "V$name.h"
#if VM_TRACE
#include "verilated_fst_c.h"
#endif

#ifdef LANES
extern "C" const sim_lanes ${name}_lanes;
#define LANES_OF_MODEL &${name}_lanes
#else
#define LANES_OF_MODEL nullptr
#endif

namespace {
const sim_probe probes[] = {
$table
    {nullptr, nullptr, nullptr, 0, 0, 0},
};
const sim_config_port ports[] = {
$rows
    {nullptr, 0, 0, 0},
};

void model_eval(void *m) { static_cast<V$name *>(m)->eval(); }
#if VM_TRACE
void model_waves(void *m, void *waves) { static_cast<V$name *>(m)->trace(static_cast<VerilatedFstC *>(waves), 99); }
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
    $name *b = static_cast<$name *>(calloc(1, sizeof *b));
    if (!b) return nullptr;
    V$name *m = new V$name(static_cast<VerilatedContext *>(context), instance);
$fill
    return b->model = sim_model_new(s, &${name}_config, m, b, instance);
}
}

extern "C" {
const sim_config ${name}_config = {
    "$name", "$module", "@parameters", make, ports, sizeof ports / sizeof ports[0] - 1, sizeof($name), model_eval, model_waves, model_free,
    probes, sizeof probes / sizeof probes[0] - 1, LANES_OF_MODEL, "$loops",
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
