// The drawn graph as one that can be dragged and zoomed; without WebGL the drawing stays. Where an
// entry was dragged to is kept in this browser.
"use strict";
const MANY = 300; // entries from which a frame draws only what moves
const KEPT = 20; // graphs whose places are kept
const drawing = document.querySelector("svg.graph");
const webgl = document.createElement("canvas").getContext("webgl");
const able = drawing && webgl && window.Sigma && window.graphology;
if (drawing && !able) drawing.classList.remove("many"); // which hides it until it is drawn anew

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

if (able) {
  const style = getComputedStyle(document.documentElement);
  const [ink, dim, link, warning] = ["--ink", "--dim", "--link", "--warning"]
    .map((name) => style.getPropertyValue(name).trim());
  const center = drawing.dataset.center;
  let places = kept.of(center);
  const graph = new graphology.Graph({ multi: true });
  for (const circle of drawing.querySelectorAll("circle")) {
    const home = { x: circle.cx.baseVal.value, y: -circle.cy.baseVal.value };
    const [x, y] = places[circle.dataset.entry] || [home.x, home.y];
    const middle = circle.classList.contains("center");
    graph.addNode(circle.dataset.node, {
      x, y, home,
      entry: circle.dataset.entry,
      size: middle ? 9 : 5,
      color: middle ? ink : link,
      label: circle.textContent,
      href: circle.parentNode.getAttribute("href"),
    });
  }
  for (const line of drawing.querySelectorAll("line")) {
    graph.addEdge(line.dataset.from, line.dataset.to, { size: 0.6, color: dim });
  }
  const box = document.createElement("div");
  box.className = "graph live";
  box.dataset.nodes = graph.order;
  drawing.replaceWith(box);
  const few = graph.order <= 80;
  const many = graph.order > MANY;
  // As Sigma does it; a label that the right edge would cut stands above its entry.
  const drawLabel = (context, data, { labelColor, labelFont, labelSize, labelWeight }) => {
    context.font = `${labelWeight} ${labelSize}px ${labelFont}`;
    context.fillStyle = labelColor.color;
    const beside = data.x + data.size + 3;
    const last = box.clientWidth - context.measureText(data.label).width - 3;
    const above = last < beside ? data.size + labelSize / 2 : 0;
    context.fillText(data.label, Math.min(beside, last), data.y + labelSize / 3 - above);
  };
  const sigma = new Sigma(graph, box, {
    labelRenderer: drawLabel,
    labelColor: { color: ink },
    labelSize: 12,
    labelRenderedSizeThreshold: few ? 0 : 6,
    labelDensity: few ? 10 : 1,
    hideEdgesOnMove: many,
    hideLabelsOnMove: many,
  });
  sigma.setCustomBBox(sigma.getBBox()); // or whatever is dragged out would shift the rest

  const over = document.createElement("canvas");
  over.className = "over";
  box.append(over);
  const pen = over.getContext("2d");
  const ends = { near: [] };
  const clear = () => pen.clearRect(0, 0, over.width, over.height);
  const lift = (node) => {
    [over.width, over.height] = [box.clientWidth, box.clientHeight];
    ends.near = graph.neighbors(node).map((one) => sigma.graphToViewport(graph.getNodeAttributes(one)));
    [pen.strokeStyle, pen.fillStyle] = [dim, warning];
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
  box.after(back);
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
