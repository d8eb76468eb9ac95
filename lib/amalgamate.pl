#!/usr/bin/perl
# amalgamate.pl - write the library as one source file, for those who copy it
# into their own project.
#
# Usage: amalgamate.pl VERSION [--without=PREFIX]... SOURCE... >cgw.c
#        amalgamate.pl VERSION [--without=PREFIX]... cgw.h >cgw.h
#
# The SOURCEs are the library's files, in the order of the layers.  A public
# function whose name begins with a PREFIX, such as cgw_profile, is left out,
# and so is all that no other public function needs.  From cgw.h, only the
# declaration of the function is left out.
#
# The sources are read as a list of items at file scope: directives, functions,
# declarations.  This relies on their style: the name of a function begins a
# line, and an item ends at a line's end.  In one file,
#   - everything but the public functions is static, and a prototype is needed
#     only if a call comes before the definition;
#   - what is static in a source file gets the name of that file in front, lest
#     it meets that of another file, or of a user who includes cgw.c;
#   - what C++ writes in another way becomes a macro: see the prologue below.
# Comments stay in the sources: each function is found there by its name.
# SPDX-License-Identifier: MIT

use strict;
use warnings;
use File::Basename;
use File::Spec::Functions qw(catfile);

my ($version, @arguments) = @ARGV;
my @without = map { /^--without=(\w+)$/ ? $1 : () } @arguments;
my ($public) = grep { /\bcgw\.h$/ } @arguments;
my @sources = grep { /\.c$/ } @arguments; # headers come with them
die "usage: $0 VERSION [--without=PREFIX]... SOURCE...\n"
  if !@sources && !defined $public;

sub is_left_out {
  my ($name) = @_;
  return grep { $name =~ /^\Q$_\E/ } @without;
}

sub text_of {
  my ($path) = @_;
  open my $in, '<', $path or die "$path: $!\n";
  local $/;
  my $text = <$in>;
  close $in;
  return $text;
}

