# mutate.pl - do the tests notice mistakes?  Makes small ones in the library
# (mutants), one at a time, and runs the Criterion programs and the models on
# each.
#
#   perl mutate.pl [-q] [-n N] [-s SEED] [-j JOBS] [-b BUILD] [FILE...]
#
# Draws N mutants (520), the same ones for the same SEED (26), from all places
# in the functions of the FILEs, or of lib/: one half then from where a mistake
# is hardest to see, the gate, the names and the refusals.  Mutants change
# comparisons, + and -, && and ||, conditions, constants, statements, statuses,
# booleans; but nothing in hash functions, prefetches and barriers for the
# compiler, where only a clock or another compiler would see it.  BUILD (.) is a
# build directory where "make check TESTS=" went through.  It and the sources are
# left alone: all is built in $TMPDIR, and linked statically.  JOBS are by default
# as many as there are processors.
#
# The quick tests come first, the fastest of them before the others, then those
# of make check-full, unless -q says to leave these out; the first that fails,
# crashes or takes far too long ends it.  What does not compile, or into the same
# code as before, is no mutant.  Prints "killed by TEST: FILE:LINE: MUTANT" or
# "SURVIVED: FILE:LINE: MUTANT" for each, where {A -> B} says that B is in place
# of A, and "killed in full by TEST" if no quick test noticed it.  A survivor is
# a missing test, or changes nothing that anybody could see: then mutants.list
# beside this file has it, with the reason.  It is "explained", and not tried
# again.  At the end come the counts, and "figure mutants_killed_percent P" and
# "figure mutants_killed_quick_percent P", both of the mutants that are not
# explained.  Fails if any survived, or if more than a tenth are explained.
#
# SPDX-License-Identifier: MIT

use strict;
use warnings;
use Cwd qw(abs_path);
use Digest::MD5 qw(md5);
use File::Compare qw(compare);
use File::Temp qw(tempdir);
use Getopt::Std;
use List::Util qw(sum);
use Time::HiRes qw(time);

use constant { KILLED => 0, KILLED_IN_FULL => 1, SURVIVED => 2, EXPLAINED => 3,
               NO_MUTANT => 4 };
use constant MOST_EXPLAINED => 0.1; # of all

my %opt = (n => 520, s => 26, j => `nproc` + 0, b => '.');
getopts('qn:s:j:b:', \%opt) or die "usage: see the top of $0\n";
my $build = abs_path($opt{b});

# The value of an expression of make, as the Makefile has it.
sub make_value {
  my $rules = "include Makefile\nmutate-value:\n\t\@:\$(info $_[0])\n";
  my $value = `printf '%s' '$rules' | \\
    make -s --no-print-directory -C '$build' -f - mutate-value`;
  die "$0: no configured build directory: $build\n" if $? != 0;
  return $value =~ s/\n\z//r;
}

system("make -s -C '$build' Makefile >/dev/null"); # anew, if need be
my $srcdir = make_value('$(top_srcdir)');
my $source = abs_path($srcdir =~ m{^/} ? $srcdir : "$build/$srcdir");

# The command that compiles, in a copy of the sources, those of one program.
# What make generates stays in the build directory.
sub compiler {
  my ($id) = @_;
  return make_value("\$(CC) \$(DEFS) \$(DEFAULT_INCLUDES) \$(or "
    . "\$(${id}_CPPFLAGS),\$(AM_CPPFLAGS)) \$(CPPFLAGS) \$(CRITERION_CFLAGS) "
    . "\$(or \$(${id}_CFLAGS),\$(AM_CFLAGS)) \$(CFLAGS) -g0 -w")
    =~ s{-I\Q$srcdir\E(?=[/\s]|$)}{-I.}gr =~ s{-I(?=\w)}{-I$build/}gr;
}

my %compiler; # of each C file
my $linker = make_value('$(CC) $(CFLAGS) $(AM_LDFLAGS) $(LDFLAGS)');
my @library = grep { /\.c$/ } split ' ', make_value('$(library_sources)');
@compiler{@library} = (compiler('libcgw_la')) x @library;

