# perf_records.pl - writes perf.data files record by record, as versions of perf
# do that are not here, or as none does.
#
#   perl perf_records.pl CASE >FILE
#
# The numbers of records and fields are those of linux/perf_event.h, and of
# tools/perf/Documentation/perf.data-file-format.txt beside the kernel.
#
# SPDX-License-Identifier: MIT

use strict;
use warnings;

my ($case) = @ARGV;

use constant {
  MMAP => 1, LOST => 2, COMM => 3, EXIT => 4, FORK => 7, SAMPLE => 9,
  MMAP2 => 10, LOST_SAMPLES => 13, KSYMBOL => 17,
  ATTR => 64, TRACING_DATA => 66, BUILD_ID => 67, FINISHED_ROUND => 68,
  AUXTRACE => 71, EVENT_UPDATE => 78, FEATURE => 80, COMPRESSED => 81,
  COMPRESSED_2 => 83,
  IP => 1, TID => 2, TIME => 4, ADDR => 8, READ => 16, CALLCHAIN => 32,
  ID => 64, CPU => 128, PERIOD => 256, STREAM => 512, RAW => 1024,
  BRANCHES => 2048, REGISTERS => 4096, STACK => 8192, IDENTIFIER => 65536,
  KERNEL => 1, USER => 2, HYPERVISOR => 3, GUEST_KERNEL => 4, GUEST_USER => 5,
  BUILD_ID_SIZE => 1 << 15, MAP_BUILD_ID => 1 << 14, MAP_DATA => 1 << 13,
  EXEC => 1 << 13,
  IN_KERNEL => -128, IN_USER => -512, IN_HYPERVISOR => -32,
  IN_GUEST_KERNEL => -2176, IN_GUEST_USER => -2560
};

# The sample type of the events; whether other records end with these fields.
my ($type, $id_all) = (IP | TID | TIME | CALLCHAIN | PERIOD, 1);

sub pad { my ($bytes) = @_; return $bytes . "\0" x (-length ($bytes) % 8) }
sub text { my ($text) = @_; return pad ("$text\0") }

sub record {
  my ($kind, $misc, $body) = @_;
  return pack ('LSS', $kind, $misc, 8 + length $body) . $body;
}

# An attribute of some version: the size tells which.
sub attr {
  my (%a) = (size => 112, type => 1, config => 0, period => 1000, read => 0,
             flags => 0, branches => 0, registers => 0, stack => 0, @_);
  return substr (pack ('LLQQQQQLLQQQQLlQLSSLL', $a{type}, $a{size}, $a{config},
                       $a{period}, $type, $a{read},
                       $a{flags} | ($id_all ? 1 << 18 : 0), 0, 0, 0, 0,
                       $a{branches}, $a{registers}, $a{stack},
                       0, 0, 0, 0, 0, 0, 0, 0) . "\0" x 64,
                 0, $a{size});
}

# What other records end with.
sub trailer {
  my (%f) = (pid => 1000, tid => 1000, time => 0, id => 0, @_);
  return '' unless $id_all;
  my $bytes = '';
  $bytes .= pack 'LL', $f{pid}, $f{tid} if $type & TID;
  $bytes .= pack 'Q', $f{time} if $type & TIME;
  $bytes .= pack 'Q', $f{id} if $type & ID;
  $bytes .= pack 'Q', 7 if $type & STREAM;
  $bytes .= pack 'LL', 0, 0 if $type & CPU;
  $bytes .= pack 'Q', $f{id} if $type & IDENTIFIER;
  return $bytes;
}

