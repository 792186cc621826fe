// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Draws the report from the JSON of the page. Chooses places, colors and words; every number is the page's.
'use strict';
window.addEventListener('error', (event) => { document.documentElement.dataset.error = event.message; });

const page = JSON.parse(document.getElementById('data').textContent);
const ALL = 'all';
const view = {pattern: 0, direction: 'both', levels: ALL, kept: null};
const BOTH = 'both';

// ---- small helpers; text is always set as text, never as HTML ----

function add(parent, name, attributes = {}, text = '') {
  const svg = parent.namespaceURI === 'http://www.w3.org/2000/svg' || name === 'svg';
  const element = svg ? document.createElementNS('http://www.w3.org/2000/svg', name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== '') element.textContent = text;
  parent.append(element);
  return element;
}
const at = (id) => document.getElementById(id);
const count = (n, word) => `${n.toLocaleString('en')} ${word}${n === 1 ? '' : word.endsWith('ch') ? 'es' : 's'}`;
const shown = (n) => n.toLocaleString('en', {maximumFractionDigits: 1});

// -1: idle.
function color_of(flows) { return flows === 0 ? -1 : page.patterns[view.pattern].edges.findIndex((e) => flows <= e); }
const color = (i) => i < 0 ? 'var(--idle)' : `var(--c${i})`;
const flows_on = (line) => view.direction === BOTH
    ? Math.max(line.up[view.pattern], line.down[view.pattern]) : line[view.direction][view.pattern];

// ---- layout ----

const WIDTH = 1300, LEFT = 64, SLANT = 80, GAP = 8, CELL = 12, PAD = 4;
const levels = [...new Set(page.boxes.map((box) => box.level))].sort((a, b) => b - a);
// A tree has levels, counted from below; a dragonfly has groups.
const grouped = page.layout === 'groups';
const row_name = (level) => grouped ? `group ${level}` : `level ${level}`;
const rows = levels.map((level) => page.boxes.filter((box) => box.level === level));
const single = page.boxes.every((box) => box.marks.length === 1);
const widest = Math.max(1, ...rows.map((boxes) => boxes.length));
const slanted = !grouped && single && widest > 12;
const RIGHT = slanted ? SLANT : 0;  // room for the last slanted label

// What all names begin and end with says nothing; cut at separators only.
const labels = (() => {
  const names = page.boxes.map((box) => box.label);
  const agree = (get) => {
    let n = 0;
    while (names.length > 1 && names.every((name) => n < name.length && get(name, n) === get(names[0], n))) ++n;
    return n;
  };
  const head = names.length > 1 ? names[0].slice(0, agree((name, i) => name[i])).search(/[^;:/_. -]*$/) : 0;
  const common = agree((name, i) => name[name.length - 1 - i]);
  const tail = common === 0 ? 0 : Math.max(0, common - Math.max(0, names[0].slice(-common).search(/[;:/_. -]|$/)));
  return names.map((name) => head + tail < name.length ? name.slice(head, name.length - tail) : name);
})();

// Boxes get w and h so that a row fits the page if it can: a group has as many columns as there is room for.
function size_row(boxes) {
  const room = (WIDTH - LEFT - RIGHT) / Math.max(1, boxes.length) - GAP;
  for (const box of boxes) {
    const n = box.marks.length, square = Math.ceil(Math.sqrt(n));
    box.columns = single ? 1 : Math.max(1, Math.min(square, Math.floor((room - 2 * PAD) / CELL)));
    box.w = single ? Math.max(14, Math.min(90, room)) : box.columns * CELL + 2 * PAD;
    box.h = single ? 26 : Math.ceil(n / box.columns) * CELL + 2 * PAD;
  }
}

