"""Agents' hosts: what `setup` puts into their configuration, and takes out with `--remove`."""
