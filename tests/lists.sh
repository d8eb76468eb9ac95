#!/bin/sh
# lists.sh - coverage.list and mutants.list name code that is there.
#
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
command -v perl >/dev/null || skip_all "there is no perl"

cd "$srcdir" || exit 1
perl -we '
  my %code; # of each file, a line
  sub names_code {
    my ($file, $before, $after) = @_;
    $code{$file} //= do {
      open my $in, "<", $file or die "$file: $!\n";
      join " ", "", map { s/^\s+|\s+$//gr } <$in>, "";
    };
    return index($code{$file}, "$before$after") >= 0;
  }

  while (<>) {
    chomp;
    next if /^(?:#|\s|$)/;
    if (my ($file, $source) = /^(\S+) :: (?:line|branch) :: (.+?) :: ./) {
      next if names_code($file, " $source", " ");
    }
    # FILE: BEFORE{OLD -> NEW}AFTER; there may be other braces and arrows.
    elsif (($file, my $mutant) = /^(\S+): (.+)/) {
      next if $mutant =~ /^(.*)\{(.+)\ ->\ .*\}(.*)$
                          (?(?{ !names_code($file, "$1$2", $3) })(*FAIL))/x;
    }
    print "$ARGV: $_\n";
  }' tests/coverage.list tests/mutants.list >"$log" 2>&1
test $? = 0 && test ! -s "$log"
result $? "each entry names code that is there"
done_testing
