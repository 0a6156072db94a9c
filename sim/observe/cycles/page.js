'use strict';
// The page of make cycles: all numbers come from the JSON in the page (cycles_report.h says what stands in it).
const all = JSON.parse(document.getElementById('data').textContent);
const by = id => document.getElementById(id);
const state = { simulation: 0, chosen: null, view: 'instances', key: 'name', down: false, filter: '', idle: false,
  lanes: false };
let simulation, rows, byName;

// ---- small things
function make(tag, properties, ...children) {
  const e = document.createElement(tag);
  Object.assign(e, properties);
  e.append(...children);
  return e;
}
function draw(tag, attributes, ...children) {
  const e = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const k in attributes) e.setAttribute(k, attributes[k]);
  e.append(...children);
  return e;
}
const share = (r, clocks) => r.clocks ? 100 * clocks / r.clocks : 0;
const number = (x, digits) => x === undefined || x === null ? '' : x.toFixed(digits);
const us = ps => `${+(ps / 1e6).toPrecision(4)} us`;
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const period = r => (simulation.clocks.find(c => c.name === r.clock) || {}).period_ps;
const isIdle = r => !r.busy && !r.stalled && !r.operations && !(r.level && r.level.max > 0);
const reasonsOf = r => Object.entries(r.reasons || {}).filter(e => e[1] > 0).sort((a, b) => b[1] - a[1]);

// ---- one simulation
function load(index) {
  state.simulation = index;
  simulation = all.simulations[index];
  rows = simulation.instances.map((o, place) => (
    { ...o, place, name: `${o.model}.${o.path}${o.side ? ':' + o.side : ''}` }));
  byName = new Map(rows.map(r => [r.name, r]));
  const used = rows.filter(r => !isIdle(r));
  const linked = simulation.links.flat().map(name => byName.get(name)).find(Boolean);
  state.chosen = linked || used[0] || rows[0] || null;
  by('system').textContent = `${all.system}${simulation.name ? ': ' + simulation.name : ''} · ` +
    `${us(simulation.to_ps - simulation.from_ps)}, ` +
    `${simulation.windows.length} window${simulation.windows.length === 1 ? '' : 's'} of ` +
    `${us(simulation.windows.reduce((sum, w) => sum + w[1] - w[0], 0))} counted`;
  by('idle-text').textContent = `${rows.length - used.length} idle ones, too`;
  showPicture();
  showDetails();
  showLanes();
  showTable();
}

function choose(r, open) {
  state.chosen = r;
  for (const e of document.querySelectorAll('.chosen')) e.classList.remove('chosen');
  for (const e of document.querySelectorAll(`[data-name="${CSS.escape(r.name)}"]`)) e.classList.add('chosen');
  showDetails();
  by('details').classList.toggle('open', open !== false);
}

