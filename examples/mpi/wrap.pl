#!/usr/bin/perl
# wrap.pl - writes wrappers of all MPI functions in C, from the prototypes in a
# preprocessed mpi.h:
#
#   cc -E mpi.h | perl wrap.pl >wrappers.h
#
# The PMPI_ functions are wrapped, too: the Fortran functions of Open MPI call
# these, and so do those of MPICH's mpi_f08 that take no buffer.
#
# SPDX-License-Identifier: MIT

use strict;
use warnings;

# Functions that take no time: clocks, conversions of handles, hints to
# profilers.
my $skipped = qr/^MPI_(?:Pcontrol|Wtime|Wtick|Aint_\w+
  |\w+_(?:c2f|f2c|c2f08|f082c|f2f08|f082f))$/x;
# Functions that wrappers.c defines.
my $by_hand = qr/^MPI_(?:Init|Init_thread|Finalize|Abort
  |Session_init|Session_finalize)$/x;

local $/;
my $text = <>;
$text =~ s/^#.*//mg;
1 while $text =~ s/__attribute__\s*(\((?:[^()]++|(?1))*\))//;
$text =~ s/\s+/ /g;

my (%seen, @calls);
while ($text =~ /[;} ]int (MPI_[A-Z][a-z]\w*) ?\(((?:[^()]|\([^()]*\))*)\) ?;/g)
  {
    my ($name, $parameters) = ($1, $2);
    next if $name =~ $skipped || $seen{$name}++;
    my @names;
    for ($parameters eq 'void' ? () : split /,(?![^()]*\))/, $parameters)
      {
        /(\w+) ?(?:\[[^]]*\] ?)*$/ or die "$name: no name: $_\n";
        push @names, $1;
      }
    push @calls, [ $name, $parameters, join ', ', @names ];
  }
@calls or die "wrap.pl: no prototypes\n";

print "/* Made by wrap.pl.  */\n\n";
my $id = 0;
for (@calls)
  {
    my ($name, $parameters, $arguments) = @$_;

    print "static int (*next_$name) ($parameters);\n";
    next if $name =~ $by_hand;
    for my $own ($name, "P$name")
      {
        # A program's error handler may throw an exception.
        print <<"END";
AGENT_STAND_IN int
$own ($parameters)
{
  struct call this_call __attribute__ ((cleanup (call_end)));

  call_begin (&this_call, $id, "$name", __builtin_return_address (0));
  return NEXT ($name) ($arguments);
}

END
      }
    $id++;
  }
print "_Static_assert ($id <= RANK_FUNCTIONS, \"there is room for all\");\n";
print "\nstatic void\nfind_all (void)\n{\n";
print "  FIND_NEXT ($_->[0]);\n" for @calls;
print "}\n";
