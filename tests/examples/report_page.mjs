// report_page.mjs - the page of cgw-report --html in headless Chromium: prints
// "ok - NAME" or "not ok - NAME" for each test; only for those whose names
// contain the first argument.
//
// From the environment: srcdir; CHROMIUM, the browser's command; NODE_PATH,
// where playwright-core is; CGW_SHOTS, a folder that is to get a picture of
// each view; TMPDIR.
// SPDX-License-Identifier: MIT

import assert from 'node:assert/strict';
import {mkdtempSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import * as fixtures from './report_fixtures.mjs';

const {chromium} = createRequire(import.meta.url)('playwright-core');
const {profileOf, pageOf} = fixtures;
const shots = process.env.CGW_SHOTS;
const folder = mkdtempSync(join(process.env.TMPDIR || tmpdir(), 'report-'));
process.on('exit', () => rmSync(folder, {recursive: true, force: true}));

// ---- Pages

const written = new Map();
function fileOf(name, profile) {
  if (!written.has(name)) {
    const path = join(folder, name + '.html');
    writeFileSync(path, pageOf(profile()));
    written.set(name, path);
  }
  return written.get(name);
}

const made = {
  pack: () => profileOf(fixtures.pack()),
  estimated: () => profileOf(fixtures.pack({exact: false})),
  compared: () => profileOf(fixtures.pack({compared: true})),
  hostile: () => profileOf(fixtures.hostile()),
  large: () => fixtures.large(),
  // All arrays empty but for the event.
  empty: () => profileOf({functions: [], roots: [],
    events: [{name: 'Ir', title: 'Instructions', unit: ''}]}),
  // One call below the other, 20,000 times.
  deep: () => {
    const tree = {exact: true, function: [], parent: [], self: [[]]};
    for (let i = 0; i < 20000; i++) {
      tree.function.push(i % 2);
      tree.parent.push(i - 1);
      tree.self[0].push(i === 19999 ? 20000 : 0);
    }
    const profile = profileOf({functions: [['even', '', ''], ['odd', '', '']],
      roots: [{f: 0, self: [20000], kids: []}],
      events: [{name: 'Ir', title: '', unit: ''}]});
    return {...profile, tree};
  },
  signed: () => profileOf({
    functions: [['main', 'm.c', ''], ['allocate', 'm.c', ''],
      ['release', 'm.c', '']],
    events: [{name: 'bytes', title: 'Bytes held', unit: 'bytes'}],
    roots: [{f: 0, self: [0],
      kids: [{f: 1, self: [4096]}, {f: 2, self: [-4096]}]}],
  }),
};

let browser;
let problems;

// A new page with a profile; what goes wrong there is among the problems.
async function open(name, hash = '', options = {}) {
  const path = fileOf(name, made[name]);
  const url = 'file://' + path;
  const viewport = {width: 1400, height: 900};
  const context = await browser.newContext({viewport, ...options});
  const page = await context.newPage();
  page.on('request', request => {
    if (request.url().replace(/#.*/, '') !== url)
      problems.push('request of ' + request.url().slice(0, 200));
  });
  page.on('console', message => {
    // It is the test that reads pixels.
    if (!message.text().startsWith('Canvas2D: Multiple readback'))
      problems.push('console: ' + message.text());
  });
  page.on('pageerror', error => problems.push('error: ' + error.stack));
  page.on('dialog', dialog => {
    problems.push('dialog: ' + dialog.message());
    return dialog.dismiss();
  });
  page.on('popup', () => problems.push('popup'));
  await page.goto(url + hash);
  return page;
}

const settle = page => page.evaluate(() => new Promise(resolve =>
  requestAnimationFrame(() => requestAnimationFrame(resolve))));

async function shoot(page, name, options = {}) {
  if (!shots)
    return;
  await settle(page);
  await page.screenshot({path: join(shots, name + '.png'), ...options});
}

// ---- Tests

const tests = [];
const test = (name, run) => tests.push([name, run]);

async function runTests() {
  const only = process.argv[2] || '';
  for (const [name, run] of tests.filter(([name]) => name.includes(only))) {
    problems = [];
    let text = '';
    try {
      await run();
      assert.deepEqual(problems, []);
    } catch (error) {
      text = error.stack;
      process.exitCode = 1;
    }
    for (const context of browser.contexts())
      await context.close();
    for (const line of text.split('\n').slice(0, 40).filter(Boolean))
      console.log('# ' + line);
    console.log(`${text ? 'not ok' : 'ok'} - ${name}`);
  }
}

// ---- What is on a page

const text = (page, selector) => page.locator(selector).innerText();
const attribute = (page, selector, name) =>
  page.locator(selector).getAttribute(name);
const themeOf = page =>
  page.evaluate(() => document.documentElement.dataset.theme);
const numberOf = shown =>
  Number(shown.replace(/,/g, '').replace('\u2212', '-'));

// All rows of the table: what is seen of it, scrolled from its top to its end.
async function tableRows(page) {
  return page.evaluate(async () => {
    const box = document.getElementById('grid-box');
    const rows = new Map();
    for (let top = 0; ; top += 300) {
      box.scrollTop = top;
      await new Promise(requestAnimationFrame);
      await new Promise(requestAnimationFrame);
      for (const row of document.querySelectorAll('#rows tr[id]'))
        rows.set(Number(row.getAttribute('aria-rowindex')),
          [...row.cells].map(cell =>
            (cell.querySelector('.value') || cell.firstChild).textContent));
      if (top > box.scrollHeight)
        break;
    }
    box.scrollTop = 0;
    await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
    return [...rows].sort((a, b) => a[0] - b[0]).map(([, cells]) => cells);
  });
}

// The boxes of the flame graph, as a map from the names on the way to it to its
// value; and where one is on the screen.
const boxes = page => page.evaluate(() => {
  const all = {};
  for (const row of flame.rows)
    for (const box of row) {
      const path = [];
      for (let b = box; b.parent; b = b.parent)
        path.unshift(boxName(b));
      all[path.join(';')] = boxSum(box, flame.view.value);
    }
  return all;
});
const placeOfBox = (page, name) => page.evaluate(name => {
  const named = box => boxName(box).startsWith(name);
  const row = flame.rows.findIndex(boxes => boxes.some(named));
  const box = flame.rows[row].find(named);
  const edge = flame.space.getBoundingClientRect();
  return {x: edge.left + box.x + box.width / 2,
    y: edge.top + (row + 0.5) * flame.rowHeight, width: box.width};
}, name);

async function clickBox(page, name) {
  const {x, y} = await placeOfBox(page, name);
  await page.mouse.click(x, y);
}

// The canvas at some points of the screen: red, green, blue, alpha.
const pixels = (page, points) => page.evaluate(points => {
  const canvas = document.getElementById('canvas');
  const edge = canvas.getBoundingClientRect();
  const {data} = canvas.getContext('2d')
    .getImageData(0, 0, canvas.width, canvas.height);
  return points.map(([x, y]) => {
    const row = Math.floor(y - edge.top);
    const at = 4 * (row * canvas.width + Math.floor(x - edge.left));
    return [...data.subarray(at, at + 4)];
  });
}, points);

const widthOfPage = page =>
  page.evaluate(() => document.documentElement.scrollWidth);
// What is shown in the frame of the keyboard.
const current = page => page.evaluate(() => boxName(flame.current));
const focused = page => page.evaluate(() => document.activeElement.id);
const widthOf = async (page, name) => (await placeOfBox(page, name)).width;

// ---- Sums of their own: over the stacks of a tree

function stacksOf({roots, functions}, kind = 'self') {
  const stacks = [];
  const visit = (node, path) => {
    path = [...path, functions[node.f][0]];
    stacks.push({path, costs: node[kind]});
    for (const kid of node.kids || [])
      visit(kid, path);
  };
  for (const root of roots)
    visit(root, []);
  return stacks;
}

function sum(stacks, event, matches = () => true) {
  return stacks.filter(({path}) => matches(path))
    .reduce((total, {costs}) => total + costs[event], 0);
}

// The cost of all stacks by each beginning of their paths.
function byPath(stacks, event) {
  const all = {};
  for (const {path, costs} of stacks)
    for (let n = 1; n <= path.length; n++) {
      const key = path.slice(0, n).join(';');
      all[key] = (all[key] || 0) + costs[event];
    }
  return all;
}

const endsIn = name => path => path.at(-1) === name;
const contains = name => path => path.includes(name);
const packed = fixtures.pack();
const packStacks = stacksOf(packed);
const share = (cost, total) => (100 * cost / total).toFixed(2) + '%';
const grouped = cost => cost.toLocaleString('en-US');

test('title, command and totals of the events', async () => {
  const page = await open('pack');
  assert.equal(await page.title(), packed.title);
  assert.equal(await text(page, '#title'), packed.title);
  assert.equal(await text(page, '#command'), packed.command);
  const shown = await page.locator('.event').allInnerTexts();
  assert.equal(shown.length, 3);
  assert.match(shown[0], /^Ir\s+([\d,]+)\s+Instructions$/);
  assert.equal(numberOf(shown[0].split(/\s+/)[1]), sum(packStacks, 0));
  const time = sum(packStacks, 2) / 1e9;
  assert.equal(shown[2].split('\n')[1], time.toPrecision(4) + ' s');
  assert.match(await text(page, '#exactness'), /^exact/);
  await shoot(page, 'flame');
});

test('the table has the sums of the stacks, for each event', async () => {
  const page = await open('pack');
  for (const event of [0, 1, 2]) {
    await page.locator('.event').nth(event).click();
    const rows = await tableRows(page);
    assert.equal(rows.length, packed.functions.length);
    for (const [self, inclusive, , name] of rows) {
      assert.equal(numberOf(self), sum(packStacks, event, endsIn(name)), name);
      assert.equal(numberOf(inclusive), sum(packStacks, event, contains(name)),
        name);
    }
  }
  const first = await page.locator('#rows .percent').first().innerText();
  assert.equal(first, share(sum(packStacks, 2, endsIn('longest_match')),
    sum(packStacks, 2)));
});

test('the flame graph has the sums of the stacks', async () => {
  const page = await open('pack');
  const expected = byPath(packStacks, 0);
  const shown = await boxes(page);
  delete shown[''];
  assert.ok(Object.keys(shown).length > 50);
  for (const [path, value] of Object.entries(shown))
    if (!/ more$/.test(path))
      assert.equal(value, expected[path], path);
});

test('the inverted flame graph has the sums of the stacks', async () => {
  const page = await open('pack', '#event=Dr');
  await page.getByRole('radio', {name: 'Inverted'}).click();
  const expected = byPath(packStacks.map(({path, costs}) =>
    ({path: [...path].reverse(), costs})), 1);
  const shown = await boxes(page);
  delete shown[''];
  assert.ok(Object.keys(shown).length > 100);
  for (const [path, value] of Object.entries(shown))
    if (!/ more$/.test(path))
      assert.equal(value, expected[path], path);
  assert.match(page.url(), /view=leaves/);
  await clickBox(page, 'crc32_update');
  assert.match(await text(page, '#path'), /^all\s*crc32_update$/);
  await shoot(page, 'inverted');
});

test('a click zooms; the path, Escape, 0 and Back lead out', async () => {
  const page = await open('pack');
  const whole = await widthOf(page, 'all');
  await clickBox(page, 'deflate_slow');
  assert.equal(await widthOf(page, 'deflate_slow'), whole);
  assert.equal(await text(page, '#detail-title'), 'deflate_slow');
  // The chosen function has a frame.
  const {x, y} = await placeOfBox(page, 'deflate_slow');
  const [inside, edge] = await pixels(page, [[x, y], [x - whole / 2, y]]);
  assert.ok(inside[0] > 120 && edge[0] < 60, `${inside} ${edge}`);
  assert.deepEqual((await text(page, '#path')).split('\n'), ['all', '_start',
    '__libc_start_main', 'main',
    'pack_file(std::string const &, options const &)', 'deflate_slow']);
  await clickBox(page, 'fill_window');
  assert.equal(await widthOf(page, 'fill_window'), whole);
  const url = page.url();
  await page.keyboard.press('Escape');
  assert.equal(await widthOf(page, 'deflate_slow'), whole);
  await page.keyboard.press('Backspace');
  assert.equal(await widthOf(page, 'all'), whole);
  await page.goBack();
  assert.equal(await widthOf(page, 'deflate_slow'), whole);
  await page.locator('#path a, #path button', {hasText: 'main'}).last().click();
  assert.equal(await widthOf(page, 'main'), whole);
  await page.keyboard.press('0');
  assert.equal(await widthOf(page, 'all'), whole);
  const other = await open('pack', new URL(url).hash);
  assert.equal(await widthOf(other, 'fill_window'), whole);
  assert.equal(await text(other, '#detail-title'), 'fill_window');
  // Where it was zoomed before is no place in the other tree.
  await clickBox(page, 'main');
  await clickBox(page, 'deflate_slow');
  await page.evaluate(() => { location.hash = '#view=leaves&zoom=9.4'; });
  await settle(page);
  assert.match(await text(page, '#path'), /crc32_update/);
  await page.keyboard.press('Escape');
  assert.equal(await text(page, '#path'), 'all');
});

test('a pointer on a box shows what it is', async () => {
  const page = await open('pack');
  const {x, y} = await placeOfBox(page, 'compress_block');
  await page.mouse.move(x, y);
  const cost = sum(packStacks, 0, contains('compress_block'));
  const shown = await text(page, '#tooltip');
  assert.ok(shown.startsWith('compress_block\n'));
  const percent = share(cost, sum(packStacks, 0));
  assert.ok(shown.includes(`\nIr: ${grouped(cost)} (${percent})\n`), shown);
  const self = sum(packStacks, 0, endsIn('compress_block'));
  assert.ok(shown.includes(`\nself: ${grouped(self)} (`), shown);
  assert.ok((await text(page, '#status')).includes(grouped(cost)));
  assert.equal(await attribute(page, '#status', 'aria-live'), 'off');
  await page.mouse.move(x, 5);
  assert.ok(await page.locator('#tooltip').isHidden());
});

test('search by text and by regular expression', async () => {
  const page = await open('pack');
  const search = page.locator('#search');
  for (const [typed, matches] of [
    ['ALLOC', name => /alloc/i.test(name)],
    ['/^(read|write)$/', name => /^(read|write)$/.test(name)],
    ['/STRCMP/i', name => name === 'strcmp'],
    ['/[(]/', name => name.includes('(')],
  ]) {
    await search.fill(typed);
    // A file or an object may match, too.
    const hits = packed.functions.filter(names => names.some(matches))
      .map(([name]) => name);
    const cost = sum(packStacks, 0,
      path => path.some(name => hits.includes(name)));
    assert.equal(await text(page, '#matched'),
      `${share(cost, sum(packStacks, 0))} of Ir, ` +
      `${hits.length} function${hits.length === 1 ? '' : 's'}`);
    const rows = await tableRows(page);
    assert.deepEqual(rows.map(row => row.at(-1)).sort(), [...hits].sort());
  }
  await search.fill('crc32_update');
  // What does not match is gray.
  const points = [];
  for (const name of ['crc32_update', 'longest_match']) {
    const {x, y, width} = await placeOfBox(page, name);
    points.push([x + width / 2 - 4, y]);
  }
  const spread = (await pixels(page, points)).map(([r, g, b]) =>
    Math.max(r, g, b) - Math.min(r, g, b));
  assert.ok(spread[0] > 20 && spread[1] < 8, String(spread));
  await shoot(page, 'search');
  await search.fill('/(/');
  assert.match(await text(page, '#matched'), /regular expression/i);
  assert.equal((await tableRows(page)).length, packed.functions.length);
  await search.fill('');
  assert.equal(await text(page, '#matched'), '');
  const linked = await open('pack', '#search=malloc');
  assert.equal(await linked.locator('#search').inputValue(), 'malloc');
  assert.match(await text(linked, '#list-count'), /^\d of 34$/);
});

test('a click on the head of a column sorts', async () => {
  const page = await open('pack');
  for (const [column, label] of ['Self', 'Inclusive', 'Calls'].entries())
    for (const direction of ['descending', 'ascending']) {
      // The table is sorted by Self when the page opens.
      if (label !== 'Self' || direction !== 'descending')
        await page.locator('#grid th button', {hasText: label}).click();
      assert.equal(direction, await page.locator('#grid th').nth(column)
        .getAttribute('aria-sort'));
      const values = (await tableRows(page)).map(row => numberOf(row[column]));
      const sorted = [...values].sort((a, b) => a - b);
      assert.deepEqual(values,
        direction === 'ascending' ? sorted : sorted.reverse());
    }
  await page.locator('#grid th button', {hasText: 'Function'}).click();
  const names = (await tableRows(page)).map(row => row.at(-1));
  assert.equal(names.indexOf('free') + 1, names.indexOf('longest_match'));
  assert.match(page.url(), /sort=name/);
});

test('callers and callees have the sums, and lead there', async () => {
  const page = await open('pack');
  const calls = (from, to) => path =>
    path.some((name, i) => name === from && path[i + 1] === to);
  const names = packed.functions.map(([name]) => name);
  for (const chosen of ['free', '__memcpy_avx_unaligned_erms',
    'msort_with_tmp', 'main']) {
    await page.evaluate(f => choose(f), names.indexOf(chosen));
    for (const [list, path] of [['callers', other => calls(other, chosen)],
      ['callees', other => calls(chosen, other)]]) {
      const shown = await page.locator(`#${list} tbody tr`)
        .evaluateAll(rows => rows.map(row =>
          ['.value', '.percent', 'a'].map(part =>
            row.querySelector(part).textContent)));
      const expected = names.filter(other =>
        packStacks.some(stack => path(other)(stack.path)));
      assert.deepEqual(shown.map(cells => cells[2]).sort(), expected.sort());
      for (const [cost, percent, name] of shown) {
        assert.equal(numberOf(cost), sum(packStacks, 0, path(name)), name);
        assert.equal(percent, share(numberOf(cost),
          sum(packStacks, 0, contains(chosen))));
      }
    }
  }
  await page.locator('#callees a', {hasText: 'walk_tree'}).click();
  assert.match(await text(page, '#detail-title'), /^walk_tree/);
  assert.equal(await focused(page), 'detail-title');
  await page.locator('#callers a').click();
  assert.equal(await text(page, '#detail-title'), 'main');
  assert.match(await text(page, '#rows tr[aria-selected="true"]'), /main/);
});

test('source lines with costs, and lines alone', async () => {
  const page = await open('pack');
  const f = packed.functions.findIndex(([name]) => name === 'longest_match');
  await page.evaluate(f => choose(f), f);
  assert.equal(await text(page, '#lines-title'), 'Source');
  const rows = await page.locator('#lines tbody tr')
    .evaluateAll(rows => rows.map(row => [...row.cells].map(cell =>
      (cell.querySelector('.value') || cell).textContent)));
  const source = packed.sources[0].lines;
  let self = 0;
  for (const [line, cost, , code] of rows) {
    assert.equal(code, source[line - 1]);
    self += cost ? numberOf(cost) : 0;
  }
  assert.equal(self, sum(packStacks, 0, endsIn('longest_match')));
  await shoot(page, 'function');
  await page.evaluate(f => choose(f), 2);
  assert.equal(await text(page, '#lines-title'), 'Lines');
  assert.equal(await page.locator('#lines tbody tr').count(), 3);
});

test('all by keyboard', async () => {
  const page = await open('pack');
  // Every stop of the Tab key is seen, and all parts can be reached.
  const stops = [];
  for (let i = 0; i < 40 && !stops.includes('body'); i++) {
    await page.keyboard.press('Tab');
    const stop = await page.evaluate(() => {
      const at = document.activeElement;
      const row = document.querySelector('tr.cursor');
      const frame = [at, at.nextElementSibling, row]
        .some(e => e && getComputedStyle(e).outlineStyle === 'solid');
      return at === document.body ? ['body', true]
        : [at.id || at.name || at.textContent, frame];
    });
    stops.push(stop[0]);
    assert.ok(stop[1], `${stop[0]} has no frame`);
  }
  const order = ['theme', 'help-open', 'event', 'search', 'view', 'flame',
    'grid'];
  assert.deepEqual(stops.filter(stop => order.includes(stop)), order);
  // The flame graph.
  await page.focus('#search');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  assert.equal(await focused(page), 'flame');
  const down = ['_start', '__libc_start_main', 'main'];
  for (const name of down) {
    await page.keyboard.press('ArrowDown');
    assert.equal(await current(page), name);
    assert.ok((await text(page, '#status')).startsWith(name));
  }
  assert.equal(await attribute(page, '#status', 'aria-live'), 'polite');
  await page.keyboard.press('ArrowRight');
  assert.equal(await current(page), 'do_lookup_x');
  await page.keyboard.press('ArrowUp');
  assert.equal(await current(page), '_dl_relocate_object');
  await page.keyboard.press('Home');
  assert.equal(await current(page), '__libc_start_main');
  await page.keyboard.press('End');
  assert.equal(await current(page), '_dl_map_object');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Enter');
  assert.equal(await text(page, '#detail-title'), '_dl_relocate_object');
  assert.match(await text(page, '#path'), /_dl_relocate_object$/);
  await page.keyboard.press('Escape');
  assert.equal(await text(page, '#path'), 'all');
  assert.equal(await current(page), '_dl_relocate_object');
  // The table.
  await page.focus('#grid');
  const active = () => page.evaluate(() => {
    const grid = document.getElementById('grid');
    const id = grid.getAttribute('aria-activedescendant');
    return document.getElementById(id).innerText;
  });
  await page.keyboard.press('End');
  assert.match(await active(), /\bread\b/);
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('PageDown');
  await page.keyboard.press('PageUp');
  assert.match(await active(), /deflate_slow/);
  await page.keyboard.press('Enter');
  assert.equal(await text(page, '#detail-title'), 'deflate_slow');
  await shoot(page, 'table');
  // Keys of the whole page.
  await page.keyboard.press('i');
  assert.match(page.url(), /view=leaves/);
  await page.keyboard.press('i');
  await page.keyboard.press('e');
  assert.match(page.url(), /event=Dr/);
  await page.keyboard.press('/');
  assert.equal(await focused(page), 'search');
  await page.keyboard.type('i?e0');
  assert.equal(await page.locator('#search').inputValue(), 'i?e0');
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('#search').inputValue(), '');
  assert.equal(await focused(page), 'search');
  await page.keyboard.press('Escape');
  assert.equal(await focused(page), 'flame');
  await page.keyboard.press('?');
  assert.ok(await page.locator('#help').isVisible());
  await shoot(page, 'help');
  await page.keyboard.press('Escape');
  assert.ok(await page.locator('#help').isHidden());
  assert.equal(await focused(page), 'flame');
});

// The least contrast of text with what is behind it.
const leastContrast = page => page.evaluate(() => {
  const pixel = document.createElement('canvas')
    .getContext('2d', {willReadFrequently: true});
  const rgb = color => {
    pixel.clearRect(0, 0, 1, 1);
    pixel.fillStyle = color;
    pixel.fillRect(0, 0, 1, 1);
    return [...pixel.getImageData(0, 0, 1, 1).data];
  };
  const luminance = color => {
    const [r, g, b] = rgb(color).map(v => v / 255)
      .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  let least = [99, ''];
  const look = (front, back, what) => {
    const found = contrast(front, back);
    if (found < least[0])
      least = [found, what];
  };
  const opaque = color => rgb(color)[3] === 255;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const variable = name =>
    getComputedStyle(document.documentElement).getPropertyValue(name);
  const backOf = holder => getComputedStyle(holder).backgroundColor;
  for (let node; (node = walker.nextNode());) {
    const holder = node.parentElement;
    if (!node.textContent.trim() || !holder.checkVisibility()
        || holder.closest('.unseen, script, style'))
      continue;
    let back = holder;
    while (back.parentElement && !opaque(backOf(back)))
      back = back.parentElement;
    const front = getComputedStyle(holder).color;
    const backs = holder.matches('.bar-of')
      ? [variable('--bar'), variable('--rest')] : [backOf(back)];
    for (const color of backs)
      look(front, color, node.textContent.slice(0, 40));
  }
  for (let f = 0; f < functionCount; f++)
    look(textColor(), functionColor(f), 'box of ' + functionName(f));
  for (let ratio = -1; ratio <= 1; ratio += 0.05)
    look(textColor(), changeColor(ratio), 'change ' + ratio);
  look(variable('--dim'), grayColor(), 'gray box');
  return least;
});

test('dark and light, by preference and by the switch', async () => {
  for (const name of ['pack', 'compared', 'large'])
    for (const colorScheme of ['light', 'dark']) {
      const page = await open(name, '', {colorScheme});
      const [least, where] = await leastContrast(page);
      assert.ok(least >= 4.5, `${name} ${colorScheme}: ${least} ${where}`);
      const back = () => page.evaluate(() =>
        getComputedStyle(document.body).backgroundColor);
      const before = await back();
      await page.click('#theme');
      await page.click('#theme');
      // Now dark.
      assert.equal(await back() === before, colorScheme === 'dark');
      await page.click('#theme');
      const other = colorScheme === 'dark' ? 'light' : 'dark';
      await page.emulateMedia({colorScheme: other});
      await settle(page);
      assert.notEqual(await back(), before);
    }
  await shoot(await open('pack', '', {colorScheme: 'dark'}), 'dark');
});

test('paper: light, without controls, at most 50 functions', async () => {
  const page = await open('large', '', {colorScheme: 'dark'});
  await page.emulateMedia({media: 'print'});
  await settle(page);
  assert.equal(await themeOf(page), 'light');
  for (const control of ['#search', '#theme', '#help-open', '.switch'])
    assert.ok(await page.locator(control).first().isHidden(), control);
  assert.equal(await page.locator('#rows tr').count(), 50);
  assert.ok(await page.locator('#canvas').isVisible());
  await page.emulateMedia({media: 'screen'});
  await settle(page);
  assert.equal(await themeOf(page), 'dark');
  assert.ok(await page.locator('#search').isVisible());
  const pdf = await page.pdf();
  assert.equal(pdf.subarray(0, 5).toString(), '%PDF-');
  const viewport = {width: 760, height: 1000};
  const printed = await open('pack', '', {viewport});
  await printed.emulateMedia({media: 'print'});
  await shoot(printed, 'print', {fullPage: true});
});

// What a name with controls is shown as.
const controls = '\u0085\u202e\u2066\u2069\u2028\u2029\ufeff\ud800';
const readable = name => [...name].map(c => {
  const code = c.codePointAt(0);
  const digits = code.toString(16).toUpperCase().padStart(4, '0');
  return code < 32 ? String.fromCodePoint(0x2400 + code)
    : code === 127 ? '\u2421'
    : controls.includes(c) ? `\u27e8U+${digits}\u27e9` : c;
}).join('') || '(unknown)';
const elementsOfNames = page => page.evaluate(() =>
  document.querySelectorAll('script, img, svg, iframe, object, b b, i').length);

test('names are never markup', async () => {
  const page = await open('hostile');
  const profile = made.hostile();
  assert.equal(await page.title(), profile.title);
  const content = selector => page.locator(selector).textContent();
  assert.equal(await content('#title'), profile.title);
  assert.equal(await content('#command'), readable(profile.command));
  assert.equal(await content('#about li'), profile.description[0]);
  assert.equal(await content('.event b'), '__proto__');
  assert.equal(await content('.event .title'), '<b>bold</b>');
  // The profile and the page's own.
  assert.equal(await elementsOfNames(page), 2);
  for (const [f, name] of fixtures.hostileNames.entries()) {
    await page.evaluate(f => choose(f), f);
    assert.equal(await content('#detail-title'), readable(name));
    const row = page.locator('#rows tr[aria-selected="true"] td.name');
    const shown = await row.evaluate(cell => cell.firstChild.textContent);
    assert.equal(shown, name.length > 300 ? name.slice(0, 300) + '\u2026'
      : readable(name));
    await page.locator('#search').fill(readable(name));
    assert.notEqual(await text(page, '#list-count'), '0 of 32');
    await page.locator('#search').fill('');
    const box = await page.evaluate(f => {
      for (const row of flame.rows)
        for (const b of row)
          if (boxFunction(b) === f) {
            tell(b, true);
            return boxName(b);
          }
    }, f);
    assert.equal(box, readable(name));
  }
  const {x, y} = await placeOfBox(page, 'ns::table');
  await page.mouse.move(x, y);
  assert.ok(await page.locator('#tooltip').isVisible());
  await page.mouse.click(x, y);
  await page.evaluate(() => choose(0));
  const lines = await page.locator('#lines td.source').allTextContents();
  assert.equal(lines[0], '</pre><script>alert(12)</script>');
  assert.equal(lines[2], '\t\u241b[2J');
  assert.equal(await elementsOfNames(page), 2);
  assert.equal(await widthOfPage(page), 1400);
  await shoot(page, 'hostile');
  for (const hash of [
    '#event=__proto__&function=__proto__&zoom=__proto__&sort=__proto__&view=x',
    '#function=99999999999&zoom=-1', '#zoom=1e9&view=leaves',
    '#zoom=31.31.31&view=leaves', '#%%%&=&search=/((/',
    '#<img src=x onerror=alert(1)>'])
    await open('hostile', hash);
});

test('the policy lets no other script run', async () => {
  const page = await open('pack');
  const ran = await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.ran = true';
    document.body.append(script);
    return Boolean(window.ran);
  });
  assert.equal(ran, false);
  assert.equal(problems.length, 1);
  assert.match(problems.pop(), /Content Security Policy/);
});

test('differences: columns, colors, signs and widths', async () => {
  const compared = fixtures.pack({compared: true});
  const after = stacksOf(compared);
  const before = stacksOf(compared, 'before');
  const page = await open('compared');
  const heads = await page.locator('#grid th').allInnerTexts();
  assert.deepEqual(heads.map(head => head.replace(/\s+/g, ' ')), [
    'Self before', 'Self after', 'Self change', 'Inclusive before',
    'Inclusive after', 'Inclusive change', 'Function']);
  for (const cells of await tableRows(page)) {
    const name = cells.at(-1);
    const three = matches => {
      const [from, to] = [sum(before, 0, matches), sum(after, 0, matches)];
      return [from, to, to - from];
    };
    assert.deepEqual(cells.slice(0, 6).map(numberOf),
      [...three(endsIn(name)), ...three(contains(name))], name);
  }
  const changed = await page.locator('.event').first().innerText();
  const total = sum(before, 0);
  assert.ok(changed.includes('+' + share(sum(after, 0) - total, total)));
  const colors = await page.evaluate(() =>
    [-1, -0.5, 0, 0.5, 1].map(changeColor));
  assert.equal(new Set(colors).size, 5);
  // The box of what costs less is hatched.
  for (const [name, hatched] of [['crc32_update', true], ['longest', false]]) {
    const {x, y} = await placeOfBox(page, name);
    const row = Array.from({length: 16}, (_, i) => [x + i, y + 7]);
    const shades = new Set((await pixels(page, row)).map(String));
    assert.equal(shades.size > 1, hatched, name);
  }
  assert.ok(await page.locator('#legend').isVisible());
  await shoot(page, 'difference');
  const wide = await widthOf(page, 'crc32_update');
  await page.getByRole('radio', {name: 'Width: before'}).click();
  assert.ok(await widthOf(page, 'crc32_update') > wide);
  assert.match(page.url(), /width=before/);
  const {x, y} = await placeOfBox(page, 'crc32_update');
  await page.mouse.move(x, y);
  assert.match(await text(page, '#tooltip'),
    /before: [\d,]+, change: \u2212[\d,]+ \(\u2212[\d.]+%\)/);
  const vector = page.locator('#rows tr[id]', {hasText: 'std::vector'});
  assert.match(await vector.innerText(), /new/);
  const f = compared.functions.findIndex(([name]) => name === 'crc32_update');
  await page.evaluate(f => choose(f), f);
  assert.deepEqual(await page.locator('#lines th').allInnerTexts(),
    ['Line', 'Self', 'Change', 'Calls', 'Change']);
  const changes = await page.locator('#lines tbody td:nth-child(3) .value')
    .allInnerTexts();
  assert.equal(changes.map(numberOf).reduce((a, b) => a + b),
    sum(after, 0, endsIn('crc32_update'))
      - sum(before, 0, endsIn('crc32_update')));
  const dark = await open('compared', '#view=leaves', {colorScheme: 'dark'});
  await shoot(dark, 'difference_dark');
});

test('an estimate is marked as one', async () => {
  const page = await open('estimated');
  assert.match(await text(page, '#exactness'), /estimated/i);
  await shoot(page, 'estimated');
});

test('a phone: no part is wider than the screen', async () => {
  for (const name of ['pack', 'compared', 'hostile', 'large']) {
    const page = await open(name, '', {viewport: {width: 360, height: 740},
      hasTouch: true, isMobile: true, deviceScaleFactor: 2});
    assert.equal(await widthOfPage(page), 360, name);
    const hidden = await page.evaluate(() =>
      grid.box.scrollWidth - grid.box.clientWidth);
    assert.equal(hidden, 0, name);
    const {x, y} = await page.evaluate(() => {
      document.getElementById('flame').scrollIntoView();
      const edge = flame.space.getBoundingClientRect();
      return {x: edge.left + 20, y: edge.top + 1.5 * flame.rowHeight};
    });
    await page.touchscreen.tap(x, y);
    assert.equal(await page.locator('#path li').count(), 2, name);
    if (name !== 'large')
      await shoot(page, 'phone_' + name, {fullPage: true});
  }
});

test('nothing, one deep stack, and negative costs', async () => {
  const empty = await open('empty');
  assert.equal(await text(empty, '#list-count'), '0');
  await empty.keyboard.press('i');
  await empty.locator('#search').fill('x');
  await empty.focus('#grid');
  await empty.keyboard.press('ArrowDown');
  await empty.keyboard.press('Enter');
  const deep = await open('deep');
  assert.equal(await deep.evaluate(() => flame.rows.length), 20001);
  await deep.focus('#flame');
  await deep.evaluate(() => { flame.box.scrollTop = 1e9; });
  await settle(deep);
  const {x, y} = await deep.evaluate(() => {
    const edge = flame.box.getBoundingClientRect();
    return {x: edge.left + 50, y: edge.bottom - 12};
  });
  assert.equal((await pixels(deep, [[x, y]]))[0][3], 255);
  await deep.mouse.click(x, y);
  assert.match(await text(deep, '#path'), /^all[^]*\u2026[^]*odd$/);
  assert.ok(await deep.locator('#path li').count() < 20);
  await deep.goto(deep.url().replace(/#.*/, '') + '#view=leaves');
  const signed = await open('signed');
  assert.match(await text(signed, '.event'), /0 bytes/);
  assert.equal(await widthOf(signed, 'allocate'),
    await widthOf(signed, 'release'));
  const rows = await tableRows(signed);
  assert.equal(numberOf(rows.find(row => row.at(-1) === 'release')[0]), -4096);
});

test('10,000 functions, 1,000,000 edges and 200,000 nodes open', async () => {
  const path = fileOf('large', made.large);
  const page = await open('large');
  await settle(page);
  const opened = await page.evaluate(() => performance.now());
  assert.equal(await text(page, '#list-count'), '10,000');
  assert.ok(await page.locator('#rows tr').count() < 100);
  assert.match(await text(page, '#callers-title'), /^Callers \(\d+\)$/);
  // What is drawn when it scrolls is what is drawn anew.
  const drawings = await page.evaluate(async () => {
    const urls = [flame.canvas.toDataURL()];
    flame.box.scrollTop = 100;
    await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
    urls.push(flame.canvas.toDataURL());
    draw();
    return [...urls, flame.canvas.toDataURL()];
  });
  assert.notEqual(drawings[0], drawings[1]);
  assert.equal(drawings[1], drawings[2]);
  const times = await page.evaluate(() => {
    const time = run => {
      const from = performance.now();
      run();
      return performance.now() - from;
    };
    const box = flame.rows[10][0];
    return {
      zoom: time(() => openBox(box)),
      out: time(() => zoomBack()),
      invert: time(() => change({view: 'leaves', zoom: ''})),
      search: time(() => change({search: 'method_9'})),
      event: time(() => change({event: 1, search: ''})),
      sort: time(() => change({sort: 'name', descending: false})),
    };
  });
  console.log(`# figure page_bytes ${statSync(path).size}`);
  console.log(`# figure page_open_ms ${Math.round(opened)}`);
  for (const [name, value] of Object.entries(times))
    console.log(`# figure page_${name}_ms ${Math.round(value)}`);
  await page.keyboard.press('End');
  await page.focus('#grid');
  await page.keyboard.press('End');
  const last = await attribute(page, '#rows tr.cursor', 'aria-rowindex');
  assert.equal(last, '10001');
});

browser = await chromium.launch({executablePath: process.env.CHROMIUM,
  args: ['--no-sandbox', '--disable-dev-shm-usage']});
await runTests();
await browser.close();
