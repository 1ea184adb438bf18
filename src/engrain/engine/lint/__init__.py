"""Lint: what in a vault is not as it should be, what of that can be fixed without a doubt, and the
one change that fixes it."""
