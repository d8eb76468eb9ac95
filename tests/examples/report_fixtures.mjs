// report_fixtures.mjs - profiles for the page of cgw-report --html, and the
// page made of them as the tool makes it.  SPDX-License-Identifier: MIT

import {readFileSync, readdirSync} from 'node:fs';

// ---- The page

const folder = `${process.env.srcdir || '.'}/examples/tools/report/`;
const read = name => readFileSync(folder + name, 'utf8');

// The scripts in their order, which examples/tools/local.am has, too: page.js,
// which starts the page, comes last.
export const scripts = [...readdirSync(folder)
  .filter(name => /^page_.*\.js$/.test(name)).sort(), 'page.js'];

const hexCode = c => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0');

export function pageOf(profile) {
  const title = profile.title.replace(/[&<>]/g, c => `&#${c.charCodeAt(0)};`);
  const data = JSON.stringify(profile);
  const parts = {
    '@TITLE@': title + '\n',
    '@STYLE@': read('page.css'),
    '@DATA@': data.replace(/[<>&\u2028\u2029]/g, hexCode) + '\n',
    '@SCRIPT@': scripts.map(read).join(''),
  };
  return read('page.html').replace(/^(@[A-Z]+@)\n/gm, (_, name) => parts[name]);
}

// ---- A profile from a call tree

// The nodes of a tree are {f, self, before, kids, parent}; f is one of the
// functions [name, file, object].  All else follows, by sums over the stacks.
export function profileOf({functions, events, roots, exact = true,
                           compared = false, sources = [], title = 'profile',
                           command = '', description = []}) {
  const names = [''];
  const ids = new Map([['', 0]]);
  const id = text => {
    if (!ids.has(text))
      ids.set(text, names.push(text) - 1);
    return ids.get(text);
  };
  const kinds = compared ? ['self', 'before'] : ['self'];
  const zeros = n => events.map(() => Array(n).fill(0));
  const noCosts = () => events.map(() => 0);
  const count = functions.length;
  const made = {name: [], file: [], object: [], calls: Array(count).fill(0)};
  for (const [name, file, object] of functions) {
    made.name.push(id(name));
    made.file.push(id(file));
    made.object.push(id(object));
  }
  const own = {self: zeros(count), before: zeros(count)};
  const inclusive = {self: zeros(count), before: zeros(count)};
  const tree = {exact, function: [], parent: [], self: zeros(0)};
  if (compared)
    tree.selfBefore = zeros(0);
  const edges = new Map();
  const totals = {self: noCosts(), before: noCosts()};
  const lines = new Map();

  const visit = (node, parent, path) => {
    const index = tree.function.push(node.f) - 1;
    tree.parent.push(parent);
    made.calls[node.f] += node.calls ?? 1;
    events.forEach((_, e) => {
      tree.self[e].push(node.self[e]);
      if (compared)
        tree.selfBefore[e].push(node.before[e]);
      for (const kind of kinds) {
        const cost = node[kind][e];
        totals[kind][e] += cost;
        own[kind][e][node.f] += cost;
        // Each function and each call of the stack once.
        for (const f of new Set([...path, node.f]))
          inclusive[kind][e][f] += cost;
        const stack = [...path, node.f];
        const calls = new Set(stack.slice(1).map((f, i) => stack[i] + '>' + f));
        for (const call of calls) {
          if (!edges.has(call))
            edges.set(call, {calls: 0, self: noCosts(), before: noCosts()});
          edges.get(call)[kind][e] += cost;
        }
      }
      // Three lines of the function, of which one comes twice.
      for (let i = 0; i < 4; i++) {
        const line = 10 + node.f % 5 + 2 * Math.min(i, 2);
        const key = `${node.f}:${line}:${i}`;
        if (!lines.has(key))
          lines.set(key, {self: noCosts(), before: noCosts()});
        for (const kind of kinds) {
          const cost = node[kind][e];
          const part = Math.floor(cost / 4);
          lines.get(key)[kind][e] += i === 3 ? cost - 3 * part : part;
        }
      }
    });
    if (path.length)
      edges.get(path.at(-1) + '>' + node.f).calls += node.calls ?? 1;
    for (const kid of node.kids || [])
      visit(kid, index, [...path, node.f]);
  };
  for (const root of roots)
    visit(root, -1, []);

  const column = (map, get) => [...map.values()].map(get);
  const ends = [...edges.keys()].map(key => key.split('>').map(Number));
  const edgeArrays = {
    caller: ends.map(([f]) => f), callee: ends.map(([, f]) => f),
    calls: column(edges, edge => edge.calls),
    cost: events.map((_, e) => column(edges, edge => edge.self[e])),
  };
  if (compared) {
    edgeArrays.costBefore = events.map((_, e) =>
      column(edges, edge => edge.before[e]));
    made.selfBefore = own.before;
    made.inclusiveBefore = inclusive.before;
  }
  const lineArrays = {
    self: events.map((_, e) => column(lines, line => line.self[e])),
    calls: zeros(lines.size),
  };
  if (compared) {
    lineArrays.selfBefore = events.map((_, e) =>
      column(lines, line => line.before[e]));
    lineArrays.callsBefore = zeros(lines.size);
  }
  const places = [...lines.keys()].map(key => key.split(':').map(Number));
  return {
    version: 1, title, command, description,
    events: events.map((event, e) => ({...event, total: totals.self[e],
      ...(compared ? {before: totals.before[e]} : {})})),
    functions: {...made, self: own.self, inclusive: inclusive.self},
    edges: edgeArrays,
    tree,
    lines: {
      function: places.map(([f]) => f),
      file: places.map(([f]) => made.file[f]),
      line: places.map(([, line]) => line), ...lineArrays,
    },
    sources: sources.map(({file, first, lines: text}) =>
      ({file: id(file), first, lines: text})),
    names,
  };
}

