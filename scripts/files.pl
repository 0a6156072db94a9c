# Whole files, for the scripts that change what Verilator prints; what cannot be read or written ends the program.
use strict;
use warnings;

sub text { my ($file) = @_; local $/; open(my $in, '<', $file) or die "$file: $!\n"; return <$in>; }
sub put {
    my ($file, $text) = @_;
    open(my $out, '>', $file) or die "$file: $!\n";
    print $out $text and close($out) or die "$file: $!\n";
}
1;
