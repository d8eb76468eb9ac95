# perf_report.pl - compares a profile that was made of perf.data with what perf
# report says of it.
#
#   perf report --stdio --children -g none --sort dso,sym -t '|' \
#     | perl perf_report.pl DUMP SAMPLES [NAME...]
#
# DUMP is what cgread --dump prints of the profile, made with --inline=lines.
# For each event, and each function of each object, what perf prints as self
# and inclusive percentages must be equal to the last digit.  Functions that
# perf knows no name of, or only that of the function that they call, count for
# their object together, and only their self costs are compared.  A function of
# several names may have another one of them if the percentages are equal.  The
# functions NAME are left out; of objects NAME, only self percentages are
# compared.  Inclusive percentages may differ by that of SAMPLES samples: perf
# takes a call that is the last instruction of a function for one of the next
# function, and does not complete stacks that are cut off.  Prints how many
# were compared; fails if any differs.
#
# SPDX-License-Identifier: MIT

use strict;
use warnings;
use List::Util qw(sum0);

my ($dump, $more_samples, @left_out) = @ARGV;
my %left_out = map { $_ => 1 } @left_out;

sub base {
  my ($path) = @_;
  return 'JIT' if $path =~ /^\[JIT\]/ || $path =~ m{(^|/)perf-\d+\.map$};
  return '[unknown]' if $path eq '???';
  $path =~ s{.*/}{};
  return $path;
}

# Sums by event: self{key}, all{key}, total.
my (@self, @all, @total);

sub add {
  my ($sums, $key, $costs) = @_;
  $sums->[$_]{$key} += $costs->[$_] for 0 .. $#$costs;
}

open my $lines, '<', $dump or die "$dump: $!\n";
while (<$lines>) {
  chomp;
  my ($kind, @f) = split /\t/;
  if ($kind eq 'cost') {
    my @costs = split ' ', $f[-1];
    add (\@self, base ($f[0]) . '|' . ($f[2] =~ /^(\?\?\?$|0x)/ ? '' : $f[2]),
         \@costs);
    $total[$_] += $costs[$_] for 0 .. $#costs;
  } elsif ($kind eq 'call') {
    my ($object) = map { s/^-> //r } grep { /^-> / } @f;
    my ($at) = grep { $f[$_] =~ /^-> / } 0 .. $#f;
    my @costs = split ' ', $f[-1];
    shift @costs; # the number of calls
    add (\@all, base ($object) . '|' . $f[$at + 2], \@costs);
  }
}
close $lines;

my ($event, $compared, $bad) = (-1, 0, 0);
my (%perf_self, %perf_all, %rows, %unknown);

sub percent {
  my ($value) = @_;
  return sprintf '%.2f', $total[$event] ? 100 * $value / $total[$event] : 0;
}

# Whether what perf prints is the same as a percentage of the profile.
sub is_same {
  my ($what, $key, $perf, $percent) = @_;
  my $off = abs ($percent - $perf);
  return 1 if $off < 0.001;
  # perf has a row for each of several functions of one name, and rounds it.
  return 1 if $rows{$key} > 1 && $off < 0.005 * $rows{$key} + 0.0051;
  # Those that call each other count once here.
  return 1 if $rows{$key} > 1 && $what eq 'inclusive' && $percent < $perf
              && $percent >= $perf / $rows{$key} - 0.01;
  return $what eq 'inclusive'
         && $off < 100 * $more_samples / $total[-1] + 0.006;
}

# Compares one kind of percentages.
sub compare {
  my ($what, $perf, $ours) = @_;
  my @other = grep { !exists $perf->{$_} } keys %$ours;
  for my $key (sort keys %$perf) {
    my $object = $key =~ s/\|.*//r;
    # Those of C++ may be several with other arguments.
    my @keys = grep { $_ eq $key || /^\Q$key\E\(/ } keys %$ours;
    # Or it has another name.
    @keys = grep { /^\Q$object\E\|/
                   && is_same ($what, $key, $perf->{$key}, percent ($ours->{$_}))
                 } @other unless @keys;
    splice @keys, 1 unless grep { /^\Q$key\E/ } @keys;
    my $percent = percent (sum0 (map { $ours->{$_} } @keys));
    $compared++;
    next if is_same ($what, $key, $perf->{$key}, $percent);
    $bad++;
    print "# event $event, $what of $key: perf $perf->{$key}, ",
      "the profile $percent\n";
  }
}

sub finish_event {
  return if $event < 0;
  compare ('self', \%perf_self, $self[$event]);
  compare ('inclusive', \%perf_all, $all[$event]);
  for my $object (sort keys %unknown) {
    my $percent = percent ($self[$event]{"$object|"} // 0);
    # Each of them was rounded.
    next if abs ($percent - $unknown{$object}{self})
            <= 0.005 * $unknown{$object}{n} + 0.005;
    $bad++;
    print "# event $event, unknown functions of $object: ",
      "perf $unknown{$object}{self}, the profile $percent\n";
  }
  %perf_self = %perf_all = %rows = %unknown = ();
}

while (<STDIN>) {
  if (/^# Samples: /) { finish_event (); $event++; next }
  next if /^#/ || !/\S/;
  chomp;
  my @fields = map { s/^\s+|\s+$//gr } split /\|/;
  my ($all, $self, $object, $name)
    = @fields == 3 ? (undef, @fields) : @fields; # without call chains
  $name =~ s/^\[.\] //;
  my $is_unknown = $name =~ /^0x?[0-9a-f]+$/ || $name =~ /\@plt$/;
  $name =~ s/@.*//; # a version
  next if $left_out{$name};
  s/%$// for grep { defined } $all, $self;
  $object = base ($object);
  if ($is_unknown) {
    $unknown{$object}{self} += $self;
    $unknown{$object}{n}++;
    next;
  }
  $rows{"$object|$name"}++;
  $perf_self{"$object|$name"} += $self;
  $perf_all{"$object|$name"} += $all if defined $all && !$left_out{$object};
}
finish_event ();
print "# compared $compared percentages, $bad differ\n";
exit ($bad != 0 || $compared == 0);
