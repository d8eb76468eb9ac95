# perf_agrees.pl - compares where perf and a profile see a program's processor
# time.
#
#   perf script -F ip,sym,symoff,dso | perl perf_agrees.pl RUN NAME DUMP
#
# RUN is "same" if perf and the profile saw the same run of the program NAME,
# or "alone" if perf saw one without the profiler.  DUMP is what cgread --dump
# prints of the profile, whose events are CPU and Samples.  Prints a table of
# the ten functions that perf finds hottest, and figures; fails if the profile
# has another function first, by more than chance; as two runs differ by more,
# "alone" also by more than a factor of two.  Time in the kernel counts for the
# function that called it, as in the profile; time in the profiler itself does
# not count.  Functions are compared by their addresses in their object.
#
# SPDX-License-Identifier: MIT

use strict;
use warnings;
no warnings 'portable'; # addresses have 64 bits
use List::Util qw(max min sum0);
use POSIX qw(floor);

use constant { TOP => 10, SIGMAS => 3, RUNS_DIFFER => 2 };

my ($run, $program, $dump) = @ARGV;

# A function: object, name, first and last address seen, samples, share.
my (%by_perf, %by_profile);

sub note {
  my ($functions, $object, $key, $name, $address, $samples, $cost) = @_;
  my $f = $functions->{"$object\t$key"} //=
    { object => $object, name => $name, samples => 0, cost => 0,
      first => $address, last => $address };
  $f->{first} = min ($f->{first}, $address);
  $f->{last} = max ($f->{last}, $address);
  $f->{samples} += $samples;
  $f->{cost} += $cost;
}

# What an object's file says: where it is loaded, where functions begin that
# have no symbol.

my %objects;

sub object {
  my ($path) = @_;
  return $objects{$path} if $objects{$path};
  my $o = $objects{$path} = { segments => [], starts => [] };
  return $o unless -f $path;
  open my $headers, '-|', 'readelf', '-lW', $path or die "readelf: $!\n";
  while (<$headers>) {
    push @{$o->{segments}}, [map { hex } $1, $2, $3]
      if /^ +LOAD +(0x\w+) (0x\w+) 0x\w+ (0x\w+)/;
  }
  return $o;
}

sub starts {
  my ($path) = @_;
  my $o = object ($path);
  return $o->{starts} if $o->{has_starts}++ || ! -f $path;
  open my $frames, '-|', "readelf --debug-dump=frames '$path' 2>/dev/null"
    or die "readelf: $!\n";
  my %starts;
  while (<$frames>) {
    # Where one ends, what nothing describes begins.
    @starts{map { hex } $1, $2} = (1, 1)
      if / pc=([0-9a-f]+)\.\.([0-9a-f]+)/;
  }
  return $o->{starts} = [sort { $a <=> $b } keys %starts];
}

# perf prints offsets in files.
sub address {
  my ($path, $offset) = @_;
  for my $segment (@{object ($path)->{segments}}) {
    my ($begin, $address, $size) = @$segment;
    return $offset - $begin + $address
      if $offset >= $begin && $offset < $begin + $size;
  }
  return $offset;
}

sub start_of {
  my ($path, $address) = @_;
  my $starts = starts ($path);
  my ($low, $high) = (0, scalar @$starts);
  while ($low < $high) {
    my $middle = floor (($low + $high) / 2);
    if ($starts->[$middle] <= $address) { $low = $middle + 1 }
    else { $high = $middle }
  }
  return $low ? $starts->[$low - 1] : $address;
}

# Reading.

