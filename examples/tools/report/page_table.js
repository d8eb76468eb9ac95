// page_table.js - the table of functions: only the rows that are seen are made.
// SPDX-License-Identifier: MIT
'use strict';

const grid = {box: byId('grid-box'), table: byId('grid'), rows: byId('rows')};
const rowHeight = 22;
const printedRows = 50;

// The columns: what they are sorted by, and their cells.
function costColumns(id, label) {
  const after = f => functions[id][state.event][f];
  const total = () => events[state.event].total;
  if (!compared)
    return [{id, label, value: after, percent: true,
      cell: f => numberCell(after(f), total())}];
  const before = f => functions[id + 'Before'][state.event][f];
  return [
    {id: id + 'Before', label: label + ' before', wide: true, value: before,
      cell: f => numberCell(before(f))},
    {id, label: label + ' after', wide: true, value: after,
      cell: f => numberCell(after(f))},
    {id: id + 'Change', label: label + ' change', percent: true,
      value: f => after(f) - before(f),
      cell: f => changeCell(after(f), before(f))},
  ];
}

function nameCell(f, content) {
  const cell = element('td', 'name mono', content);
  if (functionName(f) === unknown)
    cell.classList.add('none');
  if (placeOf(f))
    cell.append(' ', element('span', 'dim', shortened(placeOf(f), 80)));
  return cell;
}

const columns = [
  ...costColumns('self', 'Self'),
  ...costColumns('inclusive', 'Inclusive'),
  ...(hasCalls && !compared ? [{id: 'calls', label: 'Calls', wide: true,
    value: f => functions.calls[f],
    cell: f => numberCell(functions.calls[f])}] : []),
  {id: 'name', label: 'Function', value: functionName,
    cell: f => nameCell(f, shortened(functionName(f)))},
];

function makeColumns() {
  for (const column of columns) {
    const button = element('button', '', column.label);
    button.type = 'button';
    button.addEventListener('click', () => sortBy(column));
    const kind = column.id === 'name' ? 'name' : 'number';
    const head = element('th', kind, button);
    head.scope = 'col';
    if (column.wide)
      head.classList.add('wide');
    column.head = head;
    byId('columns').append(head);
  }
  grid.table.setAttribute('aria-colcount', columns.length);
}

// A column is sorted as one wants it first: costs from the highest on.
function sortBy(column) {
  const descending = state.sort === column.id ? !state.descending
    : column.id !== 'name';
  change({sort: column.id, descending});
}

// A column of numbers is as wide as its longest, and its percent.
function fitColumns() {
  for (const column of columns.slice(0, -1)) {
    let longest = 0;
    for (let f = 0; f < functionCount; f++)
      longest = Math.max(longest, Math.abs(column.value(f)));
    const letters = Math.max(number(longest).length + 1,
      ...column.label.split(' ').map(word => word.length + 2));
    column.head.style.setProperty('--letters',
      letters + (column.percent ? 9 : 0));
  }
}

// grid.order is the functions of all rows, and grid.cursor one of its indexes.
function sortFunctions() {
  const column = columns.find(c => c.id === state.sort) || columns[0];
  const sign = state.descending ? -1 : 1;
  const order = [];
  for (let f = 0; f < functionCount; f++)
    if (!found?.functions || found.functions[f])
      order.push(f);
  if (column.id === 'name') {
    const collator = new Intl.Collator('en', {numeric: true});
    order.sort((a, b) => sign * collator.compare(shortened(functionName(a)),
      shortened(functionName(b))) || a - b);
  } else {
    const values = Float64Array.from({length: functionCount},
      (_, f) => column.value(f));
    order.sort((a, b) => sign * (values[a] - values[b]) || a - b);
  }
  fitColumns();
  grid.order = order;
  for (const c of columns)
    c.head.ariaSort = c !== column ? 'none'
      : state.descending ? 'descending' : 'ascending';
  grid.table.setAttribute('aria-rowcount', order.length + 1);
  byId('list-count').textContent = order.length === functionCount
    ? number(functionCount)
    : `${number(order.length)} of ${number(functionCount)}`;
  grid.cursor = Math.max(0, order.indexOf(state.chosen));
}

function tableRow(position) {
  const f = grid.order[position];
  const row = element('tr', position === grid.cursor ? 'cursor' : '');
  row.id = 'row-' + position;
  row.setAttribute('aria-rowindex', position + 2);
  row.setAttribute('aria-selected', f === state.chosen);
  for (const column of columns) {
    const cell = column.cell(f);
    cell.setAttribute('role', 'gridcell');
    if (column.wide)
      cell.classList.add('wide');
    row.append(cell);
  }
  return row;
}

// Stands for rows that are not made.
function space(count) {
  const cell = element('td');
  cell.style.height = count * rowHeight + 'px';
  const row = element('tr', 'space', cell);
  row.setAttribute('aria-hidden', 'true');
  return row;
}

function renderRows() {
  const {box, order, rows} = grid;
  const around = 8;
  let first = Math.max(0, Math.floor(box.scrollTop / rowHeight) - around);
  let end = Math.min(order.length,
    Math.ceil((box.scrollTop + box.clientHeight) / rowHeight) + around);
  if (printing) {
    first = 0;
    end = Math.min(order.length, printedRows);
  }
  first = Math.min(first, end);
  const made = [];
  for (let i = first; i < end; i++)
    made.push(tableRow(i));
  if (!printing)
    rows.replaceChildren(space(first), ...made, space(order.length - end));
  else
    rows.replaceChildren(...made);
  if (order.length)
    grid.table.setAttribute('aria-activedescendant', 'row-' + grid.cursor);
  else
    grid.table.removeAttribute('aria-activedescendant');
}

function showRow(position) {
  const {box} = grid;
  const top = position * rowHeight;
  const room = box.clientHeight - 2 * rowHeight;
  if (top < box.scrollTop)
    box.scrollTop = top;
  else if (top > box.scrollTop + room)
    box.scrollTop = top - room;
}

function moveCursor(position) {
  if (!grid.order.length)
    return;
  grid.cursor = Math.max(0, Math.min(grid.order.length - 1, position));
  showRow(grid.cursor);
  renderRows();
}

function gridKey(event) {
  const page = Math.max(1, Math.floor(grid.box.clientHeight / rowHeight) - 2);
  const to = {
    ArrowDown: grid.cursor + 1, ArrowUp: grid.cursor - 1,
    PageDown: grid.cursor + page, PageUp: grid.cursor - page,
    Home: 0, End: grid.order.length - 1,
  }[event.key];
  if (event.target !== grid.table)
    return;
  if (to !== undefined)
    moveCursor(to);
  else if ((event.key === 'Enter' || event.key === ' ') && grid.order.length)
    choose(grid.order[grid.cursor]);
  else
    return;
  event.preventDefault();
}

function startGrid() {
  makeColumns();
  grid.box.addEventListener('scroll', renderRows);
  grid.table.addEventListener('keydown', gridKey);
  new ResizeObserver(() => renderRows()).observe(grid.box);
  grid.rows.addEventListener('click', event => {
    const id = event.target.closest('tr')?.id;
    if (!id)
      return;
    grid.cursor = Number(id.slice('row-'.length));
    choose(grid.order[grid.cursor]);
  });
}
