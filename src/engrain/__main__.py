"""`python -m engrain` and the `engrain` command."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line on this process's arguments and leave with its exit code."""
    from engrain.adapters.cli.main import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