// ---- the picture: each model a chip, its instances as boxes in boxes, coloured by use
function tree(model) {
  const top = { name: model, children: new Map(), row: null };
  for (const r of rows.filter(o => o.model === model)) {
    let at = top;
    for (const part of (r.path + (r.side ? '.:' + r.side : '')).split('.')) {
      if (!at.children.has(part)) at.children.set(part, { name: part, children: new Map(), row: null });
      at = at.children.get(part);
    }
    at.row = r;
  }
  return top;
}
function tile(node, name) {
  const r = node.row, busy = share(r, r.busy), stalled = share(r, r.stalled);
  const e = make('button', { type: 'button', className: 'tile' + (isIdle(r) ? ' still' : ''), onclick: () => choose(r),
    textContent: name, title: `${r.name} (${r.module}): busy ${number(busy, 1)} %, stalled ${number(stalled, 1)} %` });
  e.dataset.name = r.name;
  e.style.setProperty('--b', busy.toFixed(1) + '%');
  e.style.setProperty('--u', (busy + stalled).toFixed(1) + '%');
  if (r === state.chosen) e.classList.add('chosen');
  return e;
}
function box(node, prefix) {
  const name = prefix + node.name.replace(/^:/, '');
  if (!node.children.size) return tile(node, name);
  if (!node.row && node.children.size === 1) return box([...node.children.values()][0], name + '.');
  const inside = make('div', { className: 'inside' }, ...[...node.children.values()].map(n => box(n, '')));
  const many = [...node.children.values()].filter(n => /\[\d+\]$/.test(n.name)).length > 1;
  const head = node.row ? tile(node, name) : make('div', { className: 'label', textContent: name });
  return make('div', { className: 'box' + (many ? ' wide' : '') }, head, inside);
}
function showPicture() {
  const picture = by('picture'), hubs = new Set();
  const models = [...new Set(rows.map(r => r.model))], end = name => name.split('.')[0];
  for (const m of models) if (simulation.links.filter(l => end(l[1]) === m).length > 1) hubs.add(m);
  const chip = m => {
    const links = simulation.links.filter(l => end(l[0]) === m || end(l[1]) === m);
    const other = l => end(l[0]) === m ? l[1] : l[0];
    const cable = links.length === 1 ?
      make('span', { className: 'cable', textContent: `cable to ${other(links[0])}` }) : '';
    const e = make('div', { className: 'chip' }, make('div', { className: 'name' }, m, cable));
    const top = tree(m), only = [...top.children.values()];
    const body = only.length === 1 && !only[0].row ? [...only[0].children.values()] : only;
    const inside = make('div', { className: 'inside' }, ...body.map(n => box(n, '')));
    const wide = make('div', { className: hubs.has(m) ? 'wide' : '' }, inside);
    e.append(wide);
    e.dataset.model = m;
    return e;
  };
  const leaves = models.filter(m => !hubs.has(m)), wires = draw('svg', {});
  picture.replaceChildren(wires, make('div', { className: 'chips' }, ...leaves.map(chip)));
  if (hubs.size) picture.append(make('div', { className: 'chips' }, ...[...hubs].map(chip)));
  showWires();
}
// Cables run behind the chips: from the edge of one to where the port of the other is.
function showWires() {
  const svg = by('picture').querySelector('svg'), origin = by('picture').getBoundingClientRect();
  svg.replaceChildren();
  for (const [from, to] of simulation.links) {
    const [a, b] = [from, to].map(path => document.querySelector(`[data-model="${path.split('.')[0]}"]`));
    const port = document.querySelector(`.tile[data-name="${CSS.escape(to)}"]`), r = byName.get(from);
    if (!a || !b || !port || !r) continue;
    const p = a.getBoundingClientRect(), q = b.getBoundingClientRect(), t = port.getBoundingClientRect();
    const beside = Math.abs(p.top - q.top) < 20, y1 = p.bottom - origin.top, y2 = q.top - origin.top;
    const x1 = p.left + p.width / 2 - origin.left, x2 = t.left + t.width / 2 - origin.left, middle = (y1 + y2) / 2;
    const d = beside ? `M${p.right - origin.left - 2},${p.top - origin.top + 24} H${q.left - origin.left + 2}`
      : `M${x1},${y1 - 4} C${x1},${middle} ${x2},${middle} ${x2},${y2 + 4}`;
    svg.append(draw('path', { d, opacity: (0.25 + 0.75 * share(r, r.busy + r.stalled) / 100).toFixed(2) }));
  }
}

// ---- one block
const part = (name, percent, kind) => make('div', { className: 'part' }, make('span', { textContent: name }),
  make('i', {}, Object.assign(make('b', { className: kind || '' }), { style: `width:${percent.toFixed(1)}%` })),
  make('output', { textContent: number(percent, 1) + ' %' }));

