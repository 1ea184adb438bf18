"""The log of what hooks could not do has no secrets (RELIABILITY 4)."""

from __future__ import annotations

from pathlib import Path

from engrain.adapters.hooks.losses import Loss, log_path, note_loss, read_losses

SECRET = "ghp_" + "aB3dE6gH9" * 4


def test_a_reason_is_logged_without_its_secrets(tmp_path: Path) -> None:
    note_loss(str(tmp_path), Loss(1.0, "prompt", "claude-code", 5, f"no answer for {SECRET}"))
    assert SECRET not in Path(log_path(str(tmp_path))).read_text()
    (loss,) = read_losses(str(tmp_path), 0.0)
    assert loss.reason == "no answer for [redacted: github-token]"


def test_a_secret_is_not_saved_by_being_cut_in_two(tmp_path: Path) -> None:
    reason = "x" * 280 + " " + SECRET + " " + "y " * 10_000
    note_loss(str(tmp_path), Loss(1.0, "prompt", "claude-code", 5, reason))
    assert SECRET[:12] not in Path(log_path(str(tmp_path))).read_text()
