// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 The gst-psp authors
//
// Asks for what is new, keeps ten minutes of it, and draws. Whatever comes from
// a pipeline gets into the page as text, never as markup.
"use strict";

const KEPT = 600, INTERVAL = 1000, RANGES = [1, 5, 10];
const SVG = "http://www.w3.org/2000/svg";
const LEFT = 46, RIGHT = 8, TOP = 8, BOTTOM = 18, TICK = 7;
const elements = new Map();     // key → what is known and shown of it
const sessions = new Map();     // process and pipeline → its card
let after = 0, range = 1, now = 0, clock = 0, charts = [], labels = {};

function make(name, parent, text, kind) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (kind) made.className = kind;
  if (parent) parent.append(made);
  return made;
}

function shape(name, parent, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes))
    made.setAttribute(key, value);
  parent.append(made);
  return made;
}

// Figures as people read them: [divisor, unit] by the end of an axis.
function scaleOf(unit, most) {
  if (unit === "bit/s") return most >= 1e6 ? [1e6, "Mb/s"] : [1e3, "kb/s"];
  return unit === "s" ? [1e-3, "ms"] : [1, unit];
}

function shown(value, divisor) {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value / divisor);
  return String(Number((value / divisor).toFixed(
    size >= 100 ? 0 : size >= 10 ? 1 : 2)));
}

// The end of an axis: round, and no smaller.
function rounded(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((n) => n * power >= value * 0.999)
    * power;
}

function timeOfDay(time) {
  return new Date((time + clock) * 1000).toLocaleTimeString("en-GB");
}

function sessionOf(data) {
  const key = data.process + " " + data.pipeline;
  let session = sessions.get(key);
  if (!session) {
    const card = make("section", document.getElementById("sessions"),
      undefined, "session");
    const head = make("h2", card, data.program + " ");
    make("small", head, data.pipeline + " · process " + data.pid);
    session = {key, card, count: 0};
    sessions.set(key, session);
  }
  return session;
}

function addElement(data) {
  const session = sessionOf(data);
  const box = make("div", session.card, undefined, "element");
  const head = make("h3", box, data.element);
  const own = {session, box, badge: make("span", head, "", "badge"),
    charts: make("div", box, undefined, "charts"), figures: new Map(),
    time: [], values: {}, events: [],
    list: make("ol", box, undefined, "events")};
  own.details = make("details", box);
  make("summary", own.details, "all statistics");
  own.table = make("dl", own.details);
  session.count++;
  elements.set(data.key, own);
  return own;
}

function removeElement(key) {
  const own = elements.get(key);
  own.box.remove();
  elements.delete(key);
  if (--own.session.count === 0) {
    own.session.card.remove();
    sessions.delete(own.session.key);
  }
}

function append(own, data) {
  const before = own.time.length;
  own.time.push(...data.time);
  for (const name of Object.keys(data.figures))
    own.values[name] = own.values[name] || new Array(before).fill(null);
  for (const [name, values] of Object.entries(own.values))
    values.push(...(data.figures[name] ||
      new Array(data.time.length).fill(null)));
  own.events.push(...data.events);
  const old = own.time.findIndex((time) => time >= now - KEPT);
  if (old > 0) {
    own.time.splice(0, old);
    for (const values of Object.values(own.values)) values.splice(0, old);
  }
  own.events = own.events.filter((event) => event[0] >= now - KEPT);
}

function badge(own, data) {
  const state = data.ended ? "ended" :
    data.stats["link-state"] || data.stats.state || "";
  const words = [data.type];
  if (data.stats.controller) words.push(data.stats.controller);
  if (state) words.push(state);
  if (data.missed) words.push(data.missed + " reports missed");
  own.badge.textContent = words.join(" · ");
  own.badge.className = "badge" + (["alive", "connected"].includes(state) ?
    " good" : ["silent", "stopped", "failed"].includes(state) ? " bad" : "");
}

