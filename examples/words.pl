# words.pl - counts the words of files, each in its own thread, often enough to
# be profiled.  SPDX-License-Identifier: MIT
use strict;
use warnings;
use threads;

sub count {
  my ($file) = @_;
  my %n;
  for my $round (1 .. 1000) {
    open my $in, "<", $file or die "$file: $!\n";
    while (my $line = <$in>) { $n{$_}++ for $line =~ /\w+/g }
  }
  return "$file: " . keys (%n) . " words\n";
}

my @threads = map { threads->create (\&count, $_) } @ARGV;
print $_->join for @threads;