if (defined $public) {
  my $text = text_of ($public);
  $text =~ s{^CGW_API [^;]*?(\w+) \([^;]*;\n}
            {is_left_out ($1) ? '' : $&}gme;
  print $text;
  exit;
}

# A comment, a string, or a character.
my $quoted = qr{"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'};

# The lines of a source file, without comments and blank lines.
sub lines_of {
  my $text = text_of ($_[0]);
  $text =~ s{($quoted)|/\*.*?\*/}{$1 // ''}ges;
  return grep { /\S/ } map { s/\s+$//r } split /\n/, $text;
}

sub without_strings {
  my ($text) = @_;
  $text =~ s/$quoted/""/g;
  return $text;
}

# Reading: the items of all files, each with its text and the file it is from.

my (@items, %included, %system, %lists);

# The tables of a .def file become macros, so that each is written once: NAME's
# entries are the arguments of the macro CGWI_LIST_NAME.
sub read_lists {
  my ($path) = @_;
  my ($name, $entry, @before);
  for (lines_of ($path)) {
    if (/^#ifdef (\w+)/) {
      ($name, $entry, @before) = ($1, '');
      $lists{$name} = { entries => [] };
    } elsif (/^#endif/) {
      push @items, { text => "#define CGWI_LIST_$name", list => $name,
                     kind => 'macro', names => ["CGWI_LIST_$name"] };
    } elsif (/^#define/ || @before) {
      s/\s*\\$//;
      push @before, $_ if !/^#undef/;
      if (!/^#define/) {
        # A text that several entries have.
        my ($macro) = $before[0] =~ /^#define (\w+)/ or die "$path: $_\n";
        $lists{$name}{texts}{$macro} = s/^\s+//r;
        @before = ();
      }
    } elsif (!/^#undef/) {
      $entry .= ($entry eq '' ? '' : "\n") . $_;
      next if without_strings ($entry) !~ /^\w+ \(.*\)$/s;
      push @{$lists{$name}{entries}}, $entry;
      $entry = '';
    }
  }
}

sub read_file {
  my ($path) = @_;
  my $folder = dirname ($path);
  my @lines = lines_of ($path);
  # The guard of a header, which comes once.
  if (@lines > 2 && $lines[0] =~ /^#ifndef (\w+_H)$/) {
    splice @lines, 0, 2;
    pop @lines;
  }
  my $conditions = 0;
  while (@lines) {
    my $text = shift @lines;
    $text .= "\n" . shift @lines while $text =~ /\\$/ && @lines;
    if ($text =~ /^# *include "([^"]+)"/) {
      next if $1 eq 'cgw.h';
      my $header = catfile ($folder, $1);
      # "a/../b" is the same file as "b".
      1 while $header =~ s,[^/]+/\.\./,,;
      read_file ($header) if !$included{$header}++;
      next;
    } elsif ($text =~ /^# *include/) {
      push @items, { kind => 'directive', text => $text }
        if $conditions > 0 || $system{$text}++ == 0;
      next;
    } elsif ($text =~ /^# *define (\w+)/) {
      push @items, { kind => 'macro', text => $text, path => $path,
                     names => [$1] };
      next;
    } elsif ($text =~ /^#/) {
      $conditions++ if $text =~ /^# *if/;
      $conditions-- if $text =~ /^# *endif/;
      push @items, { kind => 'directive', text => $text };
      next;
    }
    # A declaration or a function ends where its last brace or parenthesis is
    # closed.
    my $item = { text => $text, path => $path };
    until (is_whole ($item->{text})) {
      die "$path: the end of \"$text\" is not found\n" if !@lines;
      my $line = shift @lines;
      if ($line =~ /^# *include "([^"]+\.def)"/) {
        my $def = catfile ($folder, $1);
        read_lists ($def) if !$included{$def}++;
        my ($name, $use)
          = $item->{text} =~ /^#define (\w+) *(\(.*)\z/m or die "$path: $line\n";
        # The enum's constants tell which entries are used.
        $lists{$name}{prefix} = $1 if $use =~ /\s(\w+)##name,/;
        $line = "CGWI_LIST_$name";
      }
      $item->{text} .= "\n$line";
    }
    name_item ($item);
    push @items, $item;
  }
}

sub is_whole {
  my $text = without_strings ($_[0]);
  $text =~ s/^#.*//mg;
  return ($text =~ tr/{(//) == ($text =~ tr/})//) && $text =~ /[;}]$/;
}

# What an item defines, and whether it is a function, a prototype, or another.
sub name_item {
  my ($item) = @_;
  my $text = without_strings ($item->{text});
  my $head = $text;
  1 while $head =~ s/\{[^{}]*\}/@/;
  my @names;
  if ($head =~ /^_Static_assert/) {
    $item->{kind} = 'assert';
  } elsif ($head =~ /^(\w+) \(.*\)\s*@\z/ms) {
    $item->{kind} = 'function';
    @names = $1;
  } elsif ($head =~ /^(?:struct|union|enum)(?: (\w+))?\s*@;\z/) {
    $item->{kind} = 'type';
    @names = $1 // ();
    if ($text =~ /^enum/) {
      my ($body) = $text =~ /\{(.*)\}/s;
      $body =~ s/^#.*//mg;
      1 while $body =~ s/\([^()]*\)//;
      push @names, map { /^\s*(\w+)/ ? $1 : () } split /,/, $body;
    }
    push @names, $text =~ /\b(?:struct|union|enum) (\w+)\s*\{/g;
  } elsif ($head =~ /^typedef .*?(\w+)(?:\s+__attribute__.*| \(.*)?;$/s
           || $head =~ /^struct (\w+);$/) {
    $item->{kind} = 'type';
    @names = $1;
  } elsif ($head !~ /=/ && $head =~ /(\w+) \([^()]/) {
    $item->{kind} = 'prototype';
    @names = $head =~ /\b(?!__)(\w+) \(/ ? $1 : ();
  } else {
    $item->{kind} = $head =~ /^extern/ ? 'extern' : 'variable';
    $head =~ s/=.*//s;
    1 while $head =~ s/\[[^\[\]]*\]//;
    @names = $head =~ /(\w+)\s*;?\s*$/ ? $1 : die "$text?\n";
  }
  $item->{names} = \@names;
}

read_file ($_) for @sources;

# Private names.

my %shared = map { $_ => 1 } map { @{$_->{names} // []} } @items;
my %bases;
for my $source (@sources) {
  my $base = basename ($source, '.c');
  die "two files are named $base.c\n" if $bases{$base}++;
  my @own = grep { ($_->{path} // '') eq $source } @items;
  my %names = map { $_ => 1 } grep { !/^cgwi?_/i } map { @{$_->{names}} } @own;
  my $names = join '|', sort keys %names;
  next if $names eq '';
  for my $item (@own) {
    # Not in strings; and no members, which are reached by "." or "->".
    $item->{text} =~ s{($quoted)|(?<![.\w>])\b($names)\b}
                      {$1 // private ($base, $2)}ge;
    $_ = $names{$_} ? private ($base, $_) : $_ for @{$item->{names}};
  }
}

sub private {
  my ($base, $name) = @_;
  my $private = $name =~ /^[A-Z]/ ? 'CGWI_' . uc ("${base}_$name")
                                  : "cgwi_${base}_$name";
  # The prefix of a file's private names may be that of its shared names.
  return $shared{$private} ? "${private}_" : $private;
}

# What is needed.

my %defining;
for my $item (@items) {
  push @{$defining{$_}}, $item for @{$item->{names} // []};
}
my @wanted = grep {
  my $item = $_;
  $item->{kind} =~ /^(?:directive|assert)$/
    || grep {
      /^cgw_/ && !is_left_out ($_);
    } @{$item->{names}}
} @items;
my %used;
while (my $item = shift @wanted) {
  next if $item->{needed}++;
  my @words = without_strings ($item->{text}) =~ /\b[A-Za-z_]\w*\b/g;
  push @words, map { values %{$lists{$_}{texts} // {}} }
    $item->{list} // ();
  $item->{uses} = { map { $_ => 1 } @words };
  # The numbers of a list are defined by the enum that uses it.
  next if $item->{list};
  for (@words) {
    push @wanted, grep { $_->{kind} ne 'prototype' } @{$defining{$_} // []}
      if !$used{$_}++;
  }
}

# A list has only the entries whose constants are used.
for my $item (grep { $_->{list} } @items) {
  my $list = $lists{$item->{list}};
  my @entries = grep { /^\w+ \((\w+)/ && $used{"$list->{prefix}$1"} }
    @{$list->{entries}};
  while (my ($macro, $text) = each %{$list->{texts} // {}}) {
    s/\b$macro\b/$text/ for @entries;
  }
  $item->{text} .= join '', map { " \\\n  " . s/\n */ \\\n    /gr } @entries;
}

# A static table is declared where it is defined.
for my $at (reverse 0 .. $#items) {
  next if $items[$at]{kind} ne 'extern';
  my ($name) = @{$items[$at]{names}};
  my ($table) = grep { $_->{kind} eq 'variable' } @{$defining{$name}};
  my (%moved, @moving);
  @moving = ($table);
  while (my $item = shift @moving) {
    next if $moved{$item}++;
    push @moving, grep { $_->{kind} eq 'macro' }
      map { @{$defining{$_} // []} } keys %{$item->{uses} // {}};
  }
  my @tables = grep { $moved{$_} } @items;
  my @before = grep { !$moved{$_} } @items[0 .. $at - 1];
  my @behind = grep { !$moved{$_} } @items[$at + 1 .. $#items];
  @items = (@before, @tables, @behind);
}

@items = grep { $_->{needed} || $_->{kind} eq 'prototype' } @items;

# Prototypes of functions that are called before they are defined.
my %open;
for my $item (reverse @items) {
  if ($item->{kind} eq 'prototype') {
    $item->{needed} = $open{$item->{names}[0]};
  } else {
    $open{$_} = 1 for keys %{$item->{uses}};
    # What systems define in different ways is declared before all of them.
    delete $open{$_} for grep {
      $item->{kind} eq 'function'
        && 1 == grep { $_->{kind} eq 'function' } @{$defining{$_}};
    } @{$item->{names} // []};
  }
}
my %defined;
for my $item (@items) {
  my ($name) = @{$item->{names} // []};
  next if !defined $name;
  $item->{needed} = 0
    if $item->{kind} eq 'prototype' && ($defined{$name} || !$used{$name});
  $defined{$name} = 1 if $item->{kind} =~ /^(?:prototype|function)$/;
}
@items = grep { $_->{needed} } @items;

# Conditions around nothing.
for (my $i = 0; $i < @items; $i++) {
  next if $items[$i]{text} !~ /^# *endif/;
  my $first = $i - 1;
  $first-- while $first >= 0 && $items[$first]{text} =~ /^# *el/;
  next if $first < 0 || $items[$first]{text} !~ /^# *if/;
  splice @items, $first, $i - $first + 1;
  $i = $first - 1;
}

# C and C++.

my $braces = qr/(?<braces>\{(?:[^{}]++|(?&braces))*\})/;
my %atomics;
# Functions that are called, and never pointed to.
my %pointed = map { $_ => 1 }
  map { without_strings ($_->{text}) =~ /\b(cgwi_\w+)\b(?! \()/g } @items;

for my $item (@items) {
  my $kind = $item->{kind};
  my ($name) = @{$item->{names} // []};
  for ($item->{text}) {
    s/\b(struct \w+ \*)_Atomic\b/CGWI_ATOMIC ($1)/g;
    s/\b_Atomic (\w+)/CGWI_ATOMIC ($1)/g;
    s/\bATOMIC_(\w+)_LOCK_FREE\b/__GCC_ATOMIC_$1_LOCK_FREE/g;
    s/\bmemory_order_(\w+)/'__ATOMIC_' . uc $1/ge;
    s/(?<!\w)(atomic_\w+)/$atomics{$1} = "cgwi_$1"/ge;
    s/&\((?:const )?(struct \w+)\)\s*$braces/CGWI_REF ($1, $+{braces})/g;
    # C++ converts no "void *" to other pointers.
    s/\((const )?void \*\)(?= ?[\w(&])/$1 ? '(CGWI_CONST_ANY)' : '(CGWI_ANY)'/ge;
    s/^( +)(const )?void \*(?=\w+(?: =|;))/$1 . ($2 ? 'CGWI_CONST_ANY ' : 'CGWI_ANY ')/gme
      if $kind =~ /^(?:type|function)$/;
    s/^((?:static )?(?:inline )?)(const )?void \*(?=\n?\w+ \()/$1 . ($2 ? 'CGWI_CONST_ANY ' : 'CGWI_ANY ')/e
      if $kind =~ /^(?:function|prototype)$/ && !$pointed{$name};
    if ($kind eq 'function') {
      my ($parameters, $body) = /^(.*?\n)(\{.*)/s;
      while ($parameters =~ /\b(const )?void \*(\w+)/g) {
        my $any = $1 ? 'CGWI_CONST_ANY' : 'CGWI_ANY';
        my $as_a_whole = qr/\b$2(?=[;,)])/;
        $body =~ s/((?:[(,] ?|\w = ))($as_a_whole)/$1($any) $2/g;
      }
      $_ = $parameters . $body;
    }
    s/\[static (\w+)\]/[$1]/g;
    s/^extern //;
    s/^(?!static\b)/static /
      if $kind =~ /^(?:function|prototype|variable)$/ && $name !~ /^cgw_/;
    s/\)\n\{/) CGW_NOEXCEPT\n{/ if $kind eq 'function' && $name =~ /^cgw_/;
  }
}

# A function's type and name are one line, and "{" ends a line.
sub with_fewer_lines {
  my ($text, $is_function) = @_;
  $text =~ s/^([^\n(]*?) ?(\*?)\n(\w+ \()/$1 $2$3/ if $is_function;
  my @lines = split /\n/, $text;
  for my $i (1 .. $#lines) {
    my ($indent) = $lines[$i] =~ /^( *)\{$/ or next;
    my $before = $i - 1;
    next if $lines[$before] !~ /^[^#]*(?:\)|else|do|=|\w)$/
            || $lines[$before] =~ /\bdefault$/;
    $lines[$before] .= ' {';
    $lines[$i] = undef;
    next if $indent eq '';
    for (@lines[$i + 1 .. $#lines]) {
      my $is_end = /^$indent\}/;
      s/^  //;
      last if $is_end;
    }
  }
  @lines = split /\n/,
    join ("\n", grep { defined } @lines) =~ s/\}\n +else/} else/gr;
  # Arguments that fit into the line before.
  for my $i (reverse 1 .. $#lines) {
    my $next = $lines[$i] =~ s/^ +//r;
    next if $lines[$i - 1] !~ /^[^#]*,$/ || $next =~ /^#/
            || length ($lines[$i - 1]) + length ($next) > 78;
    splice @lines, $i - 1, 2, "$lines[$i - 1] $next";
  }
  return join "\n", @lines;
}

# Writing.

my $made = join '', map { " --without=$_" } @without;
$made = "\n   It was made$made." if $made ne '';
my $c = join '', map { "# define $atomics{$_} $_\n" } sort keys %atomics;
my $cxx = join '', map { /^((\w+)_explicit)$/ ? "# define cgwi_$1 cgwi_$2\n" : () }
  sort keys %atomics;

print <<"END";
/* cgw.c - libcgw $version in one file, made by "make amalgamation".$made
   Compile it with your program, as C11 or C++11; beside it, only cgw.h is
   needed.  Or include it in one of your files, after

     #define CGW_STATIC

   which makes all functions static.  To share one copy between the files of a
   plug-in without exporting it, compile it with -DCGW_API= -fvisibility=hidden.
   make amalgamation WITHOUT="cgw_profile cgw_tracer cgw_recorder"
   leaves out the functions whose names begin so, and what only they need.

   Do not edit this file: the library's repository has the sources, each below
   under its name, and the comments about them.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */
END
# The features come before any header.
while (@items) {
  my $item = shift @items;
  print "$item->{text}\n";
  last if $items[0]{text} =~ /^# *include/;
}
while (<DATA>) {
  s/^\@C\n/$c/;
  s/^\@CXX\n/$cxx/;
  print;
}
my $path = '';
for my $item (@items) {
  next if $item->{text} eq '#include <stdatomic.h>';
  my $now = ($item->{path} // '') =~ /(.*\.c)$/ ? $1 : $path;
  print "/* $now */\n" if $now ne $path;
  $path = $now;
  print with_fewer_lines ($item->{text}, $item->{kind} eq 'function'), "\n";
}
print <<'END';
#ifdef __cplusplus
# undef _Static_assert
# undef _Alignof
# pragma GCC diagnostic pop
#endif
END

__DATA__
#include "cgw.h"
/* C++ has neither C's atomics nor the address of a compound literal, which
   lives to the end of the expression there, and converts no "void *".  Structs
   with <atomic>'s types could not be copied.  */
#ifndef __cplusplus
# include <stdatomic.h>
# define CGWI_ATOMIC(type) _Atomic (type)
# define CGWI_REF(type, ...) (&(type) __VA_ARGS__)
# define CGWI_ANY void *
# define CGWI_CONST_ANY const void *
@C
#else
# pragma GCC diagnostic push
# pragma GCC diagnostic ignored "-Wmissing-field-initializers"
# ifdef __clang__
#  pragma clang diagnostic ignored "-Wc99-designator"
# endif
# define _Static_assert static_assert
# define _Alignof alignof
# define CGWI_ATOMIC(type) cgwi_atomic<type>
# define CGWI_REF(type, ...) cgwi_address ((type) __VA_ARGS__)
# define CGWI_ANY cgwi_any
# define CGWI_CONST_ANY cgwi_any
@CXX
# define CGWI_TEMPLATE(...) \
  template <__VA_ARGS__> static inline __attribute__ ((always_inline, unused))
template <typename T> struct cgwi_atomic
{
  alignas (sizeof (T)) T value;
  cgwi_atomic () = default;
  __attribute__ ((always_inline)) constexpr cgwi_atomic (T v) : value (v) {}
};
struct cgwi_any
{
  void *p;
  cgwi_any () = default;
  __attribute__ ((always_inline)) cgwi_any (const void *v) : p ((void *) v) {}
  __attribute__ ((always_inline)) explicit cgwi_any (uintptr_t v) : p ((void *) v) {}
  template <typename T> __attribute__ ((always_inline)) operator T * () const
  {
    return (T *) p;
  }
  template <typename T>
  __attribute__ ((always_inline)) bool operator== (T v) const
  {
    return p == (const void *) v;
  }
  template <typename T>
  __attribute__ ((always_inline)) bool operator!= (T v) const
  {
    return p != (const void *) v;
  }
};
CGWI_TEMPLATE (typename T) T *
cgwi_address (T &&value)
{
  return &value;
}
CGWI_TEMPLATE (typename T, typename U) void
cgwi_atomic_init (cgwi_atomic<T> *a, U value)
{
  a->value = (T) value;
}
CGWI_TEMPLATE (typename T) T
cgwi_atomic_load (const cgwi_atomic<T> *a, int order = __ATOMIC_SEQ_CST)
{
  return __atomic_load_n (&a->value, order);
}
CGWI_TEMPLATE (typename T, typename U) void
cgwi_atomic_store (cgwi_atomic<T> *a, U value, int order = __ATOMIC_SEQ_CST)
{
  __atomic_store_n (&a->value, (T) value, order);
}
# define CGWI_FETCH(name, function) \
  CGWI_TEMPLATE (typename T, typename U) T \
  name (cgwi_atomic<T> *a, U value, int order = __ATOMIC_SEQ_CST) \
  { \
    return function (&a->value, (T) value, order); \
  }
CGWI_FETCH (cgwi_atomic_exchange, __atomic_exchange_n)
CGWI_FETCH (cgwi_atomic_fetch_add, __atomic_fetch_add)
CGWI_FETCH (cgwi_atomic_fetch_sub, __atomic_fetch_sub)
CGWI_FETCH (cgwi_atomic_fetch_and, __atomic_fetch_and)
CGWI_FETCH (cgwi_atomic_fetch_or, __atomic_fetch_or)
# define CGWI_COMPARE(name, weak) \
  CGWI_TEMPLATE (typename T, typename U) bool \
  name (cgwi_atomic<T> *a, T *expected, U value, \
        int success = __ATOMIC_SEQ_CST, int failure = __ATOMIC_SEQ_CST) \
  { \
    return __atomic_compare_exchange_n (&a->value, expected, (T) value, weak, \
                                        success, failure); \
  }
CGWI_COMPARE (cgwi_atomic_compare_exchange_strong, false)
CGWI_COMPARE (cgwi_atomic_compare_exchange_weak, true)
# define cgwi_atomic_signal_fence __atomic_signal_fence
# define cgwi_atomic_thread_fence __atomic_thread_fence
#endif
