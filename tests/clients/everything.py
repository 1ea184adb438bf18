"""A program that serves what the scenarios of the MCP conformance suite ask for, over the transport
and behind the guard of `engrain mcp --http`: what is tested is how we carry messages.

The suite knows no token, so each request is given the right one.
"""

from __future__ import annotations

import base64
import sys
from collections.abc import MutableMapping
from socket import create_server
from typing import Any

from fastmcp import Context
from fastmcp.exceptions import ToolError
from fastmcp.prompts import Message
from fastmcp.tools import Tool, ToolResult
from mcp.types import (
    AudioContent,
    EmbeddedResource,
    ImageContent,
    TextContent,
    TextResourceContents,
)

from engrain import open_memory
from engrain.adapters.mcp.fastmcp_server import make_app, make_server, serve_http
from engrain.adapters.mcp.guard import LoopbackGuard, Receive, Send
from engrain.adapters.mcp.process import leaving_on_signals

TOKEN = "the suite's"
PIXEL = base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()
SOUND = base64.b64encode(b"RIFF\0\0\0\0WAVEfmt ").decode()
SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
    "additionalProperties": False,
}


class Plain(Tool):
    """A tool whose schema is given, and which answers with a text."""

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        return ToolResult(content=f"called with {sorted(arguments)}")


def text_at(uri: str, text: str) -> EmbeddedResource:
    """A text that a message carries with it."""
    about = {"uri": uri, "mimeType": "text/plain", "text": text}
    contents = TextResourceContents.model_validate(about)
    return EmbeddedResource(type="resource", resource=contents)


def make_everything(vault: str, state: str) -> Any:
    """The server of a memory, with the tools, resources and prompts of the scenarios beside its
    own."""
    server = make_server(open_memory(vault, state_dir=state, create=True))
    shown = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
    image = ImageContent.model_validate(shown)

    @server.tool(description="One of the suite")
    def test_simple_text() -> str:
        return "This is a simple text response for testing."

    @server.tool(description="One of the suite")
    def test_image_content() -> ToolResult:
        return ToolResult(content=[image])

    @server.tool(description="One of the suite")
    def test_audio_content() -> ToolResult:
        heard = {"type": "audio", "data": SOUND, "mimeType": "audio/wav"}
        return ToolResult(content=[AudioContent.model_validate(heard)])

    @server.tool(description="One of the suite")
    def test_embedded_resource() -> ToolResult:
        return ToolResult(content=[text_at("test://embedded-resource", "This is embedded.")])

    @server.tool(description="One of the suite")
    def test_multiple_content_types() -> ToolResult:
        text = TextContent(type="text", text="Multiple content types test:")
        return ToolResult(content=[text, image, text_at("test://mixed-content-resource", "{}")])

    @server.tool(description="One of the suite")
    def test_error_handling() -> str:
        raise ToolError("This tool intentionally returns an error for testing")

    @server.tool(description="One of the suite")
    async def test_tool_with_logging(ctx: Context) -> str:
        for text in ("Tool execution started", "Tool processing data", "Tool execution completed"):
            await ctx.info(text)
        return "done"

    @server.tool(description="One of the suite")
    async def test_tool_with_progress(ctx: Context) -> str:
        for done in (0, 50, 100):
            await ctx.report_progress(done, 100)
        return "done"

    server.add_tool(
        Plain(name="json_schema_2020_12_tool", description="A schema", parameters=SCHEMA)
    )

    @server.resource("test://static-text", mime_type="text/plain")
    def static_text() -> str:
        return "This is the content of the static text resource."

    @server.resource("test://static-binary", mime_type="image/png")
    def static_binary() -> bytes:
        return base64.b64decode(PIXEL)

    @server.resource("test://template/{id}/data", mime_type="application/json")
    def template(id: str) -> str:  # noqa: A002 - the scenario's name
        return f'{{"id": "{id}", "templateTest": true, "data": "Data for ID: {id}"}}'

    @server.prompt(description="One of the suite")
    def test_simple_prompt() -> str:
        return "This is a simple prompt for testing."

    @server.prompt(description="One of the suite")
    def test_prompt_with_arguments(arg1: str, arg2: str) -> str:
        return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"

    @server.prompt(description="One of the suite")
    def test_prompt_with_embedded_resource(resourceUri: str) -> list[Message]:
        embedded = text_at(resourceUri, "Embedded resource content for testing.")
        return [Message(embedded), Message("Please process the embedded resource above.")]

    @server.prompt(description="One of the suite")
    def test_prompt_with_image() -> list[Message]:
        return [Message(image), Message("Please analyze the image above.")]

    return server


class WithToken:
    """The guard, to which each request comes with the right token."""

    def __init__(self, guard: LoopbackGuard) -> None:
        self._guard = guard

    def admits(self, headers: Any) -> bool:
        return self._guard.admits(self._add(headers))

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope = {**scope, "headers": list(self._add(dict(scope["headers"])).items())}
        await self._guard(scope, receive, send)

    @staticmethod
    def _add(headers: dict[bytes, bytes]) -> dict[bytes, bytes]:
        return {**headers, b"authorization": f"Bearer {TOKEN}".encode()}


def main(vault: str, state: str) -> None:
    """Serve until a signal comes; the first line that is printed is the port."""
    app = make_app(make_everything(vault, state))
    with create_server(("127.0.0.1", 0)) as listening:
        print(listening.getsockname()[1], flush=True)
        guard = WithToken(LoopbackGuard(app, TOKEN, "no file"))
        with leaving_on_signals() as is_asked_to_end:
            serve_http(guard, [listening], None, is_asked_to_end)


if __name__ == "__main__":
    main(*sys.argv[1:])
