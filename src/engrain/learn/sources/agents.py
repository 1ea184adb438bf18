"""Agents' own transcripts as turns: what the operator asked for and what the agent said.

What tools gave is no turn, nor is what a sub-agent was told and said; what the host or a recall put
into a message was taken out by `learn.transcripts.injected` (S1.20)."""

from __future__ import annotations

from collections.abc import Iterable

from engrain.language.text.fences import without_fences
from engrain.learn.sources.pieces import Items
from engrain.learn.sources.stream import Stream
from engrain.learn.transcripts.claude_code import read_claude_code
from engrain.learn.transcripts.codex import read_codex
from engrain.learn.transcripts.events import Event, Request, Said, Session
from engrain.model.facts.fact import CONVERSATION
from engrain.model.facts.turns import AGENT, OPERATOR, Conversation, Turn


def read_claude_code_turns(stream: Stream) -> Items:
    """The turns of a session of Claude Code."""
    return _turns(stream, read_claude_code(stream.records(), stream.passed))


def read_codex_turns(stream: Stream) -> Items:
    """The turns of a session of Codex."""
    return _turns(stream, read_codex(stream.records(), stream.passed))


def _turns(stream: Stream, events: Iterable[Session | Event]) -> Items:
    """`stream` keeps where it ran and whose it is, for the run that reads on where this ends."""
    name = stream.ref or stream.name.rpartition("/")[2].partition(".")[0]
    yield Conversation(name, CONVERSATION, (), stream.at, stream.cwd)
    for event in events:
        if isinstance(event, Session):
            name = event.session or name
            stream.cwd = event.cwd or stream.cwd
            stream.agent = event.agent
            yield Conversation(name, CONVERSATION, (), stream.at, stream.cwd)
        elif event.stream or stream.agent:
            continue
        elif isinstance(event, Request):
            yield Turn("", OPERATOR, event.text, event.at, event.key)
        elif isinstance(event, Said) and (said := without_fences(event.text).strip()):
            yield Turn("", AGENT, said, event.at, "" if event.at is None else str(event.at))