function histogram(h, unit) {
  const width = 340, height = 96, base = height - 14, most = Math.max(...h.bins.map(b => b[2]));
  const step = width / h.bins.length;
  const svg = draw('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img' });
  for (const [i, b] of h.bins.entries()) {
    const high = b[2] ? Math.max(1.5, (base - 12) * Math.sqrt(b[2] / most)) : 0;
    const range = b[0] === b[1] ? b[0] : `${b[0]} to ${b[1]}`;
    svg.append(draw('rect', { class: 'bar', x: i * step + 0.5, y: base - high, width: Math.max(1, step - 1),
      height: high }, draw('title', {}, `${range} ${unit}: ${b[2]} times`)));
  }
  svg.append(draw('line', { class: 'axis', x1: 0, x2: width, y1: base, y2: base }),
    draw('text', { x: 0, y: height - 2 }, `${h.min}`),
    draw('text', { x: width, y: height - 2, 'text-anchor': 'end' }, `${h.max} ${unit}`),
    draw('text', { x: 0, y: 9 }, `most: ${most} (height: square root)`));
  return svg;
}
function trace(r) {
  const canvas = make('canvas', {});
  requestAnimationFrame(() => paint(canvas, r));
  return make('div', { className: 'lane', style: 'display:block' }, canvas);
}
function showDetails() {
  const r = state.chosen, e = by('details');
  e.replaceChildren();
  if (!r) return;
  const add = (title, ...what) => what.length && e.append(make('h3', { textContent: title }), ...what);
  const quartet = (h, unit) => make('p', { className: 'numbers',
    textContent: `min ${h.min} · median ${h.median} · p99 ${h.p99} · max ${h.max} · ` +
      `mean ${number(h.mean, 1)} ${unit}` });
  const close = () => e.classList.remove('open');
  e.append(make('button', { id: 'close', type: 'button', textContent: '×', ariaLabel: 'close', onclick: close }),
    make('h2', { textContent: r.name }),
    make('p', { className: 'quiet', textContent: `${r.module}, ${r.clocks} clocks of ${r.clock}` }),
    ...r.by ? [make('p', { className: 'quiet', textContent: `no probes: counted by ${r.by}` })] : [],
    part('busy', share(r, r.busy), 'busy'), part('stalled', share(r, r.stalled), 'stalled'),
    part('idle', share(r, r.idle)));
  add('stalled for', ...reasonsOf(r).map(([name, clocks]) => part(name, share(r, clocks), 'stalled')));
  if (r.operations !== undefined) {
    const each = period(r), second = each && r.clocks ? r.operations / (r.clocks * each * 1e-12) : 0;
    add('operations', make('p', { className: 'numbers', textContent: `${r.operations}: ` +
      `${number(10 * share(r, r.operations), 2)} in 1000 clocks, ${number(second / 1e6, 3)} million a second` +
      `${r.open ? `; ${r.open} open at the end` : ''}` }));
  }
  if (r.latency && r.latency.count) add('latency', quartet(r.latency, 'clocks'), histogram(r.latency, 'clocks'));
  if (r.level && r.level.count) add('level', quartet(r.level, 'held'), histogram(r.level, 'held'));
  for (const m of r.machines || [])
    add('states' + (m.name ? ' of ' + m.name : ''),
      ...Object.entries(m.clocks).map(([name, clocks]) => part(name, share(r, clocks), 'busy')));
  add('the whole run', trace(r));
}

