// page_flame.js - the flame graph: boxes on a canvas, of which only the rows
// that are seen are drawn.  SPDX-License-Identifier: MIT
'use strict';

const flame = {
  box: byId('flame'), space: byId('flame-space'), canvas: byId('canvas'),
  rowHeight: matchMedia('(pointer: coarse)').matches ? 26 : 18,
  rows: [],
  zooms: [], // where Escape goes back to
};
const flameFont = '12px ui-monospace, "SF Mono", "DejaVu Sans Mono", Menlo, ' +
  'Consolas, monospace';
const narrowest = 1; // pixels
const printedWidth = 1040;
const printedDepth = 80;

// ---- Boxes

// The rows of boxes below a node.  What is narrower than a pixel is not
// visited; such siblings, which come last, are one box together, whose node is
// -1.
function layout(view, zoom, width) {
  const rows = [];
  const scale = width / view.weight[zoom];
  let row = scale < Infinity ? [{node: zoom, x: 0, width, parent: null}] : [];
  while (row.length) {
    rows.push(row);
    const below = [];
    for (const box of row) {
      const kids = box.node < 0 ? [] : view.children(box.node);
      let {x} = box;
      let i = 0;
      for (; i < kids.length; i++) {
        const kidWidth = view.weight[kids[i]] * scale;
        if (kidWidth < narrowest)
          break;
        below.push({node: kids[i], x, width: kidWidth, parent: box});
        x += kidWidth;
      }
      if (i === kids.length)
        continue;
      const rest = kids.slice(i);
      const weight = rest.reduce((sum, kid) => sum + view.weight[kid], 0);
      if (weight * scale >= narrowest)
        below.push({node: -1, x, width: weight * scale, parent: box, rest});
    }
    row = below;
  }
  return rows;
}

const boxFunction = box => box.node < 0 ? -1 : flame.view.functionOf(box.node);

function boxName(box) {
  const f = boxFunction(box);
  return box.node < 0 ? `${number(box.rest.length)} more`
    : f < 0 ? 'all' : functionName(f);
}

// A value of a box: of all boxes that are one, together.
const boxSum = (box, values) => box.node < 0
  ? box.rest.reduce((sum, node) => sum + values[node], 0) : values[box.node];

// ---- Colors

// FNV-1a: a function keeps its color from one profile to the next.
function hash(text) {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++)
    h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h ^= h >>> 15;
  return (Math.imul(h, 0x2c1b3c6d) >>> 8) % 1000 / 1000;
}

const color = (lightness, chroma, hue) =>
  `oklch(${lightness.toFixed(3)} ${chroma.toFixed(3)} ${hue.toFixed(0)})`;

// An object is a hue, its files are near that hue, and functions differ in
// lightness.
let functionColors = [];
function functionColor(f) {
  return functionColors[f] ??= (() => {
    const object = profile.names[functions.object[f]];
    const file = profile.names[functions.file[f]];
    const lightness = (isDark() ? 0.36 : 0.85) +
      0.06 * (hash(profile.names[functions.name[f]]) - 0.5);
    if (!object && !file)
      return color(lightness, 0.01, 250);
    return color(lightness, 0.065,
      (360 * hash(object || file) + 80 * (hash(file) - 0.5) + 360) % 360);
  })();
}

// A change relative to before: -1 and less is the strongest blue, 1 and more
// the strongest orange.
const changeRatio = (after, before) => after === before ? 0
  : before ? (after - before) / Math.abs(before) : Math.sign(after);

function changeColor(ratio) {
  const strength = Math.sqrt(Math.min(1, Math.abs(ratio)));
  const hue = ratio > 0 ? 58 : 250;
  return isDark() ? color(0.33 + 0.13 * strength, 0.11 * strength, hue)
    : color(0.93 - 0.17 * strength, 0.13 * strength, hue);
}

const grayColor = () => color(isDark() ? 0.29 : 0.92, 0.004, 250);
const textColor = () => isDark() ? '#f2f4f5' : '#14171a';

const hatchColor = () =>
  isDark() ? 'rgb(255 255 255 / .2)' : 'rgb(0 0 0 / .16)';

