// The drawn graph as one that can be dragged and zoomed; without WebGL the drawing stays.
"use strict";
const drawing = document.querySelector("svg.graph");
const webgl = document.createElement("canvas").getContext("webgl");
if (drawing && webgl && window.Sigma && window.graphology) {
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const graph = new graphology.Graph({ multi: true });
  for (const circle of drawing.querySelectorAll("circle")) {
    const center = circle.classList.contains("center");
    graph.addNode(circle.dataset.node, {
      x: circle.cx.baseVal.value,
      y: -circle.cy.baseVal.value,
      size: center ? 9 : 5,
      color: colour(center ? "--ink" : "--link"),
      label: circle.querySelector("title").textContent,
      href: circle.closest("a").getAttribute("href"),
    });
  }
  for (const line of drawing.querySelectorAll("line")) {
    graph.addEdge(line.dataset.from, line.dataset.to, { size: 0.6, color: colour("--dim") });
  }
  const box = document.createElement("div");
  box.className = "graph live";
  drawing.replaceWith(box);
  const few = graph.order <= 80;
  const sigma = new Sigma(graph, box, {
    labelColor: { color: colour("--ink") },
    labelSize: 12,
    labelRenderedSizeThreshold: few ? 0 : 6,
    labelDensity: few ? 10 : 1,
  });
  let dragged = null;
  let moved = false;
  sigma.on("downNode", (event) => {
    dragged = event.node;
    moved = false;
    if (!sigma.getCustomBBox()) sigma.setCustomBBox(sigma.getBBox());
  });
  sigma.getMouseCaptor().on("mousemovebody", (event) => {
    if (!dragged) return;
    moved = true;
    const place = sigma.viewportToGraph(event);
    graph.mergeNodeAttributes(dragged, { x: place.x, y: place.y });
    event.preventSigmaDefault();
    event.original.preventDefault();
    event.original.stopPropagation();
  });
  sigma.getMouseCaptor().on("mouseup", () => { dragged = null; });
  sigma.on("clickNode", (event) => {
    if (!moved) location.href = graph.getNodeAttribute(event.node, "href");
  });
}