// ---- Profiles

// Numbers that are the same at every run.
function random(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const program = '/usr/local/bin/pack';
const libc = '/lib/x86_64-linux-gnu/libc.so.6';
const cxx = '/lib/x86_64-linux-gnu/libstdc++.so.6';
const loader = '/lib64/ld-linux-x86-64.so.2';
export const packFunctions = [
  ['_start', '', program],
  ['__libc_start_main', 'libc-start.c', libc],
  ['main', 'src/main.cc', program],
  ['read_options(int, char **, options &)', 'src/main.cc', program],
  ['pack_file(std::string const &, options const &)', 'src/pack.cc', program],
  ['block_writer::write(std::span<unsigned char const>)', 'src/block.cc',
    program],
  ['deflate_slow', 'src/deflate.c', program],
  ['longest_match', 'src/deflate.c', program],
  ['fill_window', 'src/deflate.c', program],
  ['crc32_update', 'src/crc32.c', program],
  ['build_tree', 'src/trees.c', program],
  ['send_bits', 'src/trees.c', program],
  ['compress_block', 'src/trees.c', program],
  ['std::vector<block, std::allocator<block>>::_M_realloc_insert<block>(block)',
    'bits/vector.tcc', program],
  ['std::map<std::string, entry>::operator[](std::string &&)',
    'bits/stl_map.h', program],
  ['walk_tree(std::filesystem::path const &)', 'src/walk.cc', program],
  ['__memcpy_avx_unaligned_erms', 'memmove-vec-unaligned-erms.S', libc],
  ['malloc', 'malloc.c', libc],
  ['_int_malloc', 'malloc.c', libc],
  ['_int_free', 'malloc.c', libc],
  ['free', 'malloc.c', libc],
  ['read', 'read.c', libc],
  ['write', 'write.c', libc],
  ['operator new(unsigned long)', '', cxx],
  ['std::__cxx11::basic_string::_M_append(char const *, unsigned long)', '',
    cxx],
  ['std::istream::read(char *, long)', '', cxx],
  ['_dl_start', 'rtld.c', loader],
  ['_dl_relocate_object', 'dl-reloc.c', loader],
  ['do_lookup_x', 'dl-lookup.c', loader],
  ['_dl_map_object', 'dl-load.c', loader],
  ['strcmp', 'strcmp-sse2.S', loader],
  ['qsort_r', 'msort.c', libc],
  ['msort_with_tmp', 'msort.c', libc],
  ['compare_entries(void const *, void const *)', 'src/walk.cc', program],
];

const packSource = `static unsigned
longest_match (state *s, unsigned head)
{
  unsigned chain = s->max_chain_length;
  const unsigned char *scan = s->window + s->strstart;
  int best = s->prev_length;
  int nice = s->nice_match;
  unsigned limit = s->strstart > MAX_DIST (s) ? s->strstart - MAX_DIST (s) : 0;

  do
    {
      const unsigned char *match = s->window + head;
      if (match[best] != scan[best] || *match != *scan)
          continue;
      int length = common_prefix (scan, match);
      if (length > best && (best = length) >= nice)
          break;
    }
  while ((head = s->prev[head & s->mask]) > limit && --chain != 0);
  return best;
}`.split('\n');

// A program that packs files: what calls what, and how much of its cost each
// has.
export function pack({compared = false, exact = true} = {}) {
  const next = random(40);
  const f = name => packFunctions.findIndex(([n]) => n.startsWith(name));
  const shrunk = new Set([f('crc32'), f('_int_malloc'), f('do_lookup')]);
  const grown = new Set([f('longest'), f('std::map'), f('send_bits')]);
  const node = (name, weight, ...kids) => {
    const ir = Math.floor(weight * (800 + 400 * next()));
    const function_ = f(name);
    const factor = shrunk.has(function_) ? 1.6 : grown.has(function_) ? 0.7 : 1;
    const self = [ir, Math.floor(ir * (0.2 + 0.3 * next())),
      ir * 311 + Math.floor(99 * next())];
    let before = self.map(cost => Math.floor(cost * factor));
    if (name === 'std::vector')
      before = [0, 0, 0];
    if (name === 'qsort_r' || name === 'compare')
      before = self.map(cost => cost * 3 + 7);
    const calls = 1 + Math.floor(next() * 1000);
    return {f: function_, calls, self, before, kids};
  };
  const allocation = n => node('operator new', n / 8, node('malloc', n / 4,
    node('_int_malloc', n)));
  const sorting = depth => depth === 0 ? node('compare_entries', 30)
    : node('msort_with_tmp', 40, sorting(depth - 1), node('__memcpy', 8));
  const roots = [
    node('_start', 1, node('__libc_start_main', 2, node('main', 10,
      node('read_options', 30, node('std::map', 45, allocation(20)),
        allocation(9)),
      node('walk_tree', 60, node('qsort_r', 12, sorting(5)),
        node('std::__cxx11', 40, allocation(12), node('__memcpy', 30)),
        node('free', 14, node('_int_free', 33))),
      node('pack_file', 120,
        node('std::istream', 30, node('read', 210), node('__memcpy', 90)),
        node('crc32', 900),
        node('deflate_slow', 1500, node('longest_match', 3100),
          node('fill_window', 240, node('__memcpy', 330), node('read', 25)),
          node('compress_block', 600, node('send_bits', 480),
            node('build_tree', 260))),
        node('std::vector', 85, allocation(40), node('__memcpy', 60)),
        node('block_writer', 25, node('write', 160), node('crc32', 120))),
      node('free', 6, node('_int_free', 12))))),
    node('_dl_start', 8, node('_dl_relocate', 170,
      node('do_lookup', 420, node('strcmp', 130))),
      node('_dl_map', 60, node('strcmp', 12))),
  ];
  return {
    functions: packFunctions, roots, exact, compared,
    events: [
      {name: 'Ir', title: 'Instructions', unit: ''},
      {name: 'Dr', title: 'Data reads', unit: ''},
      {name: 'time', title: 'Processor time', unit: 'ns'},
    ],
    sources: [{file: 'src/deflate.c', first: 1, lines: packSource}],
    title: compared ? 'callgrind.out.new against callgrind.out.old'
      : 'callgrind.out.4711',
    command: 'pack --best --output=backup.pk /home/user/documents',
    description: ['Trigger: Program termination', 'Creator: callgrind-3.19.0'],
  };
}

export const longName = 'ns::table<' +
  'std::pair<int const, char *>, '.repeat(334) + 'x>';

// Names that would be something else in HTML, in JavaScript or on a terminal.
export const hostileNames = [
  '<script>alert(1)</script>', '</script><script>alert(2)</script>',
  '<img src=x onerror=alert(3)>', '<!--', ']]>', '"><svg onload=alert(4)>',
  "' onmouseover='alert(5)", '&lt;b&gt;&amp;', '${alert(6)}', '{{7*7}}',
  'javascript:alert(8)', '__proto__', 'constructor', 'toString',
  'hasOwnProperty', '\u202egnp.exe', '\u2066left\u2069',
  'bell\u0007 escape\u001b[31m null\u0000',
  'two\nlines\r\tand a tab', '\u2028separators\u2029', '\ufeffmark',
  '\ud800 alone', '\u007f\u0085', '%s%n', 'D:\\path\\name',
  'ein Gr\u00fc\u00dfe', '\u4f60\u597d', '\u0645\u0631\u062d\u0628\u0627',
  '\ud83d\ude80 rocket', '@DATA@', '', longName,
];

export function hostile() {
  const functions = hostileNames.map((name, i) =>
    [name, hostileNames[(i + 1) % 31], hostileNames[(i + 2) % 31]]);
  const kids = functions.map((_, f) => ({f, self: [1000 + 10 * f], kids: []}));
  return {
    functions,
    roots: [{f: 0, self: [5], kids: kids.slice(1)},
      {...kids[0], f: 11, kids: []}],
    events: [{name: '__proto__', title: '<b>bold</b>', unit: '<i>'}],
    title: '</title><script>alert(9)</script>',
    command: '<a href="javascript:alert(10)">run</a> \u202e',
    description: ['</li><script>alert(11)</script>'],
    sources: hostileNames.slice(0, 31).map(file => ({file, first: 8,
      lines: ['</pre><script>alert(12)</script>', '\u202e', '\t\u001b[2J',
        ...hostileNames]})),
  };
}

// 10,000 functions, 1,000,000 edges, a tree of 200,000 nodes; columns, for the
// sums of profileOf take long for so many.
export function large() {
  const functionCount = 10000;
  const edgeCount = 1000000;
  const nodeCount = 200000;
  const next = random(7);
  const below = n => Math.floor(next() * n);
  const range = n => Array.from({length: n}, (_, i) => i);
  const names = ['', ...range(functionCount).map(i =>
    `module${i % 97}::class_${i % 1009}<int, ${i % 7}>::method_${i}(long)`),
    ...range(200).map(i => `src/part${i % 20}/file${i}.cc`),
    ...range(12).map(i => `/lib/lib${i}.so.1`)];
  const tree = {exact: true, function: [], parent: [], self: [[], []]};
  const self = [Array(functionCount).fill(0), Array(functionCount).fill(0)];
  const totals = [0, 0];
  for (let i = 0; i < nodeCount; i++) {
    // Skewed, as call trees are: deep, and broad in few places.
    tree.parent.push(i < 3 ? -1 : Math.floor(i * (1 - next() ** 3 * 0.6)) - 1);
    tree.function.push(Math.floor(functionCount * next() ** 2));
    for (const e of [0, 1]) {
      const cost = below(3) ? 0 : Math.floor(1e6 * next() ** 8);
      tree.self[e].push(cost);
      self[e][tree.function[i]] += cost;
      totals[e] += cost;
    }
  }
  const numbers = (n, most) => range(n).map(() => below(most));
  return {
    version: 1, title: 'large', command: 'large --profile', description: [],
    events: [{name: 'Ir', title: 'Instructions', unit: '', total: totals[0]},
      {name: 'Dr', title: 'Data reads', unit: '', total: totals[1]}],
    names,
    functions: {
      name: range(functionCount).map(i => i + 1),
      file: range(functionCount).map(i => 1 + functionCount + i % 200),
      object: range(functionCount).map(i => 1 + functionCount + 200 + i % 12),
      calls: numbers(functionCount, 1e6), self,
      inclusive: self.map(costs => costs.map(cost => cost * 3)),
    },
    edges: {
      caller: numbers(edgeCount, functionCount),
      callee: numbers(edgeCount, functionCount),
      calls: numbers(edgeCount, 1000),
      cost: [numbers(edgeCount, 100000), numbers(edgeCount, 100000)],
    },
    tree,
    lines: {function: [], file: [], line: [], self: [[], []], calls: [[], []]},
    sources: [],
  };
}
