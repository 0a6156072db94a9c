#!/usr/bin/perl
# Compares the ports and parameters of two modules as Verilator reports them (--xml-only).
#
#   perl scripts/ports.pl DEFAULT.xml BLOCK.xml
#
# Prints a line for each difference: a port that is missing, one too many, of another width or direction; a parameter that is missing. Exit
# code 1 if there is any. The order of ports does not matter, since blocks are connected by name; more parameters do no harm.
use strict;
use warnings;

@ARGV == 2 or die "usage: ports.pl DEFAULT.xml BLOCK.xml\n";

# One element per line, which Verilator guarantees: name -> [direction, width] of the top module's ports, and its parameters.
sub interface {
    my ($file) = @_;
    my (%port, %parameter, %width, $top, @blocks, $routine);
    open(my $in, '<', $file) or die "$file: $!\n";
    while (<$in>) {
        my %a = map { $_ } /(\w+)="([^"]*)"/g;
        if    (/<module /)            { $top = $a{topModule}; }
        elsif (/<\/module>/)          { $top = 0; }
        elsif (/<begin .*\/>/)        { }
        elsif (/<begin /)             { push @blocks, 1; }
        elsif (/<\/begin>/)           { pop @blocks; }
        elsif (/<(?:func|task) /)     { $routine = 1; }
        elsif (/<\/(?:func|task)>/)   { $routine = 0; }
        elsif (/<var / && $top && !$routine && !@blocks) {
            $port{$a{origName}} = [$a{dir}, $a{dtype_id}] if $a{dir};
            $parameter{$a{origName}} = 1 if $a{param};
        }
        elsif (/<basicdtype /) { $width{$a{id}} = defined $a{left} ? abs($a{left} - $a{right}) + 1 : 1; }
    }
    close($in);
    $_->[1] = $width{$_->[1]} // 0 for values %port;
    return (\%port, \%parameter);
}

sub bits { return $_[0] == 1 ? '1 bit' : "$_[0] bits"; }

my ($ports, $parameters) = interface($ARGV[0]);
my ($own,   $own_parameters) = interface($ARGV[1]);
my $bad = 0;
sub say_it { print "$_[0]\n"; $bad = 1; }

for (sort keys %$ports) {
    my ($direction, $width) = @{$ports->{$_}};
    my $port = $own->{$_};
    if    (!$port)                     { say_it("port $_ is missing ($direction, " . bits($width) . ')'); }
    elsif ($port->[0] ne $direction)   { say_it("port $_ is an $port->[0], expected an $direction"); }
    elsif ($port->[1] != $width)       { say_it("port $_ has " . bits($port->[1]) . ", expected " . bits($width)); }
}
for (sort keys %$own) {
    say_it("port $_ ($own->{$_}[0], " . bits($own->{$_}[1]) . ') is none of the slot') if !$ports->{$_};
}
for (sort keys %$parameters) {
    say_it("parameter $_ is missing") if !$own_parameters->{$_};
}
exit $bad;
