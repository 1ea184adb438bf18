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
    rows[next].focus();
    rows[next].scrollIntoView({ block: "nearest" });
    event.preventDefault();
  } else if (at >= 0 && event.key === "Enter" && target === rows[at]) {
    rows[at].querySelector("a").click();
  } else if (at >= 0) {
    const button = rows[at].querySelector(`[data-key="${CSS.escape(event.key)}"]`);
    if (button) { button.click(); event.preventDefault(); }
  }
});