function listEvents(own) {
  own.list.replaceChildren();
  const marked = own.events.filter((event) => event[1] > 0);
  for (const [time, , text] of marked.slice(-8).reverse()) {
    const item = make("li", own.list);
    make("time", item, timeOfDay(time));
    item.append(text);
  }
}

function listStats(own, stats) {
  if (!own.details.open) return;
  own.table.replaceChildren();
  for (const [name, value] of Object.entries(stats)) {
    const row = make("div", own.table);
    make("dt", row, name);
    make("dd", row, value === null ? "–" :
      typeof value === "object" ? JSON.stringify(value) : String(value));
  }
}

function chartOf(own, index) {
  let chart = own.figures.get(index);
  if (chart) return chart;
  const figure = make("figure");
  chart = {figure, caption: make("figcaption", figure), at: null};
  chart.svg = shape("svg", figure, {role: "img"});
  chart.svg.addEventListener("pointermove", (event) => {
    chart.at = event.offsetX;
    draw(own);
  });
  chart.svg.addEventListener("pointerleave", () => {
    chart.at = null;
    draw(own);
  });
  own.figures.set(index, chart);
  // In the order of the charts, whenever the first figure of one came.
  const later = [...own.figures.keys()].filter((i) => i > index);
  const next = later.length ? own.figures.get(Math.min(...later)).figure : null;
  own.charts.insertBefore(figure, next);
  return chart;
}

// The line of one figure. It breaks where nothing is known.
function line(own, values, x, y, stepped) {
  let path = "", down = false, height = 0;
  own.time.forEach((time, i) => {
    if (values[i] === null || x(time) < LEFT) {
      down = false;
      return;
    }
    if (down && stepped) path += "L" + x(time).toFixed(1) + " " + height;
    height = y(values[i]).toFixed(1);
    path += (down ? "L" : "M") + x(time).toFixed(1) + " " + height;
    down = true;
  });
  return path;
}

function grid(svg, width, height, most, divisor, x) {
  for (const part of [0, 0.5, 1]) {
    const y = TOP + (1 - part) * (height - TOP - BOTTOM);
    shape("line", svg, {class: "grid", x1: LEFT, x2: width - RIGHT, y1: y,
      y2: y});
    shape("text", svg, {x: LEFT - 5, y: y + 4, "text-anchor": "end"})
      .textContent = shown(most * part, divisor);
  }
  const all = range * 60;
  for (let ago = 0; ago <= all; ago += all / 4)
    shape("text", svg, {x: x(now - ago), y: height - 4,
      "text-anchor": ago === 0 ? "end" : ago === all ? "start" : "middle"})
      .textContent = ago === 0 ? "now" : ago % 60 ? "−" + ago + " s" :
        "−" + ago / 60 + " min";
}

// Congestion is a tick at the bottom, for there may be several a second; what a
// person should look at is a line. Where several are in one column of pixels, one
// is drawn: the gravest.
function marks(svg, own, begin, x, height) {
  const columns = new Map();
  for (const event of own.events) {
    const column = Math.round(x(event[0])), other = columns.get(column);
    if (event[0] >= begin && event[1] > 0 && (!other || event[1] > other[1]))
      columns.set(column, event);
  }
  for (const [column, [, weight, text]] of columns)
    shape("title", shape("line", svg, {
      class: weight > 1 ? "mark serious" : "mark", x1: column, x2: column,
      y1: weight > 1 ? TOP : height - BOTTOM - TICK, y2: height - BOTTOM}),
    {}).textContent = text;
}

function nearest(own, time) {
  let best = -1;
  own.time.forEach((found, i) => {
    if (best < 0 || Math.abs(found - time) < Math.abs(own.time[best] - time))
      best = i;
  });
  return best;
}