// Boxes get x and y. The farther the lines between two levels reach, the higher the space between them.
function lay_out() {
  rows.forEach(size_row);
  const wanted = rows.map((boxes) => boxes.reduce((sum, box) => sum + box.w + GAP, 0));
  const width = Math.max(WIDTH, LEFT + RIGHT + Math.max(0, ...wanted));
  rows.forEach((boxes, i) => {
    const spare = (width - LEFT - RIGHT - wanted[i]) / Math.max(1, boxes.length);
    let x = LEFT;
    for (const box of boxes) {
      box.x = x + (spare + GAP) / 2;
      x += box.w + GAP + spare;
    }
  });
  let y = slanted ? 125 : 30;
  rows.forEach((boxes) => {
    const height = Math.max(0, ...boxes.map((box) => box.h));
    for (const box of boxes) box.y = y + (height - box.h) / 2;
    const reach = Math.max(0, ...page.lines.map((line) => {
      const lower = page.boxes[line.lower], upper = page.boxes[line.upper];
      return upper.level === boxes[0].level ? Math.abs(lower.x + lower.w / 2 - upper.x - upper.w / 2) : 0;
    }));
    y += height + Math.min(300, 80 + reach / 4);
  });
  const bottom = rows.length === 0 ? 60 : Math.max(...rows[rows.length - 1].map((box) => box.y + box.h));
  return {width, height: bottom + (slanted ? 125 : 34)};
}

// Groups in a circle. In a small fabric the switches of each are a ring, in a large one a box.
function lay_out_groups() {
  const sides = [...rows].reverse();
  const n = sides.length;
  for (const box of page.boxes) {
    box.cell = n > 40 ? 8 : CELL;
    box.columns = Math.ceil(Math.sqrt(box.marks.length));
    box.w = single ? 18 : box.columns * box.cell + 2 * PAD;
    box.h = single ? 18 : Math.ceil(box.marks.length / box.columns) * box.cell + 2 * PAD;
  }
  const spread = single ? Math.max(26, ...sides.map((boxes) => boxes.length * 25 / (2 * Math.PI))) : 0;
  const reach = spread + Math.max(...page.boxes.map((box) => Math.hypot(box.w, box.h) / 2));
  const radius = n < 2 ? 0 : Math.max(210, (reach + (single ? 14 : 5)) / Math.sin(Math.PI / n));
  const size = 2 * (radius + reach + 56);
  page.center = {x: Math.max(WIDTH, size) / 2, y: size / 2};
  sides.forEach((boxes, g) => {
    const angle = 2 * Math.PI * g / n - Math.PI / 2;
    const x = page.center.x + radius * Math.cos(angle), y = page.center.y + radius * Math.sin(angle);
    boxes.forEach((box, i) => {
      // The first switch of a ring is the outermost.
      const turn = angle + 2 * Math.PI * i / boxes.length, away = boxes.length > 1 ? spread : 0;
      box.x = x + away * Math.cos(turn) - box.w / 2;
      box.y = y + away * Math.sin(turn) - box.h / 2;
      box.title = {x: page.center.x + (radius + reach + 12) * Math.cos(angle),
                   y: page.center.y + (radius + reach + 12) * Math.sin(angle) + 4,
                   'text-anchor': Math.cos(angle) > 0.3 ? 'start' : Math.cos(angle) < -0.3 ? 'end' : 'middle'};
    });
  });
  return {width: Math.max(WIDTH, size), height: size};
}

// Straight within a group, bent toward the center between two; what is within a box is its frame.
function chord(line) {
  const a = page.boxes[line.lower], b = page.boxes[line.upper];
  const middle = (box) => [box.x + box.w / 2, box.y + box.h / 2];
  const [ax, ay] = middle(a), [bx, by] = middle(b);
  if (a === b) return `M${a.x - 2} ${a.y - 2}h${a.w + 4}v${a.h + 4}h${-a.w - 4}z`;
  if (a.level === b.level) return `M${ax} ${ay}L${bx} ${by}`;
  const bend = (u, v, center) => (u + v) / 2 + (center - (u + v) / 2) * 0.55;
  return `M${ax} ${ay}Q${bend(ax, bx, page.center.x)} ${bend(ay, by, page.center.y)} ${bx} ${by}`;
}

