"""What feeds this device, as Linux says it; elsewhere that is not known."""

from __future__ import annotations

from pathlib import Path

_SUPPLIES = Path("/sys/class/power_supply")


def is_on_battery(supplies: Path = _SUPPLIES) -> bool:
    """Return whether there is a battery, and nothing else that feeds this device."""
    kinds = {path.parent: _read_word(path) for path in supplies.glob("*/type")}
    others = [folder for folder, kind in kinds.items() if kind != "Battery"]
    fed = any(_read_word(folder / "online") == "1" for folder in others)
    return "Battery" in kinds.values() and not fed


def _read_word(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""