my %quick = map { $_ => 1 } split ' ', make_value('$(quick_tests)');
my @tests; # name, files, what is linked to them, and whether it is quick
for my $name (split ' ', make_value('$(criterion_tests) $(model_tests)')) {
  my $id = $name =~ s/[^A-Za-z0-9_@]/_/gr;
  my @files = grep { /\.c$/ } split ' ', make_value("\$(${id}_SOURCES)");
  my $with = make_value("\$(${id}_LDFLAGS) \$(${id}_LDADD)");
  next if grep { m{^lib/} } @files; # a part of the library in another build
  next if $opt{q} && !$quick{$name};
  $with =~ s/(?<!\S)-static(?!\S)//;
  $with =~ s{(?<!\S)(?=[^-\s]\S*\.a(?!\S))}{$build/}g;
  $with =~ s/\S*libcgw\S*\.la/library.a/g;
  @compiler{@files} = (compiler($id)) x @files;
  push @tests, { name => $name, files => \@files, with => $with,
                 full => !$quick{$name} };
}
die "$0: no Criterion tests in $build\n" if !@tests;

# A file's text with blanks for comments, strings, directives, assertions, and
# what nobody but a clock, or another compiler, sees.
sub code_of {
  my ($text) = @_;
  for my $no_code (
      qr{/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'}s,
      qr/^[ \t]*#\s*if\s+0\b.*?^[ \t]*#\s*e/ms,
      qr/^[ \t]*#(?:\\\n|[^\n])*/m,
      qr/\b(?:_Static_assert|assert|__builtin_prefetch|cgwi_in_order)
         \s*\([^;]*;/x) {
    $text =~ s{$no_code}{$& =~ s/[^\n]/ /gr}ge;
  }
  return $text;
}

my %swap = ('<' => '<=', '>' => '>=', '==' => '!=', '+' => '-', '+=' => '-=',
            '++' => '--', '&&' => '||', 'true' => 'false');
%swap = (%swap, reverse %swap);
my $paren = qr/(\((?:[^()]++|(?-1))*+\))/;
my $call = qr/(?!(?:if|while|for|switch|return|sizeof)\b)[a-z_]\w* $paren/;
my $set = qr/[*(]*[a-z_][\w.\[\]>()+-]* [-+*\/|&^]?= [^;\n]*/;
my $step = qr/[a-z_][\w.\[\]>-]*(?:\+\+|--)/;

# Each kind: what is replaced, and by what.
my @kinds = (
  [qr/(?<=\s)([<>=!]=|[-+]=|[<>+-]|&&|\|\|)(?=\s)/, sub { $swap{$_[0]} }],
  [qr/(\+\+|--|\btrue\b|\bfalse\b)/, sub { $swap{$_[0]} }],
  [qr/(?<![\w.])((?:0x[0-9a-f]+|\d+)[uUlL]*)(?![\w.])/, \&neighbours],
  [qr/\b(?:if|while) ($paren)/, sub { "(!$_[0])" }],
  [qr/(?:[;{}):]|\belse|\bdo)\s*\n[ \t]*(?=((?:$call|$set|$step);)[ \t]*$)/m,
   sub { ';' }],
  [qr/\breturn ([\w.>-]*status|CGW_E\w+);/, sub { 'CGW_OK' }],
);

my $hashes = qr/^(?:hash_\w+|cgwi_key_hash|cgwi_fold|cgwi_mix|factor
                   |load_rest|upper_half)$/x;

sub neighbours {
  my ($n) = @_;
  return $n =~ /\D/ ? ("($n + 1)", "($n - 1)") : $n ? ($n + 1, $n - 1) : 1;
}

# All mutants of a file: replacements in its text.
sub mutants_of {
  my ($file) = @_;
  my $text = `cat '$source/$file'`;
  my $code = code_of($text);
  my @mutants;
  while ($code =~ /^(\w+) \([^{}]*?\)\s*\n(\{\n.*?^\})/gms) { # a function
    my ($start, $body, $name) = ($-[2], $2, $1);
    next if $name =~ $hashes;
    for my $kind (@kinds) {
      while ($body =~ /$kind->[0]/g) {
        my ($at, $length) = ($start + $-[1], $+[1] - $-[1]);
        my $old = substr $text, $at, $length;
        my ($left) = substr($text, 0, $at) =~ /[ \t]*([^\n]*)\z/;
        my ($right) = substr($text, $at + $length) =~ /^([^\n]*)/;
        my $line = 1 + substr($text, 0, $at) =~ tr/\n//;
        push @mutants, map { {
          file => $file, line => $line, at => $at, length => $length, new => $_,
          shown => "$left\{$old -> $_}$right" =~ s/\s*\n\s*/ /gr
        } } $kind->[1]->($old);
      }
    }
  }
  return @mutants;
}

# mutants.list: "FILE: MUTANT", and the reason in indented lines.
my %explained;
{
  my $mutant;
  open my $in, '<', "$source/tests/mutants.list"
    or die "$source/tests/mutants.list: $!\n";
  while (<$in>) {
    next if /^#|^\s*$/;
    if (/^\s+\S/) { $explained{$mutant // die "$0: a reason first\n"} = 1 }
    else { chomp($mutant = $_) }
  }
}

my $scratch = tempdir('mutants.XXXXXX', TMPDIR => 1, CLEANUP => 1);
END { chdir '/' } # for $scratch to go
my $base = "$scratch/base"; # without a mutant
my (%users, %objects); # of a file: who includes it; its object

sub run { return system("{ $_[0]\n} >log 2>&1") == 0 }
sub compile { run("$compiler{$_[0]} -MD -MF $_[1].d -c $_[0] -o $_[1]") }
sub archive { run("rm -f library.a; ar rc library.a @objects{@library}") }

# Ends what a test left behind, in sessions of its own, too.
sub end_all {
  for my $process (grep { $_ != $$ } map { m{(\d+)} } glob '/proc/[0-9]*') {
    open my $in, '<:raw', "/proc/$process/environ" or next;
    local $/ = "\0";
    kill 'KILL', $process if grep { $_ eq "TMPDIR=$ENV{TMPDIR}\0" } <$in>;
  }
}

# Links a test to the present library and runs it.  Returns what failed, or ''.
sub fails {
  my ($test, $dir, $seconds) = @_;
  run("$linker -Wl,-Map=map -o program @objects{@{$test->{files}}} "
      . $test->{with}) or return "$test->{name} (link)";
  local @ENV{qw(CRITERION_OUTPUTS CRITERION_FAIL_FAST TMPDIR)}
    = ('tap:-', 1, "$dir/tmp");
  my $status = system('ulimit -c 0; ulimit -S -f 2000000; ulimit -v 8000000; '
                      . "exec timeout -s KILL $seconds ./program >log 2>&1");
  return '' if $status == 0;
  end_all();
  my $late = $status == 9 || $status >> 8 == 128 + 9;
  return $test->{name} . ($late ? ' (timeout)' : '');
}

sub prepare {
  system("mkdir -p '$base/tmp' && cd '$source' && cp --parents \$(find "
         . "include lib tests examples -name '*.[ch]' -o -name '*.def') '$base'");
  chdir $base or die "$base: $!\n";
  for my $file (sort keys %compiler) {
    my $object = $objects{$file} = "$base/" . $file =~ s{/}{,}gr . '.o';
    compile($file, $object) or die "$0: $file:\n", `cat log`;
    for my $used (split /[\s\\]+/, `cat '$object.d'`) {
      1 while $used =~ s{(^|/)\./|[^/.]+/\.\./}{$1 // ''}e;
      push @{$users{$used}}, $file;
    }
  }
  archive();
  for my $test (@tests) {
    my $start = time;
    fails($test, $base, 300) eq '' && `cat log` =~ /^ok /m
      or die "$0: without a mutant, $test->{name} fails\n", `cat log`;
    $test->{time} = time - $start;
    $test->{uses}{$_} = 1 for `cat map` =~ /[^\s()\/]+\.c\.o\b/g;
  }
  $_->{late} = $_->{time} * ($_->{name} =~ m{^tests/(?:tools|examples)/} ? 9 : 1)
    for @tests; # those of the tools seldom notice a mistake in the library
  @tests = sort { $a->{full} <=> $b->{full} || $a->{late} <=> $b->{late} }
    @tests;
}

# Tries one mutant in a copy of the sources, and says what became of it.
sub try_mutant {
  my ($dir, $m) = @_;
  my ($how, $killed, %changed) = '';
  chdir $dir or die "$dir: $!\n";
  system("rm -rf lib tmp; mkdir tmp; cp -R '$base/lib' .");
  my $text = `cat '$m->{file}'`;
  substr $text, $m->{at}, $m->{length}, $m->{new};
  open my $out, '>', $m->{file} or die "$m->{file}: $!\n";
  print $out $text;
  close $out;
  for my $user (@{$users{$m->{file}}}) {
    my $object = $objects{$user} =~ s{^\Q$base\E}{$dir}r;
    compile($user, $object) or return NO_MUTANT;
    $changed{$object =~ s{.*/}{}r} = 1 if compare($object, $objects{$user});
    $objects{$user} = $object;
  }
  return NO_MUTANT if !%changed;
  if ($explained{"$m->{file}: $m->{shown}"}) {
    print "explained: $m->{file}:$m->{line}: $m->{shown}\n";
    return EXPLAINED;
  }
  archive();
  for my $test (@tests) {
    next if !grep { $test->{uses}{$_} } keys %changed;
    $killed = $test->{full} ? KILLED_IN_FULL : KILLED;
    $how = fails($test, $dir, int(20 + 5 * $test->{time})) and last;
  }
  my $result = $how ? $killed : SURVIVED;
  print +('killed by ', 'killed in full by ', 'SURVIVED')[$result],
    "$how: $m->{file}:$m->{line}: $m->{shown}\n";
  return $result;
}

# The mutants of files, in an order that SEED decides.  When the code changes, the
# others keep their order.
sub shuffled {
  my @mutants = map { mutants_of($_) } @_;
  my @order = map { md5("$opt{s} $_->{file}: $_->{shown}") } @mutants;
  return @mutants[sort { $order[$a] cmp $order[$b] || $a <=> $b } 0 .. $#mutants];
}

# One of each list in turn, while both have any; then the rest.
sub in_turn {
  my ($first, $second) = @_;
  return map { ($first->[$_] // (), $second->[$_] // ()) }
    0 .. ($#$first > $#$second ? $#$first : $#$second);
}

my @files = @ARGV ? @ARGV
  : sort split ' ', `cd '$source' && find lib -name '*.[ch]'`;
my $hard = qr{^lib/(?:gate|names|writer|text/refusal)};
my @mutants = @ARGV ? shuffled(@files)
  : in_turn([shuffled(grep { /$hard/ } @files)],
            [shuffled(grep { !/$hard/ } @files)]);

$| = 1;
prepare();
my @count = (0) x 5;
my %running; # directory of each process
sub tried { return sum(@count[KILLED .. EXPLAINED]) }
my @free = map { "$scratch/$_" } 1 .. $opt{j};
system('cp', '-R', $base, $_) for @free;
print "# $opt{n} mutants of ", scalar @mutants, " possible ones\n";
for (;;) {
  my $left = $opt{n} - tried() - keys %running;
  if ($left > 0 && @free && @mutants) {
    my ($dir, $mutant) = (pop @free, shift @mutants);
    my $child = fork // die "fork: $!\n";
    exit try_mutant($dir, $mutant) if $child == 0;
    $running{$child} = $dir;
    next;
  }
  last if !%running;
  push @free, delete $running{wait()};
  $? % 256 == 0 && $? >> 8 <= NO_MUTANT or die "$0: cannot go on\n";
  $count[$? >> 8]++;
}
my $n = tried();
my $killed = $count[KILLED] + $count[KILLED_IN_FULL];
print "# $n mutants: $killed killed, $count[KILLED] of them by the quick tests, "
  . "$count[EXPLAINED] explained, $count[SURVIVED] survived; "
  . "$count[NO_MUTANT] more changed nothing or did not compile\n";
printf "figure mutants_killed_%s %.1f\n", $_->[0],
  100 * $_->[1] / ($killed + $count[SURVIVED] || 1)
  for ['percent', $killed], ['quick_percent', $count[KILLED]];
exit 1 if $count[SURVIVED] || $count[EXPLAINED] > MOST_EXPLAINED * $n;