// Lines on what costs less than before, which not all can tell by its color.
function hatching(context) {
  const tile = document.createElement('canvas');
  tile.width = tile.height = 8;
  const pen = tile.getContext('2d');
  pen.strokeStyle = hatchColor();
  for (const x of [-8, 0, 8]) {
    pen.moveTo(x, 8);
    pen.lineTo(x + 8, 0);
  }
  pen.stroke();
  return context.createPattern(tile, 'repeat');
}

// ---- Drawing

// As much of a text as there is room for.  Letters of ASCII are equally wide.
function fitting(context, text, room, letter) {
  const most = Math.floor(room / letter);
  if (most < 2)
    return '';
  const cut = n => n >= text.length ? text : text.slice(0, n - 1) + '\u2026';
  let n = Math.min(most, text.length);
  while (n > 1 && /[^ -~\u2026]/.test(cut(n))
         && context.measureText(cut(n)).width > room)
    n--;
  return n > 1 ? cut(n) : '';
}

function drawBox(context, pens, box, y) {
  const {view, rowHeight} = flame;
  const f = boxFunction(box);
  const dimmed = found?.functions && f >= 0 && !found.functions[f];
  const gap = box.width > 3 ? 1 : 0;
  const width = box.width - gap;
  const height = rowHeight - 1;
  let label = boxName(box);
  let ratio = 0;
  if (compared && box.node >= 0)
    ratio = changeRatio(view.value[box.node], view.before[box.node]);
  if (f < 0 || dimmed)
    context.fillStyle = grayColor();
  else
    context.fillStyle = compared ? changeColor(ratio) : functionColor(f);
  context.fillRect(box.x, y, width, height);
  if (box.node < 0 || (ratio < 0 && !dimmed)) {
    context.fillStyle = pens.hatching;
    context.fillRect(box.x, y, width, height);
  }
  if (found?.functions && f >= 0 && !dimmed && gap) {
    context.fillStyle = pens.accent;
    context.fillRect(box.x, y + height - 3, width, 3);
  }
  if (f >= 0 && f === state.chosen && gap) {
    context.strokeStyle = textColor();
    context.strokeRect(box.x + 0.5, y + 0.5, width - 1, height - 1);
  }
  if (ratio) {
    const change = changeInPercent(view.value[box.node],
      view.before[box.node], whole);
    // Where a number would be cut, its sign is left.
    label = (width - 8 > pens.letter * (change.length + 3) ? change + ' '
      : ratio > 0 ? '+' : '\u2212') + label;
  }
  const text = fitting(context, label, width - 8, pens.letter);
  if (text) {
    context.fillStyle = dimmed || box.node < 0 ? pens.dim : textColor();
    context.fillText(text, box.x + 4, y + height / 2 + 0.5);
  }
}

function draw() {
  const {box, canvas, rows, rowHeight, width} = flame;
  const height = printing ? Math.min(rows.length, printedDepth) * rowHeight
    : box.clientHeight;
  const top = printing ? 0 : box.scrollTop;
  const density = printing ? 2 : devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(width * density));
  canvas.height = Math.max(1, Math.round(height * density));
  canvas.style.width = width + 'px';
  canvas.style.height = height + 'px';
  const context = canvas.getContext('2d');
  context.scale(density, density);
  context.font = flameFont;
  context.textBaseline = 'middle';
  context.direction = 'ltr';
  const style = getComputedStyle(document.documentElement);
  const pens = {
    hatching: hatching(context),
    letter: context.measureText('M').width,
    accent: style.getPropertyValue('--accent'),
    dim: style.getPropertyValue('--dim'),
  };
  const end = Math.min(rows.length, Math.ceil((top + height) / rowHeight));
  for (let i = Math.floor(top / rowHeight); i < end; i++)
    for (const box of rows[i])
      drawBox(context, pens, box, i * rowHeight - top);
  if (!rows.length) {
    context.fillStyle = pens.dim;
    context.fillText(flame.calls.count ? 'Nothing of this event.'
      : 'This profile has no calls.', 8, 16);
  }
}

// Puts one of the two frames around a box.
function frame(id, row, box) {
  const shown = byId(id);
  shown.hidden = !box;
  if (!box)
    return;
  shown.style.left = box.x + 'px';
  shown.style.top = row * flame.rowHeight + 'px';
  shown.style.width = Math.max(2, box.width) + 'px';
  shown.style.height = flame.rowHeight - 1 + 'px';
}

