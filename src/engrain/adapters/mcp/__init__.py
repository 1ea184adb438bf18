"""The MCP server: four tools, two resources and a prompt over one vault (S1.13)."""
