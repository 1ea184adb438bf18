"""The figures as the tables of `docs/performance.md`."""

from __future__ import annotations

from typing import Any

# Row title -> how it is read out of one size's figures.
_ROWS = (
    ("durable save, p50 / p99", "{save[p50_ms]} / {save[p99_ms]} ms"),
    ("… bare write, fsync, rename, fsync folder, p50", "{save[floor][p50_ms]} ms"),
    ("… **ratio**", "**{save[ratio]}**"),
    ("bulk import", "{import[entries_per_s]}/s"),
    ("… reading and hashing the same files", "{import[floor_entries_per_s]}/s"),
    ("… **ratio**", "**{import[ratio]}**"),
    ("recall, warm, with the scan, p50 / p95", "{recall[with_scan][p50_ms]} / {recall[with_scan][p95_ms]} ms"),
    ("recall, warm, without, p50 / p95", "{recall[without][p50_ms]} / {recall[without][p95_ms]} ms"),
    ("`engrain recall`, cold process, p50 / p95", "{cold[p50_ms]} / {cold[p95_ms]} ms"),
    ("… `python -c pass`, p50", "{cold[floor][p50_ms]} ms"),
    ("… **ratio**", "**{cold[ratio]}**"),
    ("full rebuild", "{rebuild[seconds]} s, peak {rebuild[peak_mib]} MiB"),
    ("… reading and hashing, **ratio**", "{rebuild[floor_seconds]} s, **{rebuild[ratio]}**"),
    ("scan that finds no change", "{scan[seconds]} s, peak {scan[peak_mib]} MiB"),
    ("… stat of the same files, **ratio**", "{scan[floor_seconds]} s, **{scan[ratio]}**"),
    ("{writers[processes]} processes saving at once", "{writers[saves_per_s]} saves/s, p99 {writers[p99_ms]} ms"),
    ("… lost; history", "{writers[lost]}; {writers[history]}"),
    ("index, bytes an entry", "{index_bytes_per_entry}"),
)  # fmt: skip


def render(machine: dict[str, str], results: list[dict[str, Any]]) -> str:
    """A table with a column a size, under a line about the machine and the text."""
    told = ", ".join(f"{value}" for value in machine.values())
    lines = [
        f"Machine: {told} (load when it ended). Text: {results[0]['text']}.",
        "",
        "| | " + " | ".join(f"{result['entries']:,} entries" for result in results) + " |",
        "|---|" + "---|" * len(results),
    ]
    for title, template in _ROWS:
        cells = " | ".join(template.format(**result) for result in results)
        lines.append(f"| {title.format(**results[0])} | {cells} |")
    return "\n".join(lines) + "\n"