function curve(line) {
  if (grouped) return chord(line);
  const a = page.boxes[line.lower], b = page.boxes[line.upper];
  const ax = a.x + a.w / 2, bx = b.x + b.w / 2;
  if (a.level === b.level) {  // beside each other: an arc above the row
    const lift = 24 + Math.min(60, Math.abs(ax - bx) / 8);
    return a === b ? `M${ax - 6} ${a.y} C${ax - 16} ${a.y - 26} ${ax + 16} ${a.y - 26} ${ax + 6} ${a.y}`
                   : `M${ax} ${a.y} C${ax} ${a.y - lift} ${bx} ${b.y - lift} ${bx} ${b.y}`;
  }
  const ay = a.y < b.y ? a.y + a.h : a.y, by = a.y < b.y ? b.y : b.y + b.h;
  const bend = (ay - by) * 0.3;
  return `M${ax} ${ay} C${ax} ${ay - bend} ${bx} ${by + bend} ${bx} ${by}`;
}

// ---- drawing ----

const drawn = {switches: [], lines: []};

// "0–1": the lines between two levels. Of a dragonfly those within groups, and those between them.
const levels_of = (line) => {
  const ends = [page.boxes[line.lower].level, page.boxes[line.upper].level].sort((a, b) => a - b);
  return !grouped ? ends.join('–') : ends[0] === ends[1] ? 'local' : 'global';
};
const is_chosen = (line) => view.levels === ALL || levels_of(line) === view.levels;

function draw_lines(svg) {
  drawn.lines = [];
  const group = add(svg, 'g', {id: 'lines'});
  // The fullest last, so that they lie on top.
  const order = page.lines.map((line, i) => i).filter((i) => is_chosen(page.lines[i])).sort((a, b) => flows_on(page.lines[a]) - flows_on(page.lines[b]));
  for (const i of order) {
    const line = page.lines[i];
    const flows = flows_on(line), c = color_of(flows);
    const steps = page.patterns[view.pattern].edges.length;
    const thin = page.lines.length > 400 ? 0.35 : page.lines.length > 150 ? 0.7 : 1;
    const path = add(group, 'path', {d: curve(line), class: c < 0 ? 'line idle' : 'line', 'data-line': i,
                                     'stroke-width': thin * (c < 0 ? 1 : 1.2 + 2.4 * (c + 1) / steps)});
    if (c >= 0) path.style.stroke = color(c);
    watch(path, () => line_text(line), () => light([i]));
    drawn.lines[i] = path;
  }
}

function draw_switch(svg, box, mark, x, y, w, h) {
  const it = page.marks[mark];
  const c = color_of(it.loads[view.pattern]);
  const rect = add(svg, 'rect', {x, y, width: w, height: h, rx: single ? 4 : 2, tabindex: 0, role: 'img',
                                 class: c < 0 ? 'switch idle' : 'switch', 'data-guid': it.guid,
                                 'aria-label': `${it.name} ${it.guid}`});
  if (c >= 0) rect.style.fill = color(c);
  watch(rect, () => switch_text(it, box), () => { light(lines_at(box)); rect.classList.add('on'); });
  if (it.remarks.length > 0) {
    const s = single ? 6 : 2.6, fx = x + w - s, fy = y - (single ? 4 : 1);
    add(svg, 'path', {class: 'flag', d: `M${fx - s} ${fy + 2 * s}L${fx} ${fy}L${fx + s} ${fy + 2 * s}Z`});
  }
  drawn.switches[mark] = rect;
}

function draw_label(svg, box) {
  if (grouped) {
    const first = page.boxes.find((b) => b.level === box.level) === box;
    if (first) add(svg, 'text', {...box.title, class: 'quiet-text'}, levels.length > 40 ? `${box.level}` : row_name(box.level));
    return;
  }
  const x = box.x + box.w / 2, low = box.y + box.h;
  const top = box.level === levels[0], bottom = box.level === levels[levels.length - 1];
  if (!single) {
    const y = top && !bottom ? box.y - 6 : low + 14;
    add(svg, 'text', {x, y, 'text-anchor': 'middle', class: 'quiet-text'}, `${box.marks.length}`);
    return;
  }
  const label = labels[page.boxes.indexOf(box)];
  const name = label.length > 21 ? '…' + label.slice(-20) : label;
  if (slanted && top) add(svg, 'text', {x, y: box.y - 8, transform: `rotate(-50 ${x} ${box.y - 8})`}, name);
  else if (slanted && bottom)
    add(svg, 'text', {x: x + 4, y: low + 14, 'text-anchor': 'end', transform: `rotate(-50 ${x + 4} ${low + 14})`}, name);
  else if (!slanted && box.w > 6 * name.length - 20)
    add(svg, 'text', {x, y: top && !bottom ? box.y - 8 : low + 16, 'text-anchor': 'middle'}, name);
}

