// page.js - the page of cgw-report --html: what is chosen, and where all
// begins.  SPDX-License-Identifier: MIT
'use strict';

// What is chosen.  The address has all that is not as here.
const initial = {event: 0, chosen: -1, view: 'roots', width: 'after', zoom: '',
  sort: compared ? 'selfChange' : 'self', descending: true, search: ''};
const state = {...initial};
let found = null; // the result of the search
let printing = false;

// ---- The address

function readAddress() {
  const words = new URLSearchParams(location.hash.slice(1));
  const word = name => words.get(name) ?? '';
  const event = events.findIndex(e => e.name === word('event'));
  const chosen = /^\d+$/.test(word('function')) ? Number(word('function')) : -1;
  const sort = word('sort').replace('-', '');
  const sorted = columns.some(column => column.id === sort);
  return {
    event: Math.max(0, event),
    chosen: chosen < functionCount ? chosen : -1,
    view: word('view') === 'leaves' ? 'leaves' : 'roots',
    width: compared && word('width') === 'before' ? 'before' : 'after',
    zoom: word('zoom'),
    sort: sorted ? sort : initial.sort,
    descending: sorted ? word('sort').startsWith('-') : true,
    search: word('search'),
  };
}

function address() {
  const words = new URLSearchParams();
  if (state.event)
    words.set('event', events[state.event].name);
  if (state.chosen >= 0)
    words.set('function', state.chosen);
  for (const name of ['view', 'width', 'zoom', 'search'])
    if (state[name] !== initial[name])
      words.set(name, state[name]);
  if (state.sort !== initial.sort || !state.descending)
    words.set('sort', (state.descending ? '-' : '') + state.sort);
  return '#' + words;
}

// Chooses something else.  Each choice is a step of the browser's history.
function change(changes, remember = true) {
  Object.assign(state, changes);
  update();
  // A zoom that is none in this tree has become the root.
  if (remember && address() !== (location.hash || '#'))
    try {
      history.pushState(null, '', address());
    } catch {
      // Some browsers allow no more than a hundred steps in half a minute.
    }
}

const choose = f => change({chosen: f});

// A node to zoom into is none of the other tree.
const setView = view => change({view, zoom: ''});

// ---- From the state to the page

const rendered = {};
// Renders a part of the page if what it depends on has changed.
function part(name, dependsOn, render) {
  const key = JSON.stringify(dependsOn);
  if (rendered[name] === key)
    return;
  rendered[name] = key;
  render();
}

function update() {
  const {event, chosen, view, width, sort, descending, search: text} = state;
  part('search', text, () => {
    found = search(text);
    if (byId('search').value !== text)
      byId('search').value = text;
  });
  part('costs', [event, width], () => flame.calls.setEvent(event, width));
  if (view === 'leaves')
    part('inverted', [event, width], () => flame.inverted.setEvent());
  part('zooms', view, () => { flame.zooms = []; });
  flame.view = view === 'leaves' ? flame.inverted : flame.calls;
  flame.zoom = flame.view.find(state.zoom);
  if (!flame.view.weight[flame.zoom])
    flame.zoom = flame.view.root;
  state.zoom = flame.view.key(flame.zoom);
  part('choices', [event, view, width], () => {
    for (const [name, value] of [['event', String(event)], ['view', view],
      ['width', width]])
      for (const input of document.getElementsByName(name))
        input.checked = input.value === value;
    flame.current = null;
    fitFlame();
  });
  part('matched', [text, event], renderMatched);
  part('boxes', [event, view, width, state.zoom], () => {
    renderPath();
    flame.box.scrollTop = 0;
    renderFlame();
    const box = flame.rows[0]?.[0];
    if (box)
      tell(box, true);
  });
  part('drawing', [event, view, width, state.zoom, text, chosen, isDark()],
    draw);
  part('order', [event, text, sort, descending], () => {
    sortFunctions();
    grid.box.scrollTop = 0;
    renderRows();
  });
  part('row', [chosen], () => {
    const position = grid.order.indexOf(chosen);
    if (position >= 0)
      grid.cursor = position;
    showRow(grid.cursor);
    renderRows();
  });
  part('detail', [event, chosen], renderDetail);
}