function renderPath() {
  const path = byId('path');
  const {view} = flame;
  const nodes = [];
  for (let node = flame.zoom; node >= 0; node = view.parentOf(node))
    nodes.unshift(node);
  const items = nodes.map((node, i) => {
    const f = view.functionOf(node);
    const name = f < 0 ? 'all' : shortened(functionName(f), 100);
    if (i === nodes.length - 1) {
      const last = element('span', 'mono', name);
      last.setAttribute('aria-current', 'location');
      return element('li', '', last);
    }
    const link = element('button', 'link mono', name);
    link.type = 'button';
    link.addEventListener('click', () => {
      zoomTo(node);
      flame.box.focus();
    });
    return element('li', '', link);
  });
  // The middle of a deep path is left out.
  if (items.length > 14)
    items.splice(5, items.length - 11, element('li', 'dim', '\u2026'));
  path.replaceChildren(...items);
}

// Lays boxes out for the width that there is now.  The current box stays, if it
// can be seen.
function renderFlame() {
  flame.width = printing ? printedWidth : Math.max(100, flame.box.clientWidth);
  flame.rows = layout(flame.view, flame.zoom, flame.width);
  const height = Math.max(1, flame.rows.length) * flame.rowHeight;
  flame.space.style.height = height + 'px';
  const node = flame.current?.node;
  const same = box => box.node === node && node >= 0;
  flame.row = Math.max(0, flame.rows.findIndex(boxes => boxes.some(same)));
  flame.current = flame.rows[flame.row]?.find(same) || flame.rows[0]?.[0];
  leave();
  frame('cursor', 0, null);
  if (flame.box.matches(':focus-visible'))
    moveTo(flame.row, flame.current);
}

// The graph is as high as its rows, if these are few.
function fitFlame() {
  const {box, view, rowHeight} = flame;
  const rows = Math.max(5, layout(view, view.root, box.clientWidth).length);
  const most = Math.max(160, 0.4 * innerHeight);
  box.style.height = Math.round(Math.min(most, rows * rowHeight + 2)) + 'px';
}

// ---- What a box is, in words

function describe(box) {
  const {view} = flame;
  const {unit, total, name} = events[state.event];
  const f = boxFunction(box);
  const value = boxSum(box, view.value);
  const share = v => `${amount(v, unit)} (${percent(v, total)})`;
  const lines = [`${visible(name)}: ${share(value)}`];
  if (box.node >= 0 && f >= 0 && view.ownOf(box.node) !== value)
    lines.push(`self: ${share(view.ownOf(box.node))}`);
  if (compared) {
    const before = boxSum(box, view.before);
    lines.push(`before: ${amount(before, unit)}, change: ` +
      `${signed(value - before)} (${changeInPercent(value, before)})`);
  }
  if (f >= 0)
    for (const index of [functions.file[f], functions.object[f]])
      if (index)
        lines.push(shortened(nameOf(index)));
  const hint = box.node < 0 ? ', too narrow to see' : '';
  return {name: boxName(box) + hint, lines};
}

// Says it in the line below the graph: aloud, unless the pointer moved there.
function tell(box, aloud) {
  const {name, lines} = describe(box);
  const status = byId('status');
  status.ariaLive = aloud ? 'polite' : 'off';
  status.textContent = [shortened(name), ...lines].join(' \u00b7 ');
}

function showTooltip(box, event) {
  const tooltip = byId('tooltip');
  const {name, lines} = describe(box);
  tooltip.replaceChildren(element('b', '', shortened(name, 1000)),
    lines.join('\n'));
  tooltip.hidden = false;
  const {width, height} = tooltip.getBoundingClientRect();
  const left = Math.min(event.clientX + 14, innerWidth - width - 6);
  const below = event.clientY + 18;
  tooltip.style.left = Math.max(4, left) + 'px';
  tooltip.style.top = Math.max(4, below + height > innerHeight - 4
    ? event.clientY - height - 10 : below) + 'px';
}

// ---- Pointer and keys

