#!/usr/bin/perl
# mpi_counts.pl - compares the calls of MPI functions in a profile, as cgread
# --dump shows it, with the outputs of mpi_counter.c, of all ranks: each call
# site in each object must have the same number of calls of the same function.
#
#   mpi_counts.pl DUMP COUNTS...
#
# Calls that the MPI libraries make themselves do not count.  Prints the number
# of sites and calls.
#
# SPDX-License-Identifier: MIT

use strict;
use warnings;
no warnings 'portable';

my ($dump, @counts) = @ARGV;
my (%ours, %theirs);

sub add
{
  my ($table, $object, $address, $name, $count) = @_;
  $object =~ s,.*/,,;
  return if $object =~ /^lib(mpi|mpich|mpichfort|mpi_\w+|mca_\w+)\.so/;
  $name = lc $name;
  $name =~ s/_(?:f08(?:ts)?_)?$//;
  $table->{"$object\t$name"}{oct $address} += $count;
}

open my $in, '<', $dump or die "$dump: $!\n";
while (<$in>)
  {
    my @f = split /\t/;
    # Samples may have been taken in the counter's functions, which have the
    # same names.
    next if $f[0] ne 'call' || $f[9] !~ /^MPI_/
      || $f[7] !~ m,/lib(mpi|mpich)\.so[^/]*$,;
    add (\%ours, $f[1], $f[5], $f[9], (split / /, $f[12])[0]);
  }
for (@counts)
  {
    open my $in, '<', $_ or die "$_: $!\n";
    while (<$in>)
      {
        chomp;
        add (\%theirs, split /\t/);
      }
  }

# A call instruction lies before the address that it returns to.
my ($sites, $calls, $bad) = (0, 0, 0);
for my $key (sort keys %theirs)
  {
    for my $return (sort keys %{$theirs{$key}})
      {
        my $want = $theirs{$key}{$return};
        my ($at) = grep { $_ < $return && $return <= $_ + 15 }
          sort { $b <=> $a } keys %{$ours{$key} || {}};
        my $got = defined $at ? delete $ours{$key}{$at} : 0;

        $sites++;
        $calls += $want;
        next if $got == $want;
        printf "%s before 0x%x: %d calls, and %d counted\n", $key, $return,
          $got, $want;
        $bad++;
      }
  }
for my $key (sort keys %ours)
  {
    for my $at (sort keys %{$ours{$key}})
      {
        printf "%s at 0x%x: %d calls, and none counted\n", $key, $at,
          $ours{$key}{$at};
        $bad++;
      }
  }
print "$sites sites, $calls calls\n";
exit ($bad != 0 || $calls == 0);
