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

# What calls send and receive: regular expressions of names without the prefix
# MPI_I or MPI_ and the suffix _c, and expressions of both numbers of bytes.
# In these,
#   SEND, RECEIVE          are the bytes, for one rank, of the buffer that the
#                          function reads and of the one that it writes,
#   SEND_ALL, RECEIVE_ALL  those for all ranks,
#   TO (RANK, BYTES)       is 0 for MPI_PROC_NULL,
#   GOT                    is the size of a message, if it is known yet, and
#   IN_PLACE (A, B)        is B where MPI_IN_PLACE stands for the buffer of A.
# Persistent requests, which move nothing yet, and neighbors are not here.
my @moves = (
  [ '[bsr]?send', 'TO (dest, SEND)', '0' ],
  [ 'm?recv', '0', 'GOT' ],
  [ 'sendrecv', 'TO (dest, SEND)', 'GOT' ],
  [ 'sendrecv_replace', 'TO (dest, RECEIVE)', 'GOT' ],
  [ 'r?put|r?accumulate', 'TO (target_rank, SEND)', '0' ],
  [ 'r?get', '0', 'TO (target_rank, RECEIVE)' ],
  [ 'r?get_accumulate|fetch_and_op',
    'op == MPI_NO_OP ? 0 : TO (target_rank, SEND)',
    'TO (target_rank, RECEIVE)' ],
  [ 'bcast', 'is_root (root, comm) ? RECEIVE : 0',
    'has_root (root, comm) && !is_root (root, comm) ? RECEIVE : 0' ],
  [ 'gatherv?', 'has_root (root, comm) ? IN_PLACE (SEND, RECEIVE) : 0',
    'is_root (root, comm) ? RECEIVE_ALL : 0' ],
  [ 'scatterv?', 'is_root (root, comm) ? SEND_ALL : 0',
    'has_root (root, comm) ? IN_PLACE (RECEIVE, SEND) : 0' ],
  [ 'allgatherv?', 'IN_PLACE (SEND, RECEIVE)', 'RECEIVE_ALL' ],
  [ 'alltoall[vw]?', 'IN_PLACE (SEND_ALL, RECEIVE_ALL)', 'RECEIVE_ALL' ],
  [ 'reduce', 'has_root (root, comm) ? SEND : 0',
    'is_root (root, comm) ? RECEIVE : 0' ],
  [ 'allreduce|scan', 'SEND', 'RECEIVE' ],
  [ 'exscan', 'SEND', 'own_rank (comm) != 0 ? RECEIVE : 0' ],
  [ 'reduce_scatter(?:_block)?', 'SEND_ALL', 'RECEIVE' ]
);

# Finds the buffers of a function: SEND is read and RECEIVE written.  Each has
# a name, a count and a type, which both may share; the count is an array if
# there is one for each rank, and so is the type.
sub buffers_of
{
  my %buffers;
  my @open; # buffers whose type is yet to come

  for (@_)
    {
      /(\w+) ?((?:\[[^]]*\])?)$/ or die "no name: $_\n";
      my ($name, $is_array) = ($1, $2 ne '');
      my $key = /^const void ?\*/ ? 'SEND' : /^void ?\*/ ? 'RECEIVE' : undef;

      if (defined $key)
        {
          $buffers{$key} = { name => $name, count => 1 };
          push @open, $buffers{$key};
        }
      elsif (/^(?:const )?MPI_Datatype /)
        {
          $_->{type} = $name, $_->{types} = $is_array for @open;
          @open = ();
        }
      elsif (/^(?:const )?(?:int|MPI_Count) / && !/displs/)
        {
          $_->{count} = $name, $_->{counts} = $is_array for @open;
        }
    }
  return %buffers;
}

