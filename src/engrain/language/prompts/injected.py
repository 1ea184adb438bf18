"""What stands in a user's message and the user did not say: contexts, reminders, commands' output,
memories that were recalled. None of it is a request, and none of it is learned again (S1.20)."""

from __future__ import annotations

import re

from engrain.language.text.fences import without_fences

_TAGS = (
    # Claude Code
    "system-reminder", "ide_opened_file", "ide_selection", "ide_diagnostics",
    "local-command-stdout", "local-command-stderr", "local-command-caveat", "command-message",
    "command-contents", "bash-input", "bash-stdout", "bash-stderr", "user-prompt-submit-hook",
    "session-start-hook", "task-notification", "new-diagnostics", "user-memory-input",
    # Codex
    "environment_context", "user_instructions", "INSTRUCTIONS", "permissions instructions",
    "collaboration_mode", "skill", "skills_instructions", "apps_instructions",
    "plugins_instructions", "user_shell_command", "turn_aborted", "subagent_notification",
    "model_switch", "image",
    # Gemini CLI, which escapes what hooks said
    "hook_context", "session_context",
)  # fmt: skip
_OPENING = re.compile(rf"<({'|'.join(map(re.escape, _TAGS))})(?:\s[^<>]*)?>")
_AGENTS_FILE = re.compile(r"^# AGENTS\.md instructions\b.*\n?", re.MULTILINE)
_COMMAND = re.compile(r"<command-name>\s*(.*?)\s*</command-name>", re.DOTALL)
_ARGUMENTS = re.compile(r"<command-args>\s*(.*?)\s*</command-args>", re.DOTALL)


def request_in(text: str) -> str:
    """Return what a user's message asks for, "" for nothing; for a command of the host its name and
    arguments."""
    text = without_fences(text)
    if command := _COMMAND.search(text):
        arguments = _ARGUMENTS.search(text)
        return " ".join([command[1], *(arguments[1].split() if arguments else ())])
    return _AGENTS_FILE.sub("", _without_injected(text)).strip()


def _without_injected(text: str) -> str:
    """The text less every whole element that a host puts there; one that is not closed stays."""
    kept: list[str] = []
    end = 0
    unclosed: set[str] = set()
    for opening in _OPENING.finditer(text):
        tag = opening[1]
        if opening.start() < end or tag in unclosed:
            continue
        closing = text.find(f"</{tag}>", opening.end())
        if closing < 0:
            unclosed.add(tag)
            continue
        kept.append(text[end : opening.start()])
        end = closing + len(tag) + 3
    return "".join([*kept, text[end:]])