function draw_tree() {
  const tree = at('tree');
  const scroll = tree.scrollLeft;
  tree.replaceChildren();
  const {width, height} = grouped ? lay_out_groups() : lay_out();
  const svg = add(tree, 'svg', {viewBox: `0 0 ${width} ${height}`, role: 'group', 'aria-label': grouped ? 'The groups' : 'The tree by level'});
  svg.style.minWidth = width > WIDTH && !grouped ? `${width}px` : '760px';
  draw_lines(svg);
  for (const level of grouped ? [] : levels) {
    const box = page.boxes.find((b) => b.level === level);
    add(svg, 'text', {x: 2, y: box.y + box.h / 2 + 4, class: 'quiet-text'}, row_name(level));
  }
  for (const box of page.boxes) {
    if (!single) add(svg, 'rect', {class: 'box', x: box.x, y: box.y, width: box.w, height: box.h, rx: 4});
    box.marks.forEach((mark, i) => {
      if (single) draw_switch(svg, box, mark, box.x, box.y, box.w, box.h);
      else {
        const cell = box.cell ?? CELL;
        draw_switch(svg, box, mark, box.x + PAD + 1 + (i % box.columns) * cell,
                    box.y + PAD + 1 + Math.floor(i / box.columns) * cell, cell - 2, cell - 2);
      }
    });
    draw_label(svg, box);
  }
  svg.addEventListener('click', (event) => { if (event.target === svg) keep(null); });
  tree.scrollLeft = scroll;
}

// ---- details ----

const lines_at = (box) => page.lines.flatMap((line, i) =>
    page.boxes[line.lower] === box || page.boxes[line.upper] === box ? [i] : []);

function switch_text(it, box) {
  const parts = [it.name, it.guid, row_name(box.level) + (it.hosts.length > 0 ? `, ${count(it.hosts.length, 'host')}` : '')];
  if (it.hosts.length > 0) parts.push(it.hosts.slice(0, 12).join(', ') + (it.hosts.length > 12 ? `, … ${it.hosts.at(-1)}` : ''));
  page.patterns.forEach((pattern, i) => parts.push(`${pattern.name}: ${count(it.loads[i], 'flow')} on its fullest channel`));
  if (box.marks.length > 1) parts.push(`drawn with ${count(box.marks.length - 1, 'other switch')}: ${box.label}`);
  for (const remark of it.remarks) parts.push(`▲ ${page.remarks[remark].kind}: ${page.remarks[remark].text}`);
  return parts.join('\n');
}

function line_text(line) {
  const parts = [`${page.boxes[line.lower].label} – ${page.boxes[line.upper].label}`, count(line.cables, 'cable')];
  page.patterns.forEach((pattern, i) =>
      parts.push(grouped ? `${pattern.name}: ${shown(Math.max(line.up[i], line.down[i]))} on the fullest channel`
                         : `${pattern.name}: up ${shown(line.up[i])}, down ${shown(line.down[i])} on the fullest channel`));
  return parts.join('\n');
}

function light(lines) {
  at('tree').classList.toggle('dim', lines.length > 0);
  for (const element of document.querySelectorAll('#tree .on')) element.classList.remove('on');
  for (const i of lines) drawn.lines[i]?.classList.add('on');
}

