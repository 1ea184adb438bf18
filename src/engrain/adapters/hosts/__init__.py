"""Agents' hosts: what `setup` puts into their configuration, and `uninstall` takes out again."""