function legend(own, chart, about, names, scale, at) {
  const [divisor, unit] = scale;
  chart.caption.replaceChildren();
  make("b", chart.caption, unit ? about.title + ", " + unit : about.title);
  for (const name of names) {
    const key = make("span", chart.caption, undefined, "key");
    make("i", key, undefined, "s" + about.figures.indexOf(name) +
      (name === "target" ? " dashed" : ""));
    key.append(labels[name] + " ");
    make("span", key, shown(own.values[name][at], divisor));
  }
  if (chart.at !== null && at >= 0)
    make("span", chart.caption, timeOfDay(own.time[at]), "key");
}

function namesOf(own, about) {
  return about.figures.filter((name) => own.values[name] &&
    own.values[name].some((value) => value !== null &&
      (value !== 0 || !about.unless_zero.includes(name))));
}

function drawChart(own, index) {
  const about = charts[index], names = namesOf(own, about);
  if (!names.length) return;
  const chart = chartOf(own, index), svg = chart.svg;
  const width = svg.clientWidth, height = svg.clientHeight;
  const begin = now - range * 60;
  const x = (time) => LEFT + (time - begin) / (now - begin) *
    (width - LEFT - RIGHT);
  const most = about.title === "Scale" ? about.least : rounded(Math.max(
    about.least, ...names.flatMap((name) => own.values[name].filter(
      (value, i) => own.time[i] >= begin))));
  const y = (value) => TOP + (1 - Math.max(0, value) / most) *
    (height - TOP - BOTTOM);
  const scale = scaleOf(about.unit, most);
  svg.replaceChildren();
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("aria-label", about.title);
  grid(svg, width, height, most, scale[0], x);
  marks(svg, own, begin, x, height);
  for (const name of names)
    shape("path", svg, {class: "s" + about.figures.indexOf(name) +
      (name === "target" ? " dashed" : ""),
      d: line(own, own.values[name], x, y, ["target", "scale"].includes(name))
    });
  let at = own.time.length - 1;
  if (chart.at !== null) {
    at = nearest(own, begin + (chart.at - LEFT) / (width - LEFT - RIGHT) *
      (now - begin));
    shape("line", svg, {class: "cursor", x1: x(own.time[at]),
      x2: x(own.time[at]), y1: TOP, y2: height - BOTTOM});
  }
  legend(own, chart, about, names, scale, at);
}

function draw(own) {
  charts.forEach((chart, index) => drawChart(own, index));
}

function take(data) {
  ({now, clock} = data);
  if (data.charts) ({charts, labels} = data);
  after = data.seq;
  const present = new Set(data.elements.map((element) => element.key));
  for (const key of [...elements.keys()])
    if (!present.has(key)) removeElement(key);
  for (const element of data.elements) {
    const own = elements.get(element.key) || addElement(element);
    append(own, element);
    badge(own, element);
    listEvents(own);
    listStats(own, element.stats);
    draw(own);
  }
  document.getElementById("empty").hidden = present.size > 0;
}

function say(text, lost) {
  const state = document.getElementById("state");
  if (state.textContent !== text) state.textContent = text;
  state.className = lost ? "lost" : "";
}

async function ask() {
  try {
    const answer = await fetch("data?after=" + after);
    if (!answer.ok) throw new Error(answer.status);
    const data = await answer.json();
    if (data.seq < after) location.reload();
    take(data);
    const active = data.elements.filter((element) => !element.ended).length;
    say(active + (active === 1 ? " element reports" : " elements report"),
      false);
  } catch (error) {
    say("The viewer does not answer; it may have ended.", true);
  }
  setTimeout(ask, INTERVAL);
}

for (const minutes of RANGES) {
  const button = make("button", document.getElementById("ranges"),
    minutes + " min");
  button.type = "button";
  button.setAttribute("aria-pressed", minutes === range);
  button.addEventListener("click", () => {
    range = minutes;
    for (const other of button.parentNode.children)
      other.setAttribute("aria-pressed", other === button);
    for (const own of elements.values()) draw(own);
  });
}
ask();
