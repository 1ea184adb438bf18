"""The MCP server: four tools over one vault (S1.13)."""
