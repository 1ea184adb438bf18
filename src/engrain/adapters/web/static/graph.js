// The drawn graph as one that forces arrange, and that can be dragged and zoomed; without WebGL the
// drawing stays. Where an entry was dragged to is kept in this browser.
"use strict";
const MANY = 300; // entries from which rings stay as drawn, and a frame draws only what moves
const NAMED = 80; // names in a frame of so many
const KEPT = 20; // graphs whose places are kept
const drawing = document.querySelector("svg.graph");
const webgl = document.createElement("canvas").getContext("webgl");
const able = drawing && webgl && window.Sigma && window.graphology;
if (drawing && !able) drawing.classList.add("shown"); // it is hidden until it is drawn anew

const kept = {
  read() {
    try { return JSON.parse(localStorage.getItem("engrain-places")) || []; } catch { return []; }
  },
  of(center) {
    return (this.read().find((one) => one.center === center) || { places: {} }).places;
  },
  write(center, places) {
    const others = this.read().filter((one) => one.center !== center).slice(1 - KEPT);
    const own = Object.keys(places).length ? [{ center, places }] : [];
    try { localStorage.setItem("engrain-places", JSON.stringify([...others, ...own])); } catch {}
  },
};

// The places that forces find: linked entries near each other, others apart; the same each time.
const settle = (nodes, links, wide) => {
  const ratio = Math.sqrt(wide);
  if (nodes.length > MANY || !window.d3 || !d3.forceSimulation) return;
  const ends = links.map(([source, target]) => ({ source, target }));
  d3.forceSimulation(nodes)
    .force("link", d3.forceLink(ends).id((one) => one.id).distance(70))
    .force("charge", d3.forceManyBody().strength(-260).distanceMax(900))
    .force("x", d3.forceX().strength(0.05 / ratio))
    .force("y", d3.forceY().strength(0.05 * ratio))
    .force("apart", d3.forceCollide(22))
    .stop()
    .tick(nodes.length > 150 ? 200 : 320);
};

