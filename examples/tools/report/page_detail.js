// page_detail.js - the chosen function: costs, callers, callees, source lines.
// SPDX-License-Identifier: MIT
'use strict';

const byCaller = once(() => grouping(edges.caller, functionCount));
const byCallee = once(() => grouping(edges.callee, functionCount));
const byFunction = once(() => grouping(profile.lines.function, functionCount));
const fewRows = 25;
const fewLines = 300;

function headRow(...labels) {
  const row = element('tr');
  for (const label of labels) {
    const head = element('th', '', label);
    head.scope = 'col';
    row.append(head);
  }
  return element('thead', '', row);
}

function functionLink(f) {
  const link = element('a', 'link mono', shortened(functionName(f)));
  link.href = '#function=' + f;
  link.dataset.function = f;
  return link;
}

// A table of which the first rows are made, with a button for more.
function longTable(box, head, count, few, makeRow) {
  const body = element('tbody');
  const more = element('button', 'again');
  more.type = 'button';
  const addRows = n => {
    const from = body.childElementCount;
    const to = Math.min(count, from + n);
    for (let i = from; i < to; i++)
      body.append(makeRow(i));
    more.hidden = to === count;
    more.textContent = `Show ${number(Math.min(count - to, 500))} more of ` +
      number(count);
  };
  more.addEventListener('click', () => addRows(500));
  addRows(few);
  box.append(element('table', '', head, body), more);
}

// The callers or callees: of these functions the edges of the chosen one are.
function renderEdges(id, label, indexes, others) {
  const costs = edges.cost[state.event];
  const before = compared ? edges.costBefore[state.event] : null;
  const whole = functions.inclusive[state.event][state.chosen];
  const list = Array.from(indexes)
    .sort((a, b) => costs[b] - costs[a] || edges.calls[b] - edges.calls[a]);
  byId(id + '-title').textContent = `${label} (${number(list.length)})`;
  const box = byId(id);
  box.replaceChildren();
  if (!list.length) {
    box.append(element('p', 'dim', 'none'));
    return;
  }
  const head = ['Cost, share', ...(compared ? ['Change'] : []),
    ...(hasCalls ? ['Calls'] : []), label.slice(0, -1)];
  longTable(box, headRow(...head), list.length, fewRows, i => {
    const edge = list[i];
    const other = others[edge];
    const row = element('tr', '', numberCell(costs[edge], whole));
    if (compared)
      row.append(changeCell(costs[edge], before[edge]));
    if (hasCalls)
      row.append(numberCell(edges.calls[edge]));
    const cell = nameCell(other, functionLink(other));
    if (other === state.chosen)
      cell.append(' ', element('span', 'dim', 'recursion'));
    row.append(cell);
    return row;
  });
}

// ---- Lines

const lineCosts = compared ? ['self', 'selfBefore', 'calls', 'callsBefore']
  : ['self', 'calls'];

// The text of the lines of a file, as far as there are excerpts: by number.
const sourcesOf = once(() => {
  const files = new Map();
  for (const {file, first, lines} of profile.sources) {
    if (!files.has(file))
      files.set(file, new Map());
    lines.forEach((line, i) => files.get(file).set(first + i, line));
  }
  return files;
});

// What to show of a file: lines with costs, and around them three of the text.
function linesToShow(costs, text) {
  const shown = new Set(costs.keys());
  if (text)
    for (const line of costs.keys())
      for (let n = line - 3; n <= line + 3; n++)
        if (text.has(n))
          shown.add(n);
  const sorted = [...shown].sort((a, b) => a - b);
  // A hole between texts is a line of its own.
  return sorted.flatMap((line, i) =>
    text && i > 0 && line > sorted[i - 1] + 1 ? [null, line] : [line]);
}

