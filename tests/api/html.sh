#!/bin/sh
# html.sh - make html: each manual page is in it and in its index, all links
# lead to something, and all elements are closed; and mandoc finds no mistake in
# a page.  What make install-html puts in place.
#
# From the environment: srcdir, MAKE.  In the build folder: lib/man3.
# SPDX-License-Identifier: MIT

. "${srcdir-.}/tests/support/tap.sh"
command -v mandoc >/dev/null || skip_all "there is no mandoc"
command -v perl >/dev/null || skip_all "there is no perl"
# The jobs and variables of the make that runs this are not for this one.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES

${MAKE-make} html MANDOC=no-mandoc >"$log" 2>&1
test $? != 0 && grep -q 'needs mandoc(1)' "$log"
result $? "without mandoc, make html says what it needs"
${MAKE-make} html >"$log" 2>&1
result $? "make html"

# Each page, but for those that are only other names of one.
for page in "$srcdir"/lib/*.[37] lib/man3/*.3 \
  examples/tools/lint/cgw-lint.1 "$srcdir"/examples/tools/*/*.[17]; do
  grep -q '^\.so ' "$page" || echo "$page"
done >"$dir/pages"
while IFS= read -r page; do
  mandoc -T lint -W warning "$page"
done <"$dir/pages" >"$log" 2>&1
test "$(wc -l <"$dir/pages")" -gt 80 && test ! -s "$log"
result $? "mandoc finds no mistake in a page"

sed 's,.*/,,; s/$/.html/' "$dir/pages" | sort -u >"$dir/names"
(cd html && ls -- *.html) | grep -vx 'index.html' | diff "$dir/names" - >"$log"
result $? "each page is there"
grep -o '^<dt><a href="[^"]*"' html/index.html | sed 's/.*="//; s/"//' \
  | sort | diff "$dir/names" - >"$log"
result $? "each page is in the index once"
basename -s .3 lib/man3/cgw_*.3 | while read -r name; do
  grep -q "<li><a href=\"[a-z_]*\.3\.html\">$name</a>" html/index.html \
    || echo "$name"
done >"$log"
test ! -s "$log"
result $? "each call and struct is in the index"

# Lines about elements that are not closed, and links that lead nowhere.
cat >"$dir/check.pl" <<'END_OF_PERL'
undef $/;
for my $file (@ARGV) {
  open my $in, "<", $file or die "$file: $!";
  my $text = <$in>;
  my @open;
  (my $name = $file) =~ s,.*/,,;
  $there{$name} = 1;
  while ($text =~ m,<(/?)([a-z0-9]+)([^>]*?)(/?)>,g) {
    my ($end, $element, $attributes, $empty) = ($1, $2, $3, $4);
    $there{"$name#$1"} = 1 if $attributes =~ /\bid="([^"]*)"/;
    push @links, [$name, $1] if $attributes =~ /\bhref="([^"]*)"/;
    next if $empty || $element =~ /^(meta|link|br)$/;
    print "$name: <a> in <a>\n"
      if !$end && $element eq "a" && grep { $_ eq "a" } @open;
    push @open, $element unless $end;
    print "$name: </$element>\n" if $end && pop @open ne $element;
  }
  print "$name: open: @open\n" if @open;
}
for (@links) {
  my ($from, $to) = @$_;
  $to = "$from$to" if $to =~ /^#/;
  print "$from: $to\n" unless $there{$to} || $to eq "manual.css";
}
print STDERR scalar @links, "\n";
END_OF_PERL
perl "$dir/check.pl" html/*.html >"$log" 2>"$dir/count"
test "$(cat "$dir/count")" -gt 3000 && test ! -s "$log" \
  && test -s html/manual.css
result $? "all links lead to something, and all elements are closed"

{
  grep -F '>cgw_add_fn</a> (names, ' html/cgw.3.html
  grep -F 'struct <a href="cgw_pos.3.html">cgw_pos</a>' html/cgw_cost.3.html
  grep -F '<a href="cgw.3.html#CGW_EORDER">CGW_EORDER</a>' html/cgw_cost.3.html
  grep -F '<a class="Xr" href="cgw-lint.1.html">' html/cgw-recode.1.html
  grep -F 'kcachegrind(1)' html/cgw.3.html | grep -v href
} >"$log"
test "$(sort -u "$log" | wc -l)" -ge 5
result $? "names are links, also in examples; pages of others are not"

${MAKE-make} install-html DESTDIR="$dir/dest" >"$log" 2>&1
index=$(find "$dir/dest" -name index.html)
diff -r html "${index%/index.html}" >>"$log"
result $? "make install-html"
${MAKE-make} uninstall-hook DESTDIR="$dir/dest" >"$log" 2>&1 \
  && test -z "$(find "$dir/dest" -type f)"
result $? "make uninstall removes it"
done_testing