if (able) {
  const style = getComputedStyle(document.documentElement);
  const [ink, dim, accent, paper] = ["--ink", "--edge", "--accent", "--side"]
    .map((name) => style.getPropertyValue(name).trim());
  const center = drawing.dataset.center;
  const picture = drawing.parentNode;
  let places = kept.of(center);
  const colors = {};
  const colorOf = (circle) => {
    const hue = circle.classList[0];
    const name = `--${hue.replace("k-", "")}`;
    return (colors[hue] ??= style.getPropertyValue(name).trim());
  };
  const circles = [...drawing.querySelectorAll("circle")];
  const lines = [...drawing.querySelectorAll("line")].map((one) => [one.dataset.from, one.dataset.to]);
  const homes = circles.map((one) => (
    { id: one.dataset.node, x: one.cx.baseVal.value, y: -one.cy.baseVal.value }));
  settle(homes, lines, Math.min(2, picture.clientWidth / picture.clientHeight));
  const graph = new graphology.Graph({ multi: true });
  circles.forEach((circle, at) => {
    const href = circle.parentNode.getAttribute("href");
    const entry = new URL(href, location).searchParams.get("id");
    const home = { x: homes[at].x, y: homes[at].y };
    const [x, y] = places[entry] || [home.x, home.y];
    const label = circle.textContent;
    graph.addNode(circle.dataset.node, {
      x, y, home, label,
      title: label.slice(0, label.lastIndexOf(" (")),
      entry, href,
      middle: circle.classList.contains("center"),
      color: colorOf(circle),
    });
  });
  for (const [from, to] of lines) graph.addEdge(from, to, { size: 0.7, color: dim });
  graph.updateEachNodeAttributes((node, one) => (
    { ...one, size: one.middle ? 11 : 3.5 + Math.min(7, 1.3 * Math.sqrt(graph.degree(node))) }));
  const box = document.createElement("div");
  box.className = "graph live";
  box.dataset.nodes = graph.order;
  box.tabIndex = 0;
  box.setAttribute("role", "application");
  box.setAttribute("aria-label", "Graph. Arrow keys go from entry to entry, Enter opens one; the table below has the same.");
  drawing.replaceWith(box);
  const many = graph.order > MANY;
  const order = graph.nodes().sort((one, other) => (
    graph.getNodeAttribute(other, "size") - graph.getNodeAttribute(one, "size")));

  let chosen = null; // the entry under the mouse, or chosen by keys
  let near = new Set();
  const sigma = new Sigma(graph, box, {
    renderLabels: false,
    hoverRenderer: () => {},
    hideEdgesOnMove: many,
    stagePadding: 60,
    nodeReducer: (node, one) => (
      !chosen || many || node === chosen || near.has(node) ? one : { ...one, color: faint }),
    edgeReducer: (edge, one) => {
      if (!chosen || many) return one;
      return graph.hasExtremity(edge, chosen) ? { ...one, color: accent, size: 1.4 } : { ...one, color: faint };
    },
  });
  const mix = (one, other, part) => {
    const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    pen.fillStyle = one;
    pen.fillRect(0, 0, 1, 1);
    pen.globalAlpha = part;
    pen.fillStyle = other;
    pen.fillRect(0, 0, 1, 1);
    const [red, green, blue] = pen.getImageData(0, 0, 1, 1).data;
    return `rgb(${red}, ${green}, ${blue})`;
  };
  const faint = mix(paper, dim, 0.22);
  graph.updateEachEdgeAttributes((_, one) => ({ ...one, color: mix(paper, dim, 0.45) }));
  sigma.setCustomBBox(sigma.getBBox()); // or whatever is dragged out would shift the rest

  const layer = () => {
    const canvas = document.createElement("canvas");
    canvas.className = "over";
    box.append(canvas);
    return canvas;
  };
  // Names, of what has most links first; one that would cover another name or entry is left out.
  const names = layer();
  const widths = new Map();
  const write = () => {
    const [wide, high, scale] = [box.clientWidth, box.clientHeight, devicePixelRatio || 1];
    [names.width, names.height] = [wide * scale, high * scale];
    const pen = names.getContext("2d");
    pen.scale(scale, scale);
    pen.font = `500 12px ${getComputedStyle(box).fontFamily}`;
    [pen.lineWidth, pen.lineJoin, pen.textBaseline] = [4, "round", "middle"];
    const shown = many ? order.slice(0, NAMED) : order;
    const spots = shown.map((node) => {
      const one = sigma.getNodeDisplayData(node);
      const at = sigma.framedGraphToViewport(one);
      return { node, x: at.x, y: at.y, r: sigma.scaleSize(one.size) + 1 };
    });
    const taken = spots.map((one) => [one.x - one.r, one.y - one.r, one.x + one.r, one.y + one.r]);
    const first = spots.filter((one) => one.node === chosen || near.has(one.node));
    for (const spot of chosen && !many ? first.sort((one) => (one.node === chosen ? -1 : 1)) : spots) {
      const text = graph.getNodeAttribute(spot.node, "title");
      const full = spot.node === chosen || text.length < 32 ? text : `${text.slice(0, 30).trimEnd()}…`;
      if (!widths.has(full)) widths.set(full, pen.measureText(full).width);
      const [w, gap] = [widths.get(full), spot.r + 4];
      for (const [x, y] of [[spot.x + gap, spot.y], [spot.x - gap - w, spot.y], [spot.x - w / 2, spot.y + gap + 6], [spot.x - w / 2, spot.y - gap - 6]]) {
        const area = [x - 2, y - 8, x + w + 2, y + 8];
        const out = x < 4 || y < 8 || x + w > wide - 4 || y > high - 8;
        const over = taken.some((one) => one[0] < area[2] && one[2] > area[0] && one[1] < area[3] && one[3] > area[1]);
        if (out || over) continue;
        taken.push(area);
        pen.strokeStyle = paper;
        pen.strokeText(full, x, y);
        pen.fillStyle = ink;
        pen.fillText(full, x, y);
        break;
      }
    }
  };
  sigma.on("afterRender", write);
  const choose = (node) => {
    chosen = node;
    near = new Set(node ? graph.neighbors(node) : []);
    box.classList.toggle("pointing", Boolean(node));
    if (many) write();
    else sigma.refresh();
  };
  sigma.on("enterNode", (event) => { if (!dragged) choose(event.node); });
  sigma.on("leaveNode", () => { if (!dragged) choose(null); });

  const said = document.createElement("p");
  said.className = "hidden";
  said.setAttribute("aria-live", "polite");
  box.after(said);
  box.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step) {
      const at = order.indexOf(chosen);
      choose(order[(at + step + order.length) % order.length]);
      said.textContent = graph.getNodeAttribute(chosen, "label");
      event.preventDefault();
    } else if (event.key === "Enter" && chosen) location.href = graph.getNodeAttribute(chosen, "href");
    else if (event.key === "Escape") choose(null);
  });
  box.addEventListener("blur", () => choose(null));

  const over = layer();
  const pen = over.getContext("2d");
  const ends = { near: [] };
  const clear = () => pen.clearRect(0, 0, over.width, over.height);
  const lift = (node) => {
    [over.width, over.height] = [box.clientWidth, box.clientHeight];
    ends.near = graph.neighbors(node).map((one) => sigma.graphToViewport(graph.getNodeAttributes(one)));
    [pen.strokeStyle, pen.fillStyle] = [dim, accent];
  };
  const carry = (at) => {
    clear();
    pen.beginPath();
    for (const end of ends.near) {
      pen.moveTo(at.x, at.y);
      pen.lineTo(end.x, end.y);
    }
    pen.stroke();
    pen.beginPath();
    pen.arc(at.x, at.y, 7, 0, 2 * Math.PI);
    pen.fill();
  };

  const back = document.createElement("button");
  back.type = "button";
  back.textContent = "Put entries back in their places";
  back.hidden = !Object.keys(places).length;
  picture.append(back);
  back.addEventListener("click", () => {
    places = {};
    kept.write(center, places);
    graph.updateEachNodeAttributes((_, one) => ({ ...one, x: one.home.x, y: one.home.y }));
    back.hidden = true;
  });

  let dragged = null;
  let moved = false;
  let last = null;
  sigma.on("downNode", (event) => {
    dragged = event.node;
    moved = false;
    if (many) lift(dragged);
  });
  sigma.getMouseCaptor().on("mousemovebody", (event) => {
    if (!dragged) return;
    moved = true;
    last = { x: event.x, y: event.y };
    if (many) carry(last);
    else graph.mergeNodeAttributes(dragged, sigma.viewportToGraph(last));
    event.preventSigmaDefault();
    event.original.preventDefault();
    event.original.stopPropagation();
  });
  sigma.getMouseCaptor().on("mouseup", () => {
    if (dragged && moved) {
      const place = sigma.viewportToGraph(last);
      graph.mergeNodeAttributes(dragged, place);
      places[graph.getNodeAttribute(dragged, "entry")] = [Math.round(place.x), Math.round(place.y)];
      kept.write(center, places);
      back.hidden = false;
      clear();
    }
    dragged = null;
  });
  sigma.on("clickNode", (event) => {
    if (!moved) location.href = graph.getNodeAttribute(event.node, "href");
  });
}
