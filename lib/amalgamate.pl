#!/usr/bin/perl
# amalgamate.pl - write the library as one source file, for those who copy it
# into their own project: it compiles alone with any C11 compiler.
#
# Usage: amalgamate.pl VERSION SOURCE... >cgw.c
#
# The SOURCEs are the library's files, in the order of the layers.  Beside cgw.c,
# only cgw.h is needed.
#
# What is static in one source file may have the name of what is static in
# another; in one file it may not.  Such names get the name of their source file
# in front, and macros end with their source file.
# SPDX-License-Identifier: MIT

use strict;
use warnings;
use File::Basename;
use File::Spec::Functions qw(catfile);

my ($version, @sources) = @ARGV;
@sources = grep { /\.c$/ } @sources; # headers come with them
die "usage: $0 VERSION SOURCE...\n" if !@sources;

sub text_of {
  my ($path) = @_;
  open my $in, '<', $path or die "$path: $!\n";
  local $/;
  my $text = <$in>;
  close $in;
  return $text;
}

# What the file scope of a source file has that no other file sees.  In GNU
# style, the name of a function begins a line, and so does "static".
sub private_names {
  my ($text) = @_;
  my %names;
  my $in_enum = 0;
  for (split /\n/, $text) {
    $names{$1} = 1 if /^([a-z_]\w*) \(/ && $1 !~ /^cgwi?_/;
    $names{$1} = 1 if /^static [^()=]*?\b(\w+)(?:\[[^=]*\])?(?: =|;)/;
    $names{$1} = 1 if /^(?:struct|union|enum) (\w+)$/ && $1 !~ /^cgwi?_/;
    $in_enum = 1 if /^enum\b/;
    $names{$1} = 1 if $in_enum && /^\s+([A-Z]\w*)(?: = .*|,.*)?$/
                      && $1 !~ /^CGWI?_/;
    $in_enum = 0 if /\}/;
  }
  return %names;
}

sub macros {
  my ($text) = @_;
  my %seen;
  return grep { !/^CGWI?_/ && !$seen{$_}++ } $text =~ /^# *define (\w+)/mg;
}

my %count;
my %text = map { $_ => text_of ($_) } @sources;
for my $source (@sources) {
  my %names = private_names ($text{$source});
  $count{$_}++ for keys %names;
}

# A text with the library's own headers in it, each once, and its tables (.def)
# as often as they are included.
my %included;
sub expand {
  my ($path, $text) = @_;
  my $folder = dirname ($path);
  $text =~ s{^\# *include "([^"]+)"\n}{
    my $name = $1;
    my $header = catfile ($folder, $name);
    # "a/../b" is the same file as "b".
    1 while $header =~ s,[^/]+/\.\./,,;
    $name eq 'cgw.h' ? "#include \"cgw.h\"\n"
    : $header !~ /\.def$/ && $included{$header}++ ? ''
    : expand ($header, text_of ($header));
  }gem;
  return $text;
}

print <<"END";
/* cgw.c - libcgw $version in one file, made by "make amalgamation".  Compile it
   with your program; beside it, only cgw.h is needed:

     cc -std=c11 -O2 -c cgw.c

   Do not edit it: the sources are in the library's repository.

   SPDX-License-Identifier: MIT  */

END

for my $source (@sources) {
  my $text = $text{$source};
  my $name = basename ($source, '.c');
  my %names = private_names ($text);
  my $shared = join '|', grep { $count{$_} > 1 } sort keys %names;
  # Not in comments, strings and the names of headers; and no members, which
  # are reached by "." or "->".
  $text =~ s{(/\*.*?\*/|"(?:\\.|[^"\\\n])*")|(?<![.\w>])\b($shared)\b}
            {$1 // "${name}_$2"}ges if $shared ne '';
  my @macros = macros ($text);
  print expand ($source, $text);
  print map { "#undef $_\n" } @macros;
  print "\n";
}
