// page_data.js - the profile, and how its names and numbers are shown.
// SPDX-License-Identifier: MIT
'use strict';

const profile = JSON.parse(document.getElementById('profile').textContent);
const {events, functions, edges, tree} = profile;
const functionCount = functions.name.length;
// Whether there is a base to compare with.
const compared = events.some(event => event.before !== undefined);
const hasCalls = functions.calls.some(n => n > 0);

const byId = id => document.getElementById(id);

// An element with text or elements in it.  Names get into the page by this
// function, which makes no markup of them, and into the canvas.
function element(tag, className, ...content) {
  const made = document.createElement(tag);
  if (className)
    made.className = className;
  made.append(...content);
  return made;
}

// ---- Names

const unknown = '(unknown)';
// What has no shape of its own, or changes the order of the text around it.
const unseen = new RegExp(
  '[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f' +
  '\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb]' +
  '|[\\ud800-\\udbff](?![\\udc00-\\udfff])' +
  '|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]', 'g');

// Control characters as pictures of them, others as their number.
function visible(text) {
  return text.replace(unseen, c => {
    const code = c.charCodeAt(0);
    const digits = code.toString(16).toUpperCase().padStart(4, '0');
    return code < 32 ? String.fromCharCode(0x2400 + code)
      : code === 127 ? '\u2421' : `\u27e8U+${digits}\u27e9`;
  });
}

const visibleNames = [];
function nameOf(index) {
  return visibleNames[index] ??= visible(profile.names[index]) || unknown;
}

// Rows and boxes need only the beginning of a name.
const shortened = (text, most = 300) =>
  text.length > most ? text.slice(0, most) + '\u2026' : text;

const functionName = f => nameOf(functions.name[f]);
const lastPart = path => path.replace(/^.*[\/\\](?=.)/, '');

// Where a function is, in a word: its file, or else its object.
function placeOf(f) {
  const index = functions.file[f] || functions.object[f];
  return index ? lastPart(nameOf(index)) : '';
}

// ---- Numbers

const grouped = new Intl.NumberFormat('en-US', {maximumFractionDigits: 3});
const rounded = new Intl.NumberFormat('en-US',
  {minimumFractionDigits: 2, maximumFractionDigits: 2});
const whole = new Intl.NumberFormat('en-US', {maximumFractionDigits: 0});
const withMinus = text => text.replace('-', '\u2212');
const number = value => withMinus(grouped.format(value));
const signed = value => (value > 0 ? '+' : '') + number(value);

function percent(value, total, format = rounded) {
  return total ? withMinus(format.format(100 * value / total)) + '%' : '';
}

// A change relative to what was there before.
function changeInPercent(after, before, format = rounded) {
  if (after === before)
    return '0%';
  if (!before)
    return 'new';
  if (!after)
    return 'gone';
  return (after > before ? '+' : '') +
    percent(after - before, Math.abs(before), format);
}

const seconds = {ns: 1e-9, us: 1e-6, '\u00b5s': 1e-6, ms: 1e-3, s: 1};
const timeSteps = [[1, 's'], [1e-3, 'ms'], [1e-6, '\u00b5s'], [1e-9, 'ns']];
const byteSteps = [[2 ** 40, 'TiB'], [2 ** 30, 'GiB'], [2 ** 20, 'MiB'],
  [2 ** 10, 'KiB'], [1, 'B']];

// A number with its unit, which is chosen by the size if it is one of time or
// of bytes.
function amount(value, unit) {
  const scale = Object.hasOwn(seconds, unit) ? [seconds[unit], timeSteps]
    : unit === 'bytes' ? [1, byteSteps] : null;
  if (!scale || !value)
    return number(value) + (unit ? ' ' + visible(unit) : '');
  const absolute = Math.abs(value * scale[0]);
  const [step, name] = scale[1].find(([least]) => absolute >= least)
    || scale[1].at(-1);
  return number(Number((value * scale[0] / step).toPrecision(4))) + ' ' + name;
}

// A cell with a number, and its share of a total in percent and as a bar.
function numberCell(value, total) {
  const cell = element('td', 'number', element('span', 'value', number(value)));
  if (total) {
    const share = element('span', 'percent bar-of', percent(value, total));
    share.style.setProperty('--share',
      Math.max(0, Math.min(100, 100 * value / total)) + '%');
    cell.append(share);
  }
  return cell;
}

function changeCell(after, before) {
  const cell = element('td', 'number change',
    element('span', 'value', signed(after - before)),
    element('span', 'percent', changeInPercent(after, before)));
  if (after !== before)
    cell.classList.add(after > before ? 'more' : 'less');
  return cell;
}

// ---- Groups

// The indexes of a list of small numbers in groups of equal ones: those of k
// are indexes[first[k]] to indexes[first[k + 1] - 1].
function grouping(list, count) {
  const first = new Int32Array(count + 1);
  for (const key of list)
    first[key + 1]++;
  for (let k = 0; k < count; k++)
    first[k + 1] += first[k];
  const next = first.slice();
  const indexes = new Int32Array(list.length);
  for (let i = 0; i < list.length; i++)
    indexes[next[list[i]]++] = i;
  return {first, indexes, of: k => indexes.subarray(first[k], first[k + 1])};
}

// What make returns, made at the first call.
function once(make) {
  let made;
  return () => made ??= make();
}

// ---- Search

// For each function whether it, its file or its object matches; or an error.
function search(text) {
  if (!text)
    return null;
  let matches;
  const slashes = /^\/(.+)\/([a-z]*)$/s.exec(text);
  if (slashes) {
    try {
      const regex = new RegExp(slashes[1], slashes[2].replace(/[gy]/g, ''));
      matches = name => regex.test(name);
    } catch (error) {
      return {error: error.message};
    }
  } else {
    const small = text.toLowerCase();
    matches = name => name.toLowerCase().includes(small);
  }
  const named = profile.names.map((name, i) =>
    matches(name) || (nameOf(i) !== name && matches(nameOf(i))));
  const list = new Uint8Array(functionCount);
  let count = 0;
  for (let f = 0; f < functionCount; f++) {
    const {name, file, object} = functions;
    if (named[name[f]] || (file[f] && named[file[f]])
        || (object[f] && named[object[f]])) {
      list[f] = 1;
      count++;
    }
  }
  return {functions: list, count};
}