// ---- the whole run: for each block its share of clocks busy and stalled, from left to right
function sized(canvas) {
  const scale = window.devicePixelRatio || 1;
  return { scale, width: canvas.width = canvas.clientWidth * scale,
    height: canvas.height = canvas.clientHeight * scale };
}
function paint(canvas, r) {
  const { scale, width, height } = sized(canvas);
  const c = canvas.getContext('2d'), clocks = simulation.clocks.find(k => k.name === r.clock).slices;
  const step = width / clocks.length;
  if (!r.slices_busy) return;
  for (let i = 0; i < clocks.length; i++) {
    if (!clocks[i]) continue;
    const busy = height * r.slices_busy[i] / clocks[i], stalled = height * r.slices_stalled[i] / clocks[i];
    const x = Math.floor(i * step), wide = Math.floor((i + 1) * step) - x;
    c.fillStyle = css('--busy-strong');
    c.fillRect(x, height - busy, wide, busy);
    c.fillStyle = css('--stalled-strong');
    c.fillRect(x, height - busy - stalled, wide, stalled);
  }
}
function paintAxis(canvas) {
  const { scale, width, height } = sized(canvas);
  const c = canvas.getContext('2d'), slices = Math.max(1, ...simulation.clocks.map(k => k.slices.length));
  const length = slices * simulation.slice_ps;
  c.fillStyle = css('--line');
  for (const [from, to] of simulation.windows)
    c.fillRect(width * (from - simulation.from_ps) / length, 0, Math.max(1, width * (to - from) / length), 5 * scale);
  c.fillStyle = css('--quiet');
  c.font = `${11 * scale}px sans-serif`;
  const rough = length / Math.max(2, canvas.clientWidth / 110), ten = 10 ** Math.floor(Math.log10(rough));
  const step = ten * [1, 2, 5, 10].find(n => n * ten >= rough);
  for (let at = 0; at < length; at += step) c.fillText(us(at), width * at / length, height - 3 * scale);
}
function laneRows() {
  const used = rows.filter(r => !isIdle(r));
  if (state.lanes) return used;
  const linked = new Set(simulation.links.flat().map(name => byName.get(name)).filter(r => r && !isIdle(r)));
  for (const model of new Set(used.map(r => r.model)))
    for (const key of ['busy', 'stalled']) {
      const best = used.filter(r => r.model === model && !linked.has(r))
        .sort((a, b) => share(b, b[key]) - share(a, a[key]))[0];
      if (best && linked.size < 16) linked.add(best);
    }
  for (const r of used) if (!simulation.links.length && linked.size < 12) linked.add(r);
  return [...linked].sort((a, b) => a.place - b.place);
}
function showLanes() {
  const axis = make('canvas', {}), list = laneRows(), used = rows.filter(r => !isIdle(r)).length;
  by('lanes').replaceChildren(make('div', { className: 'lane axis-lane' },
    make('span', { textContent: 'counted: grey on top' }), axis));
  paintAxis(axis);
  for (const r of list) {
    const canvas = make('canvas', {}), name = make('span', { title: r.name }, make('bdi', { textContent: r.name }));
    by('lanes').append(make('div', { className: 'lane', onclick: () => choose(r) }, name, canvas));
    paint(canvas, r);
  }
  by('more-lanes').textContent = state.lanes ? 'fewer' : `all ${used}`;
  by('more-lanes').hidden = used <= list.length && !state.lanes;
}

// ---- the table
const percent = key => ({ value: r => share(r, r[key]), show: v => number(v, 1) });
const of = (member, key, digits) =>
  ({ value: r => r[member] && r[member].count ? r[member][key] : undefined, show: v => number(v, digits) });
const columns = {
  instances: [
    { key: 'name', head: 'instance', text: true, value: r => r.name },
    { key: 'module', head: 'module', text: true, value: r => r.module },
    { key: 'clocks', head: 'clocks', value: r => r.clocks }, { key: 'busy', head: 'busy %', ...percent('busy') },
    { key: 'stalled', head: 'stalled %', ...percent('stalled') }, { key: 'idle', head: 'idle %', ...percent('idle') },
    { key: 'operations', head: 'operations', value: r => r.operations },
    { key: 'rate', head: 'in 1000 clocks', show: v => number(v, 2),
      value: r => r.operations === undefined ? undefined : 10 * share(r, r.operations) },
    { key: 'min', head: 'latency min', ...of('latency', 'min', 0) },
    { key: 'median', head: 'median', ...of('latency', 'median', 0) },
    { key: 'p99', head: 'p99', ...of('latency', 'p99', 0) }, { key: 'max', head: 'max', ...of('latency', 'max', 0) },
    { key: 'level', head: 'level mean', ...of('level', 'mean', 1) },
    { key: 'most', head: 'most', ...of('level', 'max', 0) },
    { key: 'reason', head: 'stalled for', text: true, value: r => (reasonsOf(r)[0] || [''])[0] }],
  totals: [
    { key: 'name', head: 'module', text: true, value: r => r.name },
    { key: 'instances', head: 'instances', value: r => r.instances },
    { key: 'clocks', head: 'clocks', value: r => r.clocks }, { key: 'busy', head: 'busy %', ...percent('busy') },
    { key: 'stalled', head: 'stalled %', ...percent('stalled') }, { key: 'idle', head: 'idle %', ...percent('idle') },
    { key: 'operations', head: 'operations', value: r => r.operations },
    { key: 'mean', head: 'latency mean', value: r => r.timed ? r.latencies / r.timed : undefined,
      show: v => number(v, 1) },
    { key: 'max', head: 'max', value: r => r.timed ? r.longest : undefined }] };