# The bytes of a buffer for one rank, and for n of them.
sub bytes_of
{
  my ($b, $n) = @_;
  my ($count, $type) = @$b{qw(count type)};
  my $all = $b->{types} ? 'bytes_of_types' : 'bytes_of_all';

  return ("bytes ($count, $type)", "bytes ($count, $type) * (uint64_t) $n")
    if !$b->{counts};
  return ($b->{types} ? '0' : "bytes ($count\[own_rank (comm)], $type)",
    "$all ($count, sizeof *$count, $n, $type)");
}

# The expressions of what a function sends and receives, or nothing.
sub moves_of
{
  my ($name, @parameters) = @_;
  my ($base) = lc ($name) =~ /^mpi_(\w+?)(?:_c)?$/ or die "$name\n";
  my ($move) = grep { $base =~ /^i?(?:$_->[0])$/ } @moves or return;
  my %buffers = buffers_of (@parameters);
  # The counts of both groups may differ; these are of the own.
  my $n = $base =~ /reduce_scatter/ ? 'own_size (comm)' : 'peers (comm)';
  my ($send, $send_all) = $buffers{SEND} ? bytes_of ($buffers{SEND}, $n) : ();
  my ($receive, $receive_all)
    = $buffers{RECEIVE} ? bytes_of ($buffers{RECEIVE}, $n) : ();
  my @result = @$move[1, 2];

  for (@result)
    {
      my $from = grep (/ source$/, @parameters) ? 'TO (source, RECEIVE)'
        : 'RECEIVE';
      $from = 'bytes_got (status)' if grep /MPI_Status ?\*/, @parameters;
      s/GOT/$from/;
      s/TO \((\w+), (\w+)\)/$1 != MPI_PROC_NULL ? $2 : 0/;
      s<IN_PLACE \((SEND|RECEIVE)(\w*), (\w+)\)>
       <($buffers{$1}{name} == MPI_IN_PLACE ? $3 : $1$2)>;
      s/SEND_ALL/$send_all/;
      s/RECEIVE_ALL/$receive_all/;
      s/SEND/$send/;
      s/RECEIVE/$receive/;
    }
  return @result;
}

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
    my @parameters
      = $parameters eq 'void' ? () : split /, ?(?![^()]*\))/, $parameters;
    my @names;
    for (@parameters)
      {
        /(\w+) ?(?:\[[^]]*\] ?)*$/ or die "$name: no name: $_\n";
        push @names, $1;
      }
    push @calls, [ $name, $parameters, join (', ', @names),
                   moves_of ($name, @parameters) ];
  }
@calls or die "wrap.pl: no prototypes\n";

print "/* Made by wrap.pl.  */\n\n";
print "static int (*next_$_->[0]) ($_->[1]);\n" for @calls;
print "\n#include \"bytes.h\"\n\n";
my $id = 0;
for (@calls)
  {
    my ($name, $parameters, $arguments, $sent, $received) = @$_;

    next if $name =~ $by_hand;
    my $call = "NEXT ($name) ($arguments)";
    my ($before, $after) = ('', "  return $call;");
    if (defined $sent)
      {
        $before = <<"END" if $received =~ /status/;
  MPI_Status own_status;
  if (this_call.has_bytes && status == MPI_STATUS_IGNORE)
    status = &own_status;
END
        $after = <<"END";
  int result = $call;
  if (this_call.has_bytes && result == MPI_SUCCESS)
    {
      this_call.sent = $sent;
      this_call.received = $received;
    }
  return result;
END
        chomp $after;
      }
    for my $own ($name, "P$name")
      {
        # A program's error handler may throw an exception.
        print <<"END";
AGENT_STAND_IN int
$own ($parameters)
{
  struct call this_call __attribute__ ((cleanup (call_end)));

  call_begin (&this_call, $id, "$name", __builtin_return_address (0));
$before$after
}

END
      }
    $id++;
  }
print "_Static_assert ($id <= RANK_FUNCTIONS, \"there is room for all\");\n";
print "\nstatic void\nfind_all (void)\n{\n";
print "  FIND_NEXT ($_->[0]);\n" for @calls;
print "}\n";