function boxAt(event) {
  const edge = flame.space.getBoundingClientRect();
  const x = event.clientX - edge.left;
  const row = Math.floor((event.clientY - edge.top) / flame.rowHeight);
  const boxes = flame.rows[row] || [];
  let low = 0;
  let high = boxes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (boxes[middle].x + boxes[middle].width <= x)
      low = middle + 1;
    else
      high = middle;
  }
  return {row, box: boxes[low] && boxes[low].x <= x ? boxes[low] : null};
}

function hover(event) {
  const {row, box} = boxAt(event);
  if (box && event.pointerType !== 'touch')
    showTooltip(box, event);
  else
    byId('tooltip').hidden = true;
  if (box === flame.hovered)
    return;
  flame.hovered = box;
  frame('hover', row, box);
  if (box)
    tell(box, false);
}

function leave() {
  flame.hovered = null;
  byId('tooltip').hidden = true;
  frame('hover', 0, null);
}

// What is too narrow to see may be seen where its parent is all there is.
function openBox(box) {
  const node = box.node < 0 ? box.parent.node : box.node;
  const f = flame.view.functionOf(node);
  zoomTo(node, f < 0 ? {} : {chosen: f});
}

function zoomTo(node, changes = {}) {
  const zoom = flame.view.key(node);
  if (zoom !== state.zoom)
    flame.zooms.push(state.zoom);
  change({zoom, ...changes});
}

function zoomBack() {
  if (state.zoom)
    change({zoom: flame.zooms.pop() ?? ''});
}

function moveTo(row, box) {
  if (!box)
    return;
  flame.row = row;
  flame.current = box;
  frame('cursor', row, box);
  const y = row * flame.rowHeight;
  const room = flame.box.clientHeight - flame.rowHeight;
  if (y < flame.box.scrollTop)
    flame.box.scrollTop = y;
  else if (y > flame.box.scrollTop + room)
    flame.box.scrollTop = y - room;
  tell(box, true);
}

function flameKey(event) {
  const {row, current, rows} = flame;
  if (!current)
    return;
  const boxes = rows[row];
  const at = boxes.indexOf(current);
  switch (event.key) {
    case 'ArrowLeft': moveTo(row, boxes[at - 1]); break;
    case 'ArrowRight': moveTo(row, boxes[at + 1]); break;
    case 'ArrowUp': moveTo(row - 1, current.parent); break;
    case 'ArrowDown':
      moveTo(row + 1, rows[row + 1]?.find(box => box.parent === current));
      break;
    case 'Home': moveTo(row, boxes[0]); break;
    case 'End': moveTo(row, boxes.at(-1)); break;
    case 'Enter':
    case ' ': openBox(current); break;
    default: return;
  }
  event.preventDefault();
}

// ---- The rest of its section

function renderLegend() {
  byId('legend').hidden = !compared;
  if (compared)
    byId('scale').replaceChildren(...[-1, -0.1, 0, 0.1, 1].map(ratio => {
      const label = ratio ? signed(100 * ratio) + '%' : '=';
      const part = element('span', 'mono', label);
      part.style.backgroundColor = changeColor(ratio);
      if (ratio < 0)
        part.style.backgroundImage = 'repeating-linear-gradient(-45deg, ' +
          `${hatchColor()} 0 1px, transparent 1px 5.6px)`;
      return part;
    }));
}

function startFlame() {
  const {box} = flame;
  flame.calls = new CallTree();
  flame.inverted = new InvertedTree(flame.calls);
  const exactness = byId('exactness');
  if (flame.calls.count) {
    exactness.textContent = tree.exact ? 'exact, from whole call stacks'
      : 'Estimated: the stacks are inferred from the costs of calls';
    exactness.className = tree.exact ? 'dim' : 'estimated';
  }
  box.addEventListener('pointermove', hover);
  box.addEventListener('pointerleave', leave);
  box.addEventListener('click', event => {
    const hit = boxAt(event).box;
    if (hit)
      openBox(hit);
  });
  box.addEventListener('keydown', flameKey);
  box.addEventListener('focus', () => {
    if (box.matches(':focus-visible'))
      moveTo(flame.row, flame.current);
  });
  box.addEventListener('blur', () => frame('cursor', 0, null));
  box.addEventListener('scroll', draw);
  new ResizeObserver(() => {
    if (!printing && box.clientWidth !== flame.width)
      renderFlame();
    draw();
  }).observe(box);
}