sub sample {
  my (%f) = (pid => 1000, time => 0, id => 0, period => 10, mode => USER,
             chain => [], @_);
  $f{tid} //= $f{pid};
  my $bytes = '';
  $bytes .= pack 'Q', $f{id} if $type & IDENTIFIER;
  $bytes .= pack 'Q', $f{ip} if $type & IP;
  $bytes .= pack 'LL', $f{pid}, $f{tid} if $type & TID;
  $bytes .= pack 'Q', $f{time} if $type & TIME;
  $bytes .= pack 'Q', 4711 if $type & ADDR;
  $bytes .= pack 'Q', $f{id} if $type & ID;
  $bytes .= pack 'Q', 7 if $type & STREAM;
  $bytes .= pack 'LL', 0, 0 if $type & CPU;
  $bytes .= pack 'Q', $f{period} if $type & PERIOD;
  $bytes .= $f{read} if $type & READ;
  $bytes .= pack 'Q/q*', @{$f{chain}} if $type & CALLCHAIN;
  $bytes .= pack 'L/a*', 'raw-' x 3 if $type & RAW;
  $bytes .= $f{branches} if $type & BRANCHES;
  $bytes .= $f{registers} if $type & REGISTERS;
  $bytes .= $f{stack} if $type & STACK;
  return record (SAMPLE, $f{mode}, $bytes);
}

sub comm {
  my ($name, %f) = (@_);
  $f{pid} //= 1000;
  $f{tid} //= $f{pid};
  return record (COMM, $f{misc} // 0,
                 pack ('LL', $f{pid}, $f{tid}) . text ($name) . trailer (%f));
}