function totals() {
  const sums = new Map(), none = { instances: 0, clocks: 0, busy: 0, stalled: 0, idle: 0, timed: 0, latencies: 0,
    longest: 0 };
  for (const r of rows) {
    if (!sums.has(r.module)) sums.set(r.module, { ...none, name: r.module });
    const t = sums.get(r.module);
    t.instances++;
    for (const key of ['clocks', 'busy', 'stalled', 'idle']) t[key] += r[key];
    if (r.operations !== undefined) t.operations = (t.operations || 0) + r.operations;
    if (!r.latency || !r.latency.count) continue;
    t.timed += r.latency.count;
    t.latencies += r.latency.count * r.latency.mean;
    t.longest = Math.max(t.longest, r.latency.max);
  }
  return [...sums.values()];
}
function showTable() {
  const list = columns[state.view], column = list.find(c => c.key === state.key) || list[0];
  const table = document.querySelector('table');
  const order = (a, b) => {
    const x = column.value(a), y = column.value(b);
    if (x === undefined || y === undefined) return (x === undefined) - (y === undefined);
    if (column.key === 'name' && a.place !== undefined) return (a.place - b.place) * (state.down ? -1 : 1);
    return (x < y ? -1 : x > y ? 1 : 0) * (state.down ? -1 : 1);
  };
  const shown = (state.view === 'totals' ? totals() : rows).filter(r => (state.idle || !isIdle(r)) &&
    `${r.name} ${r.module || ''}`.toLowerCase().includes(state.filter)).sort(order);
  table.tHead.replaceChildren(make('tr', {}, ...list.map(c => make('th', { className: c.text ? 'text' : '',
    textContent: c.head + (c === column ? (state.down ? ' ▾' : ' ▴') : ''), onclick: () => {
      state.down = state.key === c.key ? !state.down : !c.text;
      state.key = c.key;
      showTable();
    } }))));
  table.tBodies[0].replaceChildren(...shown.map(r => {
    const row = make('tr', { onclick: () => state.view === 'instances' && choose(r) }, ...list.map(c => {
      const value = c.value(r);
      const cell = make('td', { className: c.text ? 'text' : '',
        textContent: value === undefined ? '' : c.show ? c.show(value) : value });
      cell.dataset.key = c.key;
      return cell;
    }));
    row.dataset.name = r.name;
    if (r === state.chosen) row.classList.add('chosen');
    return row;
  }));
  for (const b of by('views').children) b.classList.toggle('on', b.dataset.view === state.view);
}

// ---- what may be done
by('simulation').append(...all.simulations.map((s, i) =>
  make('option', { value: i, textContent: `${i + 1} ${s.name}` })));
by('choice').hidden = all.simulations.length < 2;
by('simulation').onchange = e => load(+e.target.value);
by('filter').oninput = e => { state.filter = e.target.value.toLowerCase(); showTable(); };
by('idle').onchange = e => { state.idle = e.target.checked; showTable(); };
by('views').onclick = e => { if (e.target.dataset.view) { state.view = e.target.dataset.view; showTable(); } };
by('more-lanes').onclick = () => { state.lanes = !state.lanes; showLanes(); };
const dark = matchMedia('(prefers-color-scheme: dark)');
function theme(name) {
  document.documentElement.dataset.theme = name;
  if (simulation) { showLanes(); showDetails(); }
}
by('theme').onclick = () => theme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');
dark.onchange = () => theme(dark.matches ? 'dark' : 'light');
theme(dark.matches ? 'dark' : 'light');
let waiting;
window.onresize = () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => { showWires(); showLanes(); showDetails(); }, 150);
};
if (all.simulations.length) load(0);
else by('system').textContent = `${all.system}: nothing was counted`;
