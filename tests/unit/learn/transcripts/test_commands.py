"""Which action a command line is."""

from __future__ import annotations

import pytest

from engrain.learn.transcripts.actions import is_answer, join_command, read_command


@pytest.mark.parametrize(
    ("command", "action"),
    [
        ("pytest -q", "run_test"),
        (
            "cd src && PYTHONPATH=. timeout 60 .venv/bin/python -m pytest tests/test_a.py",
            "run_test",
        ),
        ("uv run pytest tests | tail -5", "run_test"),
        ("npm test", "run_test"),
        ("npm run test:unit -- --watch=false", "run_test"),
        ("npx vitest run", "run_test"),
        ("cargo test --all", "run_test"),
        ("go test ./...", "run_test"),
        ("./gradlew test", "run_test"),
        ("python manage.py test shop", "run_test"),
        ("python3 tests/test_shop.py", "run_test"),
        ("node --test", "run_test"),
        ("make check", "run_test"),
        ("npx tsc --noEmit", "run_build"),
        ("cargo build --release", "run_build"),
        ("npm run build", "run_build"),
        ("make", "run_build"),
        ("ruff check src", "run_check"),
        ("npm run lint", "run_check"),
        ("cargo clippy", "run_check"),
        ("git add -A && git commit -m 'make it so'", "commit"),
        ("git -c user.name=ada commit -m x", "commit"),
        ("pip install requests", "install"),
        ("npm i left-pad", "install"),
        ("cat src/a.py", "read_file"),
        ("cd src && sed -n 1,20p a.py", "read_file"),
        ("rg -n user src", "search"),
        ("curl -s https://example.org", "fetch"),
        ("cat > a.py <<'EOF'\nx = 1\nEOF", "write_file"),
        ("sed -i s/a/b/ a.py", "run_command"),
        ("cat a.py && rm a.py", "run_command"),
        ("python run.py", "run_command"),
        ("go run .", "run_command"),
        ("git status", "run_command"),
        ("", "run_command"),
        ("&& ;", "run_command"),
    ],
)
def test_a_command_line_is_the_action_that_decides_most(command: str, action: str) -> None:
    assert read_command(command).action == action


def test_a_shell_around_a_command_is_left_away() -> None:
    assert join_command(["bash", "-lc", "ls -l"]) == "ls -l"
    assert join_command(["ls", "a b"]) == "ls 'a b'"
    assert join_command({"no": "command"}) == ""


def test_a_file_that_a_command_writes_is_known() -> None:
    assert read_command("cat > src/a.py <<'EOF'\nx\nEOF").writes == "src/a.py"


@pytest.mark.parametrize(
    ("command", "text", "answer"),
    [
        ("grep -q x a", "", True),
        ("cd src && rg x", "\n", True),
        ("git diff --quiet", "", True),
        ("grep x a", "grep: a: No such file or directory", False),
        ("python run.py", "", False),
        ("", "", False),
    ],
)
def test_a_command_that_only_says_no_has_not_failed(command: str, text: str, answer: bool) -> None:
    assert is_answer(command, text) is answer


def test_a_long_line_is_read_at_once() -> None:
    assert read_command("a=" * 500_000).action == "run_command"
    assert read_command("echo " + "'" * 500_000).action == "run_command"