function show_tip(text, x, y) {
  const tip = at('tip');
  tip.textContent = text;
  tip.hidden = false;
  tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - tip.offsetWidth - 8))}px`;
  tip.style.top = `${y + 18 + tip.offsetHeight > innerHeight ? Math.max(4, y - tip.offsetHeight - 12) : y + 18}px`;
}

function keep(what) {
  view.kept = what;
  if (what) what.on();
  else { light([]); at('tip').hidden = true; }
}

function watch(element, text, on) {
  element.addEventListener('pointermove', (event) => show_tip(text(), event.clientX, event.clientY));
  element.addEventListener('pointerenter', on);
  element.addEventListener('pointerleave', () => { at('tip').hidden = true; view.kept ? view.kept.on() : light([]); });
  element.addEventListener('click', () => keep({on}));
  element.addEventListener('focus', () => {
    const place = element.getBoundingClientRect();
    on();
    show_tip(text(), place.right, place.bottom);
  });
  element.addEventListener('blur', () => keep(view.kept));
}

// ---- the rest of the page ----

function choices(id, options, chosen, choose) {
  at(id).replaceChildren();
  for (const [value, label] of options)
    add(at(id), 'button', {type: 'button', 'aria-pressed': value === chosen}, label)
        .addEventListener('click', () => { choose(value); view.kept = null; draw(); });
}

function draw_legend() {
  const legend = at('legend');
  legend.replaceChildren();
  const {edges, ideal} = page.patterns[view.pattern];
  add(legend, 'span', {title: `what the fullest channel carries at the least, with any ${grouped ? 'shortest paths' : 'tables'}`},
      `share of the ideal load, ${count(ideal, 'flow')}:`);
  const item = (text, c, height) => {
    const span = add(legend, 'span');
    const swatch = add(span, 'i');
    swatch.style.cssText = `background: ${color(c)}; height: ${height}px`;
    span.append(text);
  };
  item('none', -1, 2);
  const shares = ['to 50 %', 'to 100 %', 'to 125 %', 'to 150 %', 'to 200 %', 'more'];
  edges.forEach((edge, i) => {
    const low = i === 0 ? 1 : edges[i - 1] + 1;
    if (low <= edge) item(`${shares[i]} (${i === edges.length - 1 ? `above ${shown(low - 1)}` : low === edge ? shown(edge) : `${shown(low)}–${shown(edge)}`})`, i, 5 + 11 * (i + 1) / edges.length);
  });
}

function draw_hot() {
  const table = at('hot');
  table.replaceChildren();
  const head = add(add(table, 'thead'), 'tr');
  for (const [text, kind] of [['Flows', 'number'], ['From', ''], ['To', ''], ['Who uses it', '']])
    add(head, 'th', {class: kind, scope: 'col'}, text);
  const body = add(table, 'tbody');
  for (const hot of page.hot.filter((link) => link.pattern === view.pattern)) {
    const row = add(body, 'tr', {class: 'pick', tabindex: 0});
    add(row, 'td', {class: 'number'}, shown(hot.flows));
    for (const text of [hot.from, hot.to, hot.users]) add(row, 'td', {}, text);
    const on = () => light([hot.line]);
    row.addEventListener('pointerenter', on);
    row.addEventListener('pointerleave', () => keep(view.kept));
    row.addEventListener('focus', on);
    row.addEventListener('click', () => { keep({on}); at('tree').scrollIntoView({behavior: 'smooth', block: 'center'}); });
  }
  if (body.childElementCount === 0) add(add(body, 'tr'), 'td', {colspan: 4}, 'No flow crosses a link between switches.');
}

function draw_spreads() {
  const table = at('spreads');
  table.replaceChildren();
  const head = add(add(table, 'thead'), 'tr');
  for (const [text, kind] of [['Channels', ''], ['Number', 'number'], ['Idle', 'number'], ['Least', 'number'],
                              ['Mean', 'number'], ['Most', 'number'], ['Share of channels by color', '']])
    add(head, 'th', {class: kind, scope: 'col'}, text);
  const body = add(table, 'tbody');
  for (const spread of page.spreads) {
    const load = spread.loads[view.pattern], row = add(body, 'tr');
    add(row, 'td', {}, spread.channels);
    for (const n of [spread.count, load.idle, load.min, load.mean, load.max]) add(row, 'td', {class: 'number'}, shown(n));
    const stack = add(add(row, 'td'), 'div', {class: 'stack', role: 'img', 'aria-label': 'channels by color of the legend'});
    [load.idle, ...load.colors].forEach((n, i) => {
      if (n > 0) add(stack, 'span', {title: count(n, 'channel')}).style.cssText = `flex: ${n}; background: ${color(i - 1)}`;
    });
  }
}

function draw_remarks() {
  const words = at('remark-filter').value.trim().toLowerCase();
  const fits = (remark) => `${remark.kind} ${remark.text}`.toLowerCase().includes(words);
  const by_kind = new Map();
  for (const remark of page.remarks.filter(fits)) by_kind.set(remark.kind, [...(by_kind.get(remark.kind) ?? []), remark.text]);
  at('remarks').replaceChildren();
  at('remarks-shown').textContent = words === '' ? '' : `${page.remarks.filter(fits).length} of ${page.remarks.length}`;
  if (page.remarks.length === 0) add(at('remarks'), 'p', {}, grouped ? 'None: a regular dragonfly.' : 'None: a regular tree.');
  for (const [kind, texts] of by_kind) {
    const details = add(at('remarks'), 'details');
    details.open = texts.length <= 4 || words !== '';
    add(details, 'summary', {}, `${kind} (${texts.length})`);
    const list = add(details, 'ul');
    for (const text of texts) add(list, 'li', {}, text);
  }
}

// Marks who is called so, or has a host that is; tells how many, and of a single one its details.
function search() {
  const words = at('search').value.trim().toLowerCase();
  const fits = (it) => [it.name, it.guid, ...it.hosts].some((name) => name.toLowerCase().includes(words));
  const exact = (it) => [it.name, ...it.hosts].some((name) => name.toLowerCase() === words);
  const found = words === '' ? [] : page.marks.map((it, i) => i).filter((i) => fits(page.marks[i]));
  const same = found.filter((i) => exact(page.marks[i]));
  const chosen = same.length > 0 ? same : found;
  drawn.switches.forEach((rect, i) => rect.classList.toggle('found', chosen.includes(i)));
  at('found').textContent = words === '' ? '' : chosen.length === 1 ? `on ${page.marks[chosen[0]].name}` : count(chosen.length, 'switch');
  if (chosen.length > 0) drawn.switches[chosen[0]].scrollIntoView({block: 'nearest', inline: 'center'});
}

function draw() {
  choices('patterns', page.patterns.map((pattern, i) => [i, pattern.name]), view.pattern, (i) => { view.pattern = i; });
  // In a dragonfly nothing is above anything.
  choices('directions', grouped ? [] : [[BOTH, 'both directions'], ['up', 'up'], ['down', 'down']], view.direction,
          (direction) => { view.direction = direction; });
  const pairs = [...new Set(page.lines.map(levels_of))].sort();
  choices('levels', [[ALL, grouped ? 'all links' : 'all levels'], ...pairs.map((pair) => [pair, pair])], view.levels, (pair) => { view.levels = pair; });
  at('pattern-note').textContent = page.patterns[view.pattern].note;
  draw_legend();
  draw_tree();
  draw_hot();
  draw_spreads();
  search();
}

document.title = page.title;
at('title').textContent = page.title;
at('subtitle').textContent = page.subtitle;
at('verdict').textContent = `${page.sound ? '✓' : '✗'} ${page.verdict}`;
at('verdict').className = page.sound ? 'good' : 'bad';
for (const fact of page.facts) {
  const box = add(at('facts'), 'div');
  add(box, 'dt', {}, fact.label);
  add(add(box, 'dd', {}, fact.value), 'small', {}, fact.note);
}
if (grouped) {
  at('drawing').textContent = 'The groups and their load';
  at('reading').textContent = single ? 'Groups in a circle, their switches in rings.' : 'Groups in a circle; the frame of a box is the fullest of its local links.';
  at('balance').textContent = 'Balance of local and global links';
}
at('search').addEventListener('input', search);
at('remark-filter').addEventListener('input', draw_remarks);
draw_remarks();
draw();
document.documentElement.dataset.drawn = drawn.switches.length;