sub process_fork {
  my (%f) = @_;
  return record (FORK, 0, pack ('LLLLQ', $f{pid}, $f{ppid}, $f{tid} // $f{pid},
                                $f{ptid} // $f{ppid}, 0) . trailer (%f));
}

sub process_exit {
  my (%f) = @_;
  $f{tid} //= $f{pid};
  return record (EXIT, 0, pack ('LLLLQ', $f{pid}, 1, $f{tid}, 1, 0)
                          . trailer (%f));
}

sub map_file {
  my ($path, $start, $size, %f) = @_;
  $f{pid} //= 1000;
  return record (MMAP, $f{misc} // USER,
                 pack ('LLQQQ', $f{pid}, $f{pid}, $start, $size,
                       $f{offset} // 0) . text ($path) . trailer (%f));
}

sub map_file_2 {
  my ($path, $start, $size, %f) = @_;
  $f{pid} //= 1000;
  my $id = exists $f{build_id}
    ? pack ('CCSa20', length $f{build_id}, 0, 0, $f{build_id})
    : pack ('LLQQ', 8, 1, $f{inode} // 0, 0);
  return record (MMAP2,
                 ($f{misc} // USER) | (exists $f{build_id} ? MAP_BUILD_ID : 0),
                 pack ('LLQQQ', $f{pid}, $f{pid}, $start, $size,
                       $f{offset} // 0) . $id
                 . pack ('LL', $f{protection} // 5, 2) . text ($path)
                 . trailer (%f));
}

sub build_id {
  my ($id, $path, $misc) = @_;
  return record (BUILD_ID, $misc // BUILD_ID_SIZE,
                 pack ('la20CCS', -1, $id, length $id, 0, 0) . text ($path));
}

my $round = record (FINISHED_ROUND, 0, '');

# A string as in sections, with a length.
sub string { my ($text) = @_; my $s = text ($text); return pack 'L/a*', $s }

sub event_names {
  my ($attr, @names) = @_;
  return pack ('LL', scalar @names, length $attr)
         . join '', map { $attr . pack ('L', 0) . string ($_) } @names;
}

# A file: attributes, each with its ids; sections; records.
sub file {
  my (%f) = (header => 104, magic => 'PERFILE2', sections => {}, attrs => [], @_);
  my ($ids, $attrs) = ('', '');
  my $at = $f{header};
  for my $a (@{$f{attrs}}) {
    my ($attr, @ids) = @$a;
    $attrs .= $attr . pack 'QQ', $at + length $ids, 8 * @ids;
    $ids .= pack 'Q*', @ids;
  }
  my $attr_size = length $f{attrs}[0][0];
  my $attrs_at = $at + length $ids;
  my $records_at = $attrs_at + length $attrs;
  my $end = $records_at + length $f{records};
  my @bits = sort { $a <=> $b } keys %{$f{sections}};
  my ($bits, $places, $sections) = (0, '', '');
  for my $bit (@bits) {
    $bits |= 1 << $bit;
    $places .= pack 'QQ', $end + 16 * @bits + length $sections,
      length $f{sections}{$bit};
    $sections .= $f{sections}{$bit};
  }
  my $header = pack ('a8QQQQQQQQQQQQ', $f{magic}, $f{header}, $attr_size + 16,
                     $attrs_at, length $attrs, $records_at,
                     $f{is_open} ? 0 : length $f{records}, 0, 0, $bits, 0, 0, 0);
  $header .= "\0" x 64;
  return substr ($header, 0, $f{header}) . $ids . $attrs . $f{records}
         . ($f{is_open} ? '' : $places . $sections);
}

sub pipe_file {
  my ($records) = @_;
  return pack ('a8Q', 'PERFILE2', 16) . $records;
}

# What most cases have: code that process 1000 made, with names in perf-1000.map:
# main at 0x1000, work at 0x2000, leaf at 0x3000, 0x1000 bytes each.
sub prog { return comm ('prog') . map_file ('//anon', 0x1000, 0x4000) }
my @in_work = (IN_USER, 0x3010, 0x2020, 0x1030);
my @in_main = (IN_USER, 0x1008);

sub two_samples {
  return sample (ip => 0x3010, time => 100, chain => [@in_work])
         . sample (ip => 0x1008, time => 200, chain => [@in_main], period => 5);
}

sub in_work { return sample (ip => 0x3010, chain => [@in_work], @_) }

# The kernel's own map.
sub kernel {
  return map_file ('[kernel.kallsyms]_text', 0xf0001000, 0x8000,
                   misc => KERNEL, pid => 0xffffffff, offset => 0xf0001000);
}

# Samples with registers and a copy of the stack.  In /bin/prog work has 32 bytes
# of it, main has 16, and _start is the end.
sub copied_stacks {
  my ($attr, %more) = @_;
  $type |= REGISTERS | STACK;
  my @words = (@{$more{inner} // []}, 0x402020, (7) x 3, 0x403030, 7, 0x404040,
               7);
  my $copy = sub {
    return pack ('Q', 8 * @_) . pack ('Q*', @_) . pack ('Q', 8 * @_);
  };
  # Those that perf asks for; the 8th is that of the stack, the 9th the address.
  my $registers = pack 'Q*', 2, (1) x 7, 0x7ffe0000, 0x401010, (1) x 11;
  my @common = (ip => 0x401010, registers => $registers, %more);
  return file (attrs => [[attr (registers => 0xff0fff, stack => 64, %$attr)]],
               sections => $more{sections} // {},
               records => comm ('prog')
               . join ('', map { map_file_2 ('/bin/prog', $_, 0x10000,
                                             build_id => 'k' x 20) }
                       0x400000, @{$more{others} // []})
               . sample (@common, time => 1, stack => $copy->(@words))
               . sample (@common, time => 2,
                         stack => $copy->(@words[0 .. $more{last} // 3]))
               . $round);
}

sub plain {
  my ($records) = @_;
  return file (attrs => [[attr ()]], records => $records);
}

sub one_more {
  my ($kind, $body) = @_;
  return plain (prog () . record ($kind, USER, $body));
}

sub compress {
  my ($bytes) = @_;
  open my $file, '>', 'records.raw' or die "records.raw: $!\n";
  binmode $file;
  print $file $bytes;
  close $file or die "records.raw: $!\n";
  my $packed = `zstd -q -c records.raw`;
  die "zstd failed\n" if $?;
  return $packed;
}

my %cases = (
  # The smallest attributes, no sections, no identifiers.
  old => sub {
    $id_all = 0;
    return file (header => 72, magic => 'PERFFILE',
                 attrs => [[attr (size => 64)]],
                 records => prog () . two_samples () . $round);
  },
  # Larger attributes than are known here.
  new => sub {
    return file (attrs => [[attr (size => 144)]],
                 records => prog () . two_samples () . $round);
  },
  pipe => sub {
    return pipe_file (record (ATTR, 0, attr () . pack ('Q', 21))
                      . record (FEATURE, 0,
                                pack ('Q', 12)
                                . event_names (attr (), 'cpu-clock:u'))
                      . record (FEATURE, 0, pack ('Q', 3) . string ('host'))
                      . record (FEATURE, 0, pack ('QL', 11, 2)
                                . string ('perf') . string ('record'))
                      . prog () . two_samples () . $round);
  },
  # Two events whose records differ, and a third that counts nothing.
  events => sub {
    $type |= IDENTIFIER | CPU;
    my $first = attr (type => 0, config => 0);
    my $dummy = attr (config => 9);
    $type |= STREAM | ADDR;
    my $second = attr (type => 4, config => 0x3c, flags => 0);
    my $s = sample (ip => 0x1008, time => 300, chain => [@in_main], id => 12,
                    period => 7);
    $type &= ~(STREAM | ADDR);
    return file (attrs => [[$first, 10, 11], [$second, 12, 13], [$dummy, 14]],
                 sections => { 12 => event_names ($first, 'cycles:u',
                                                  'cpu/event=0x3c,umask=0/u',
                                                  'dummy:HG') },
                 records => prog ()
                 . record (EVENT_UPDATE, 0, pack ('QQ', 0, 13) . text ('Joules'))
                 . record (EVENT_UPDATE, 0, pack ('QQd', 1, 12, 0.25))
                 . sample (ip => 0x3010, time => 100, chain => [@in_work],
                           id => 11)
                 . $s
                 . sample (ip => 0x3010, time => 400, chain => [@in_work],
                           id => 99));
  },
  # Two events of one name; no names are noted; a fixed period.
  unnamed => sub {
    $type = IP | TID | TIME | ID;
    return file (attrs => [[attr (type => 0, config => 1), 1],
                           [attr (type => 0, config => 1, period => 0), 2],
                           [attr (type => 3, config => 0x10001), 3]],
                 records => prog ()
                 . sample (ip => 0x3010, time => 1, id => 1)
                 . sample (ip => 0x3010, time => 2, id => 2)
                 . sample (ip => 0x3010, time => 3, id => 3));
  },
  # More events than a profile can have.
  many_events => sub {
    $type = IP | TID | TIME | ID;
    return file (attrs => [map { [attr (type => 4, config => $_), $_] }
                           1 .. 201],
                 records => prog ()
                 . sample (ip => 0x3010, time => 1, id => 1)
                 . sample (ip => 0x3010, time => 2, id => 200)
                 . sample (ip => 0x3010, time => 3, id => 201));
  },
  # One processor's records come after another's that are younger.
  rounds => sub {
    return plain (in_work (time => 500)
                  . $round
                  . comm ('prog', time => 90)
                  . map_file ('//anon', 0x1000, 0x4000, time => 100)
                  . $round
                  . sample (ip => 0x1008, time => 400, chain => [@in_main])
                  . map_file ('/nowhere/later', 0x1000, 0x4000, time => 600)
                  . $round);
  },
  lost => sub {
    return plain (prog () . two_samples ()
                  . record (LOST, 0, pack ('QQ', 1, 12) . trailer (time => 300))
                  . record (LOST, 0, pack ('QQ', 1, 30) . trailer (time => 310))
                  . record (LOST_SAMPLES, 0, pack ('Q', 5)
                            . trailer (time => 320))
                  . record (5, 0, pack ('QQQ', 1, 2, 3) . trailer (time => 330))
                  . record (99, 0, 'from the future')
                  . record (63, 0, 'from the future') . $round);
  },
  # perf was killed.
  open => sub {
    return file (attrs => [[attr ()]], is_open => 1,
                 records => prog () . two_samples ()
                 . substr (two_samples (), 0, 50));
  },
  # Data that are no records follow some.
  data => sub {
    return plain (prog ()
                  . record (AUXTRACE, 0, pack ('QQQLLLL', 40, 0, 0, 0, 0, 0, 0))
                  . 'this is no record, but looks long enough'
                  . record (TRACING_DATA, 0, pack ('LL', 16, 0)) . 'x' x 16
                  . two_samples () . $round);
  },
  # The kernel and hypervisors.  An interrupt's address is no call's.
  modes => sub {
    return file (attrs => [[attr ()]],
                 sections => { 2 => build_id ('k' x 20, '[kernel.kallsyms]'),
                               4 => string ('1.2') },
                 records => kernel ()
                 . map_file ('/lib/modules/1/kernel/a-b.ko', 0xf1000000, 0x1000,
                             misc => KERNEL, pid => 0xffffffff)
                 . map_file ('[other]', 0xf2000000, 0x1000,
                             misc => KERNEL, pid => 0xffffffff)
                 . record (KSYMBOL, 0, pack ('QLSS', 0xf3000000, 0x100, 1, 0)
                           . text ('bpf_prog_1') . trailer ())
                 . prog ()
                 . sample (ip => 0xf0002010, time => 1, mode => KERNEL,
                           chain => [IN_KERNEL, 0xf0002010, 0xf0003000,
                                     IN_USER, 0x2000, 0x1030])
                 . sample (ip => 0xf1000020, time => 2, mode => KERNEL,
                           chain => [IN_KERNEL, 0xf1000020, 0xf3000010])
                 . sample (ip => 0xf2000020, time => 3, mode => KERNEL,
                           chain => [IN_HYPERVISOR, 0xe0000000, IN_GUEST_KERNEL,
                                     0xe1000000, IN_GUEST_USER, 0xe2000000])
                 . sample (ip => 0xf2000020, time => 4, mode => KERNEL)
                 . sample (ip => 0xe0000010, time => 5, mode => GUEST_USER)
                 . sample (ip => 0xf0002010, time => 6, mode => KERNEL,
                           chain => [IN_KERNEL, 0xf0002010, -640, 0x3010])
                 . sample (ip => 0x3010, time => 7, mode => 0)
                 . $round);
  },
  # Forks, programs, names of threads.
  processes => sub {
    return plain (kernel ()
                  . prog ()
                  . process_fork (pid => 1000, ppid => 1000, tid => 1001, time => 5)
                  . in_work (tid => 1001, time => 6)
                  . comm ('worker 1', tid => 1001, time => 7)
                  . in_work (tid => 1001, time => 8)
                  . process_fork (pid => 2000, ppid => 1000, time => 10)
                  . in_work (pid => 2000, time => 11)
                  . comm ('other', pid => 2000, misc => EXEC, time => 12)
                  . sample (ip => 0xf0002010, pid => 2000, time => 13,
                            mode => KERNEL, chain => [IN_KERNEL, 0xf0002010,
                                                      @in_work])
                  . map_file ('[vdso]x', 0x9000, 0x1000, pid => 2000, time => 14)
                  . sample (ip => 0xf0002010, pid => 2000, time => 14,
                            mode => KERNEL, chain => [IN_KERNEL, 0xf0002010,
                                                      @in_work])
                  . sample (ip => 0xf0002010, pid => 2000, time => 14,
                            mode => KERNEL, chain => [IN_KERNEL, 0xf0002010,
                                                      IN_USER, 0x9010])
                  . in_work (pid => 2000, time => 15)
                  . process_exit (pid => 2000, time => 15)
                  . process_exit (pid => 1000, tid => 1001, time => 15)
                  . map_file ('/data', 0x1000, 0x4000, misc => USER | MAP_DATA,
                              time => 16)
                  . map_file_2 ('/data', 0x1000, 0x4000, protection => 1,
                                time => 17)
                  . in_work (time => 2_000_000_018));
  },
  # What a group of events counted so far.
  group => sub {
    $type = IP | TID | TIME | READ | ID;
    my $leader = attr (type => 0, config => 0, read => 4 | 8 | 1, period => 100);
    my $member = attr (type => 0, config => 1, read => 4 | 8 | 1);
    my $read = sub { pack 'QQQQQQ', 2, 1, $_[0], 31, $_[1], 32 };
    return file (attrs => [[$leader, 31], [$member, 32]],
                 records => prog ()
                 . sample (ip => 0x3010, time => 1, id => 31,
                           read => $read->(100, 250))
                 . sample (ip => 0x2010, time => 2, id => 31,
                           read => $read->(200, 950)));
  },
  # What one event counted so far, with times.
  counter => sub {
    $type = IP | TID | TIME | READ;
    return file (attrs => [[attr (type => 0, config => 1, read => 1 | 2 | 4)]],
                 records => prog ()
                 . sample (ip => 0x3010, time => 1,
                           read => pack ('QQQQ', 70, 1, 1, 9))
                 . sample (ip => 0x2010, time => 2,
                           read => pack ('QQQQ', 75, 2, 2, 9)));
  },
  # Call stacks of last branch records, and branches that are none.
  branches => sub {
    $type |= BRANCHES | RAW;
    my $branches = pack 'QqQQQQQQ', 2, 0, 0x2020, 0x3000, 0, 0x1030, 0x2000, 0;
    return file (attrs => [[attr (branches => 1 << 11 | 1 << 17)]],
                 records => prog ()
                 . sample (ip => 0x3010, time => 1, branches => $branches,
                           chain => [IN_USER, 0x3010, 0x77777])
                 . sample (ip => 0xf0002010, time => 2, branches => $branches,
                           mode => KERNEL, chain => [IN_KERNEL, 0xf0002010,
                                                     IN_USER, 0x3010])
                 . sample (ip => 0x3018, time => 3, branches => $branches));
  },
  no_calls => sub {
    $type |= BRANCHES;
    my $branches = pack 'QQQQ', 1, 0x2020, 0x3000, 0;
    return file (attrs => [[attr (branches => 1 << 3)]],
                 records => prog ()
                 . sample (ip => 0x3010, time => 1, branches => $branches,
                           chain => [@in_work]));
  },
  # A stack that is deeper than what the kernel follows.
  deep => sub {
    return plain (prog () . two_samples ()
                  . sample (ip => 0x3010, time => 300,
                            chain => [IN_USER, (0x3010) x 127]));
  },
  # Registers and a copy of the stack, which is too small in the second sample.
  stack => sub { return copied_stacks () },
  # Mapped a hundred times, of which the stack leads through one.
  many_files => sub {
    return copied_stacks ({}, others => [map { $_ << 32 } 1 .. 100]);
  },
  thread => sub {
    return copied_stacks ({}, tid => 1001, inner => [0x401020], last => 0);
  },
  x86_64 => sub {
    return copied_stacks ({}, sections => { 6 => string ('x86_64') });
  },
  # The registers are those of a program of 32 bits.
  bits_32 => sub {
    return copied_stacks ({}, registers => pack 'Q*', 1, (1) x 7, 0x7ffe0000,
                          0x401010, (1) x 11);
  },
  # Other machines, of which the header has one.  On aarch64, the stack is the 32nd,
  # and the address the 33rd.
  riscv64 => sub {
    return copied_stacks ({}, sections => { 6 => string ('riscv64') });
  },
  aarch64 => sub {
    my $registers = pack 'Q*', 2, (1) x 8, 0x402000, (1) x 22, 0x7ffe0000,
      0x401010;
    return copied_stacks ({ registers => (1 << 33) - 1 },
                          registers => $registers);
  },
  # Branches that are no calls, each with counters, stand before these.
  branch_counters => sub {
    $type |= BRANCHES;
    return copied_stacks ({ branches => 1 << 3 | 1 << 17 | 1 << 19 },
                          branches => pack ('QqQ8', 2, 0, (7) x 8));
  },
  zstd => sub {
    return plain (record (COMPRESSED, 0, compress (prog ()))
                  . record (COMPRESSED, 0, compress (two_samples ()))
                  . $round);
  },
  # The records begin in one and end in the next.
  zstd2 => sub {
    my $packed = compress (prog () . two_samples ());
    my $half = int (length ($packed) / 2);
    my ($a, $b) = (substr ($packed, 0, $half), substr ($packed, $half));
    return plain (record (COMPRESSED_2, 0, pack ('Q', length $a) . pad ($a))
                  . record (COMPRESSED_2, 0, pack ('Q', length $b) . pad ($b))
                  . $round);
  },
  # Hostile ones.
  bomb => sub {
    # A gigabyte of records of no use.
    my $packed = compress (record (99, 0, "\0" x 65000) x 16000);
    return plain (prog ()
                  . join ('', map { record (COMPRESSED, 0, $_) }
                          unpack '(a60000)*', $packed)
                  . two_samples ());
  },
  nested => sub {
    return plain (record (COMPRESSED, 0,
                          compress (record (COMPRESSED, 0, 'x' x 8))));
  },
  cut_zstd => sub {
    my $packed = compress (prog () . substr (two_samples (), 0, 30));
    return plain (record (COMPRESSED, 0, $packed));
  },
  bad_zstd => sub {
    return plain (record (COMPRESSED, 0, 'this is not zstd'));
  },
  # Records of the kernel's that never end a round.
  no_rounds => sub {
    $| = 1;
    my $long = sample (ip => 0x3010, time => 100,
                       chain => [IN_USER, (0x3010) x 8000]);
    print pipe_file (record (ATTR, 0, attr ()) . prog ());
    print $long x 100 for 1 .. 70;
    return two_samples ();
  },
  other_order => sub { return '2ELIFREP' . "\0" x 200 },
  no_events => sub { return plain ('')
                      =~ s/^(.{32}).{8}/$1 . "\0" x 8/esr },
  no_samples => sub { return plain (prog ()) },
  small_record => sub {
    return plain (prog () . pack ('LSS', 9, 2, 4) . 'xxxx');
  },
  long_record => sub {
    return plain (prog () . pack ('LSS', 9, 2, 4000) . 'xxxx');
  },
  long_chain => sub {
    $type &= ~CALLCHAIN;
    my $s = sample (ip => 0x3010);
    $type |= CALLCHAIN;
    return plain (prog ()
                  . record (SAMPLE, USER, substr ($s, 8)
                            . pack ('QQ', ~0, 0x3010)));
  },
  no_path => sub {
    return plain (record (MMAP, USER,
                          pack ('LLQQQ', 1, 1, 0, 1, 0) . "\xff" x 24));
  },
  # Records that end too early.
  short_map => sub {
    return one_more (MMAP2, pack ('LLQQQ', 1, 1, 0, 1, 0) . "\xff" x 24);
  },
  short_symbol => sub { return one_more (KSYMBOL, pack ('QL', 0, 0)) },
  short_fork => sub { return one_more (FORK, pack ('LL', 1, 1)) },
  short_exit => sub { return one_more (EXIT, pack ('LL', 1, 1)) },
  short_attr => sub { return pipe_file (record (ATTR, 0, 'x' x 8)) },
  short_update => sub {
    return pipe_file (record (ATTR, 0, attr ())
                      . record (EVENT_UPDATE, 0, 'x' x 8));
  },
  short_build_id => sub {
    return pipe_file (record (ATTR, 0, attr ())
                      . record (BUILD_ID, 0, 'x' x 8));
  },
  # The first attributes did not say how large they are.
  pipe_old => sub {
    my $attr = attr (size => 64);
    substr ($attr, 4, 4) = pack 'L', 0;
    return pipe_file (record (ATTR, 0, $attr) . build_id ('k' x 8, '[other]')
                      . prog () . two_samples () . $round);
  },
  wrong_place => sub {
    my $file = plain (prog ());
    substr ($file, 40, 8) = pack 'Q', 8;
    return $file;
  },
  wrong_zstd => sub { return one_more (COMPRESSED_2, pack ('Q', 99)) },
  small_zstd => sub {
    return one_more (COMPRESSED, compress (pack ('LSS', 9, 2, 4) . 'xxxx'));
  },
  # Of the same name: each one would be compared with all before.
  too_many_events => sub {
    return pipe_file (record (ATTR, 0, attr ()) x 1025);
  },
  too_many_in_file => sub {
    return file (attrs => [([attr ()]) x 1025], records => '');
  },
  many_ids => sub {
    my $file = file (attrs => [[attr (), 1]], records => prog ());
    substr ($file, 104 + 8 + 112 + 8, 8) = pack 'Q', 1 << 60;
    return $file;
  },
);

die "no such case: $case\n" unless $cases{$case};
binmode STDOUT;
print $cases{$case}->();
