"""`python -m engrain`, the `engrain` command, and the script that hosts run for hooks."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line on this process's arguments and leave with its exit code."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["hook"] and not {"-h", "--help"}.intersection(arguments):
        # Inside every prompt: none of the command line's own modules is loaded for it.
        from engrain.adapters.hooks.main import run as run_hook

        run_hook(arguments[1:])
    from engrain.adapters.cli.main import run

    sys.exit(run(arguments))


def _find_packages() -> None:
    """Make packages importable where the interpreter was started without `site` (-S), which takes
    a quarter of its time: those beside this one, and those of its virtual environment."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    prefix = os.path.dirname(os.path.dirname(sys.executable))
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    below = ("Lib",) if os.name == "nt" else ("lib", version)
    folders = [here, os.path.join(prefix, *below, "site-packages")]
    sys.path += folders
    if not any(os.path.isdir(os.path.join(folder, "apsw")) for folder in folders):
        import site

        site.main()


if __name__ == "__main__":
    if "site" not in sys.modules:
        _find_packages()
    main()