# The innermost frame of each sample that is not the kernel's.
sub read_perf {
  my $done = 0;
  while (<STDIN>) {
    if (/^\s*$/) { $done = 0; next }
    next if $done || !/^\s+([0-9a-f]+) (.*) \((.*)\)$/;
    my ($offset, $symbol, $object) = (hex $1, $2, $3);
    next if $object =~ /^\[(?!vdso)/ || $object =~ /\.ko\b/;
    $done = 1;
    next if $object =~ m{/(sample_agent\.so|libunwind\.so)\b};
    my $address = address ($object, $offset);
    my $start = $symbol =~ s/\+0x([0-9a-f]+)$// ? $address - hex $1
              : start_of ($object, $address);
    $symbol = sprintf '0x%x', $start if $symbol eq '[unknown]';
    note (\%by_perf, $object, $start, $symbol, $address, 1, 1);
  }
}

sub read_profile {
  open my $lines, '<', $dump or die "$dump: $!\n";
  while (<$lines>) {
    chomp;
    my ($kind, @fields) = split /\t/;
    next if $kind ne 'cost';
    my ($object, $file, $function, undef, $address) = @fields;
    my ($cost, $samples) = split ' ', $fields[-1];
    note (\%by_profile, $object, "$file\t$function", $function, hex $address,
          $samples, $cost);
  }
}

# Comparing.

sub shares {
  my ($functions) = @_;
  my $n = sum0 (map { $_->{samples} } values %$functions);
  my $cost = sum0 (map { $_->{cost} } values %$functions);
  for my $f (values %$functions) {
    $f->{share} = $f->{cost} / $cost;
    $f->{variance} = $f->{share} * (1 - $f->{share}) / $n;
  }
  return ($n, sort { $b->{share} <=> $a->{share} || $a->{name} cmp $b->{name} }
              values %$functions);
}

# The same function in the other, or one without any samples there.
sub counterpart {
  my ($f, @others) = @_;
  for my $g (@others) {
    return $g if $f->{object} eq $g->{object} && $f->{first} <= $g->{last}
                 && $g->{first} <= $f->{last};
  }
  return { name => '-', share => 0, variance => 0, samples => 0 };
}

sub sigmas {
  my ($difference, @variances) = @_;
  my $variance = sum0 (@variances);
  return $variance > 0 ? $difference / sqrt $variance : 0;
}

read_perf ();
read_profile ();
my ($n_perf, @perf) = shares (\%by_perf);
my ($n_profile, @profile) = shares (\%by_profile);
die "$program: there are no samples\n" unless @perf && @profile;

my ($worst, $agree, $compared) = (0, 0, 0);
for my $f (@perf[0 .. min (TOP - 1, $#perf)]) {
  my $g = counterpart ($f, @profile);
  # One sample of a function that is not in the other is the least there is.
  my $z = sigmas ($g->{share} - $f->{share}, $f->{variance}, $g->{variance},
                  1 / $n_perf ** 2, 1 / $n_profile ** 2);
  printf "# %-8s perf %5.2f %%  profile %5.2f %% %+5.1f sigma  %s%s\n",
    $program, 100 * $f->{share}, 100 * $g->{share}, $z, $f->{name},
    $f->{name} eq $g->{name} ? '' : " = $g->{name}";
  $worst = max ($worst, abs $z);
  $agree++ if abs $z < SIGMAS;
  $compared++;
}
printf "# figure real_perf_samples_%s_%s %d\n", $run, $program, $n_perf;
printf "# figure real_top_agree_%s_%s %d/%d\n", $run, $program, $agree,
  $compared;
printf "# figure real_worst_sigma_%s_%s %.1f\n", $run, $program, $worst;

# perf has A first, the profile B: by how much do they contradict each other?
my ($a, $b) = ($perf[0], $profile[0]);
my $a_here = counterpart ($a, @profile);
if ($a_here != $b) {
  my $b_there = counterpart ($b, @perf);
  my $z = sigmas ($a->{share} - $b_there->{share}
                    + $b->{share} - $a_here->{share},
                  map { $_->{variance} } $a, $a_here, $b, $b_there);
  printf "# %s: perf has %s first, the profile %s: %.1f sigma\n", $program,
    $a->{name}, $b->{name}, $z;
  exit 1 if $z >= SIGMAS
            && ($run eq 'same'
                || $b->{share} > RUNS_DIFFER * $a_here->{share});
}