function renderLines() {
  const {lines} = profile;
  const box = byId('lines');
  const files = new Map();
  for (const i of byFunction().of(state.chosen)) {
    if (!files.has(lines.file[i]))
      files.set(lines.file[i], new Map());
    const costs = files.get(lines.file[i]);
    const sum = costs.get(lines.line[i]) || {};
    for (const kind of lineCosts)
      sum[kind] = (sum[kind] || 0) + lines[kind][state.event][i];
    costs.set(lines.line[i], sum);
  }
  box.replaceChildren();
  byId('lines-title').textContent =
    [...files.keys()].some(file => sourcesOf().has(file)) ? 'Source' : 'Lines';
  if (!files.size)
    box.append(element('p', 'dim', 'no costs of lines'));
  for (const [file, costs] of files) {
    const text = sourcesOf().get(file);
    const shown = linesToShow(costs, text);
    box.append(element('p', 'dim mono', shortened(nameOf(file), 2000)));
    const change = compared ? ['Change'] : [];
    const head = ['Line', 'Self', ...change, 'Calls', ...change,
      ...(text ? ['Source'] : [])];
    longTable(box, headRow(...head), shown.length, fewLines,
      i => lineRow(shown[i], costs.get(shown[i]), text));
  }
}

function lineRow(line, cost, text) {
  if (line === null) {
    const gap = element('td', '', '\u22ef');
    gap.colSpan = lineCosts.length + 2;
    return element('tr', 'gap', gap);
  }
  const total = functions.inclusive[state.event][state.chosen];
  const row = element('tr', '', element('td', 'number at', line || '?'));
  for (const kind of ['self', 'calls']) {
    const after = cost?.[kind];
    const before = cost?.[kind + 'Before'];
    row.append(after ? numberCell(after, total) : element('td'));
    if (compared)
      row.append(after === before ? element('td') : changeCell(after, before));
  }
  if (text)
    row.append(element('td', 'source mono', sourceText(text.get(line))));
  return row;
}

// Tabs of a source are no control characters.
function sourceText(line) {
  return line === undefined ? ''
    : shortened(line.split('\t').map(visible).join('\t'), 1000);
}

// ---- All of it

function renderCosts() {
  const f = state.chosen;
  const e = state.event;
  const {total} = events[e];
  const body = element('tbody');
  for (const [id, label] of [['self', 'Self'], ['inclusive', 'Inclusive']]) {
    const head = element('th', '', label);
    head.scope = 'row';
    const after = functions[id][e][f];
    const row = element('tr', '', head, numberCell(after, total));
    if (compared) {
      const before = functions[id + 'Before'][e][f];
      row.append(numberCell(before), changeCell(after, before));
    }
    body.append(row);
  }
  byId('detail-costs').replaceChildren(element('table', '',
    compared ? headRow('', 'After', 'Before', 'Change') : '', body));
}

function renderDetail() {
  const f = state.chosen;
  const section = byId('detail');
  section.hidden = f < 0;
  if (f < 0)
    return;
  const calls = functions.calls[f];
  byId('detail-title').textContent = functionName(f);
  byId('detail-place').textContent = [
    functions.file[f] && nameOf(functions.file[f]),
    functions.object[f] && nameOf(functions.object[f]),
    calls > 0 && `called ${number(calls)} ${calls === 1 ? 'time' : 'times'}`,
  ].filter(Boolean).join(' \u00b7 ');
  renderCosts();
  renderEdges('callers', 'Callers', byCallee().of(f), edges.caller);
  renderEdges('callees', 'Callees', byCaller().of(f), edges.callee);
  renderLines();
  byId('detail-box').scrollTop = 0;
}

function startDetail() {
  byId('detail').addEventListener('click', event => {
    const chosen = event.target.closest('a')?.dataset.function;
    // With a key that opens it elsewhere, it is a link as any.
    if (chosen === undefined
        || event.ctrlKey || event.metaKey || event.shiftKey)
      return;
    event.preventDefault();
    choose(Number(chosen));
    // The link is gone.
    byId('detail-title').focus();
  });
}