function renderMatched() {
  const matched = byId('matched');
  matched.classList.toggle('bad', Boolean(found?.error));
  if (!found) {
    matched.textContent = '';
    return;
  }
  if (found.error) {
    matched.textContent = found.error;
    return;
  }
  const {name, total} = events[state.event];
  const {count} = found;
  let text = number(count) + (count === 1 ? ' function' : ' functions');
  if (flame.calls.count) {
    const share = percent(flame.calls.matching(found.functions), total);
    text = `${share} of ${visible(name)}, ${text}`;
  }
  matched.textContent = text;
}

// ---- The head of the page

function renderEvents() {
  byId('events').replaceChildren(...events.map((event, i) => {
    const input = element('input');
    input.type = 'radio';
    input.name = 'event';
    input.value = i;
    input.addEventListener('change', () => change({event: i}));
    const title = event.title === event.name ? '' : visible(event.title);
    const card = element('span', '', element('b', 'mono', visible(event.name)),
      element('span', 'number', amount(event.total, event.unit)),
      element('span', 'title', title));
    if (compared) {
      const changed = element('span', 'number',
        changeInPercent(event.total, event.before));
      if (event.total !== event.before)
        changed.classList.add(event.total > event.before ? 'more' : 'less');
      card.append(changed);
    }
    return element('label', 'event', input, card);
  }));
}

function renderHead() {
  byId('title').textContent = visible(profile.title);
  byId('command').textContent = visible(profile.command);
  byId('command').hidden = !profile.command;
  byId('about').hidden = !profile.description.length;
  byId('about').lastElementChild.replaceChildren(
    ...profile.description.map(line => element('li', '', visible(line))));
  renderEvents();
}

// ---- Dark and light, and paper

const prefersDark = matchMedia('(prefers-color-scheme: dark)');
const themes = ['auto', 'light', 'dark'];
let theme = 'auto';

function isDark() {
  return !printing &&
    (theme === 'auto' ? prefersDark.matches : theme === 'dark');
}

function renderTheme() {
  document.documentElement.dataset.theme = isDark() ? 'dark' : 'light';
  byId('theme').textContent = 'Theme: ' + theme;
  functionColors = [];
  renderLegend();
}

function startTheme() {
  byId('theme').addEventListener('click', () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    renderTheme();
    update();
  });
  prefersDark.addEventListener('change', () => {
    renderTheme();
    update();
  });
}

// Paper is light, has the whole depth of the graph, and the table's first rows.
function setPrinting(now) {
  if (printing === now)
    return;
  printing = now;
  renderTheme();
  renderFlame();
  draw();
  renderRows();
}

function startPrinting() {
  const print = matchMedia('print');
  const follow = () => setPrinting(print.matches);
  print.addEventListener('change', follow);
  addEventListener('beforeprint', () => setPrinting(true));
  addEventListener('afterprint', follow);
  follow();
}

// ---- Keys of the whole page

function pageKey(event) {
  const typing = event.target.matches('input[type="search"]');
  if (event.ctrlKey || event.metaKey || event.altKey || byId('help').open)
    return;
  if (typing) {
    if (event.key === 'Escape' && !event.target.value)
      flame.box.focus();
    return;
  }
  switch (event.key) {
    case '/': byId('search').focus(); byId('search').select(); break;
    case '?': byId('help').showModal(); break;
    case 'Escape':
    case 'Backspace': zoomBack(); break;
    case '0': zoomTo(flame.view.root); break;
    case 'i': setView(state.view === 'roots' ? 'leaves' : 'roots'); break;
    case 'e': change({event: (state.event + 1) % events.length}); break;
    default: return;
  }
  event.preventDefault();
}

function start() {
  renderHead();
  startGrid();
  startFlame();
  startDetail();
  startTheme();
  byId('widths').hidden = !compared;
  document.querySelector('main').classList.toggle('compared', compared);
  for (const input of document.getElementsByName('view'))
    input.addEventListener('change', () => setView(input.value));
  for (const input of document.getElementsByName('width'))
    input.addEventListener('change', () => change({width: input.value}));
  byId('search').addEventListener('input', event =>
    change({search: event.target.value}, false));
  byId('search').addEventListener('change', () => change({}));
  byId('help-open').addEventListener('click', () => byId('help').showModal());
  addEventListener('keydown', pageKey);
  addEventListener('popstate', () => {
    Object.assign(state, readAddress());
    update();
  });
  renderTheme();
  Object.assign(state, readAddress());
  update();
  // The page never opens without a function: the first of the table.
  if (state.chosen < 0 && grid.order.length) {
    state.chosen = grid.order[0];
    update();
  }
  startPrinting();
}

start();
