"""The derived index on SQLite: metadata, names, links and full text, in a device-local folder."""
