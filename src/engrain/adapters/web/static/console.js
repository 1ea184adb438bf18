// Keys and small comforts; every page works without them.
"use strict";
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const target = event.target;
  const typing = target.matches("input:not([type=checkbox]), textarea, select");
  if (event.key === "/" && !typing) {
    const box = document.querySelector("input[type=search]");
    if (box) { box.focus(); event.preventDefault(); }
    return;
  }
  const rows = [...document.querySelectorAll("[data-row]")];
  if (typing || !rows.length) return;
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  if (event.key === "j" || event.key === "k") {
    const next = event.key === "j" ? Math.min(at + 1, rows.length - 1) : Math.max(at - 1, 0);
    (rows[next].tabIndex < 0 ? rows[next].querySelector("a") : rows[next]).focus();
    rows[next].scrollIntoView({ block: "nearest" });
    event.preventDefault();
  } else if (at >= 0 && event.key === "Enter" && target === rows[at]) {
    rows[at].querySelector("a").click();
  } else if (at >= 0) {
    const button = rows[at].querySelector(`[data-key="${CSS.escape(event.key)}"]`);
    if (button) { button.click(); event.preventDefault(); }
  }
});

// What another process changes appears by itself, but never under a form that is being filled in.
const live = document.querySelector("main[data-live]");
addEventListener("htmx:beforeSwap", ({ detail }) => {
  // A page that is renewed says, too, that the vault is gone.
  if (detail.target.id === "main" && detail.xhr.status === 503) detail.shouldSwap = true;
});
if (live && window.EventSource) {
  const source = new EventSource(live.dataset.live);
  let waiting = 0;
  source.addEventListener("message", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      const main = document.getElementById("main");
      if (!main.dataset.live) return;  // what took its place is not to be renewed
      const busy = document.activeElement && document.activeElement.matches("input, textarea, select");
      const typed = [...main.querySelectorAll("input:not([type=hidden]), textarea")]
        .some((one) => one.value !== one.defaultValue);
      if (busy || typed || !window.htmx) return;
      const at = [...main.querySelectorAll("[data-row]")].findIndex((row) => row.contains(document.activeElement));
      htmx.ajax("GET", location.href, { target: "#main", select: "#main", swap: "outerHTML" })
        .then(() => { if (at >= 0) document.querySelectorAll("[data-row]")[at]?.focus(); });
    }, 200);
  });
  source.addEventListener("progress", (event) => {
    const place = document.getElementById("progress");
    if (place) place.textContent = event.data;
  });
  addEventListener("pagehide", () => source.close());
}
