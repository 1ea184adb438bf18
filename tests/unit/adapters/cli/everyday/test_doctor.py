"""init, config, doctor, completion, and the store that is chosen by name."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from unit.adapters.shell import CommandLine, Shell


def config_file(folder: Path) -> Path:
    return folder / "home" / ".config" / "engrain" / "config.toml"


def error_of(answer: dict[str, object]) -> Any:
    return answer["error"]


def findings_of(cli: CommandLine, *more: str) -> Any:
    data = cli("doctor", "--json", *more).answer["data"]
    return data["findings"]


def test_init_with_a_folder_makes_it_the_default_vault(bare: CommandLine) -> None:
    data = bare("init", str(bare.vault), "--json").answer["data"]
    vault = json.loads((bare.vault / ".engrain" / "vault.json").read_text())["id"]
    assert data == {
        "id": vault,
        "vault": str(bare.vault),
        "backend": "device-local",
        "config": str(config_file(bare.folder)),
    }
    assert bare("save", "Found without a flag.").code == 0
    assert "Found without a flag." in bare("list").out


def test_init_leaves_a_default_that_is_set(bare: CommandLine) -> None:
    assert bare("init", str(bare.vault)).code == 0
    before = config_file(bare.folder).read_bytes()
    data = bare("init", str(bare.folder / "other"), "--json").answer["data"]
    assert data["config"] is None
    assert config_file(bare.folder).read_bytes() == before


def test_init_without_a_folder_writes_no_configuration(bare: CommandLine) -> None:
    assert bare("init").code == 5
    assert bare("init", "--vault", str(bare.vault)).code == 0
    assert not config_file(bare.folder).exists()


def test_init_under_engrain_vault_writes_no_configuration(cli: CommandLine) -> None:
    assert cli("init", str(cli.folder / "other")).code == 0
    assert (cli.folder / "other" / ".engrain" / "vault.json").is_file()
    assert not config_file(cli.folder).exists()


def test_init_takes_in_the_notes_that_are_there(bare: CommandLine) -> None:
    bare.vault.mkdir()
    note = bare.vault / "old.md"
    note.write_text("# Old\n\nWritten before Engrain came.\n")
    assert bare("init", str(bare.vault)).code == 0
    assert note.read_text() == "# Old\n\nWritten before Engrain came.\n"
    assert "1. Old" in bare("recall", "written").out


def test_a_value_that_is_set_is_read_back_and_can_be_unset(bare: CommandLine) -> None:
    assert bare("config", "set", "agent", "eng-001").code == 0
    data = bare("config", "get", "agent", "--json").answer["data"]
    assert list(data) == ["agent"]
    assert data["agent"]["value"] == "eng-001"
    assert str(config_file(bare.folder)) in data["agent"]["origin"]
    assert bare("config", "unset", "agent").code == 0
    data = bare("config", "get", "agent", "--json").answer["data"]
    assert (data["agent"]["value"], data["agent"]["origin"]) == ("", "default")


@pytest.mark.parametrize("key", ["decay.sessions", "heat.hits"])
def test_what_a_setting_can_not_be_is_refused_as_it_is_set(bare: CommandLine, key: str) -> None:
    refused = bare("config", "set", key, "nan")
    assert refused.code == 1
    assert f"{key} is 'nan'" in refused.err
    assert "nan" not in bare("config", "get", key).out


def test_setting_keeps_the_comments_of_the_file(bare: CommandLine) -> None:
    file = config_file(bare.folder)
    file.parent.mkdir(parents=True)
    file.write_text('# mine\nagent = "a"  # who\n\n# the end\n')
    assert bare("config", "set", "agent", "b").code == 0
    assert file.read_text() == '# mine\nagent = "b"  # who\n\n# the end\n'


def test_config_path_tells_the_file(bare: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    assert bare("config", "path").out == f"{config_file(bare.folder)}\n"
    monkeypatch.setenv("ENGRAIN_CONFIG", str(bare.folder / "mine.toml"))
    assert bare("config", "path").out == f"{bare.folder / 'mine.toml'}\n"


def test_config_shows_every_setting_with_its_origin(cli: CommandLine) -> None:
    data = cli("config", "--json", "--project", "billing").answer["data"]
    assert data["vault"]["origin"] == "environment ENGRAIN_VAULT"
    assert data["project"]["origin"] == "flag --project"
    assert data["backend"] == {**data["backend"], "value": "auto", "origin": "default"}


@pytest.mark.parametrize("argv", [["get", "nothing"], ["set", "nothing", "x"]])
def test_a_wrong_call_of_config_changes_nothing(bare: CommandLine, argv: list[str]) -> None:
    assert bare("config", *argv).code == 2
    assert not config_file(bare.folder).exists()


def test_a_configuration_that_is_not_toml_is_named(bare: CommandLine) -> None:
    file = config_file(bare.folder)
    file.parent.mkdir(parents=True)
    file.write_text("vault = \n")
    for argv in (["list"], ["config"], ["config", "set", "agent", "x"]):
        done = bare(*argv, "--json")
        assert done.code == 1
        assert error_of(done.answer)["code"] == "config"
        assert error_of(done.answer)["path"] == str(file)
    assert file.read_text() == "vault = \n"


@pytest.mark.parametrize("key", ["vault", "backend", "state_dir", "agent"])
def test_a_project_file_may_not_choose_where_memory_goes(cli: CommandLine, key: str) -> None:
    file = cli.folder / "here" / ".engrain.toml"
    file.write_text(f'{key} = "/elsewhere"\n')
    done = cli("list", "--json")
    assert done.code == 1
    assert error_of(done.answer)["path"] == str(file)
    assert key in error_of(done.answer)["message"]


def test_a_project_file_names_the_project(cli: CommandLine) -> None:
    (cli.folder / "here" / ".engrain.toml").write_text('project = "billing"\n')
    saved = cli.save("Round once.", "--kind", "decision")
    assert cli("show", saved["id"]).out.count("billing") == 1


def test_doctor_tells_the_resolution_and_finds_nothing_wrong(cli: CommandLine) -> None:
    done = cli("doctor")
    assert done.code == 0
    assert f"vault: {cli.vault} (from environment ENGRAIN_VAULT)\n" in done.out
    assert "backend: device-local (nothing synchronises the folder)\n" in done.out
    assert {finding["level"] for finding in findings_of(cli)} == {"ok"}
    assert cli("doctor", "--strict").code == 0


def test_doctor_with_warnings_exits_0_and_strictly_1(cli: CommandLine) -> None:
    (cli.vault / "broken.md").write_text("---\ntitle: [\n---\n")
    done = cli("doctor")
    assert done.code == 0
    assert "note  check: 1 error; see `engrain check`" in done.out
    assert "note  unreadable: broken.md:3: " in done.out
    assert "correct it in an editor" in done.out
    _, finding = (found for found in findings_of(cli) if found["level"] != "ok")
    assert (finding["level"], finding["path"], finding["line"]) == ("warning", "broken.md", 3)
    assert finding["remedy"]
    strict = cli("doctor", "--strict", "--json")
    assert strict.code == 1
    assert strict.answer["ok"] is True


def test_check_exits_1_when_the_history_is_broken(cli: CommandLine) -> None:
    cli.save("Words that will be altered.")
    cli.save("Words that stand on them.")
    (segment,) = (cli.vault / ".engrain" / "history").glob("*/*.log")
    raw = bytearray(segment.read_bytes())
    raw[raw.index(b"save")] ^= 1
    segment.write_bytes(raw)
    assert cli("check", "history").code == 1
    assert cli("check", "--deep").code == 1


def test_doctor_leaves_the_vault_as_it_is(cli: CommandLine) -> None:
    cli.save("Some words.")
    before = {path: path.read_bytes() for path in cli.vault.rglob("*") if path.is_file()}
    assert cli("doctor").code == 0
    assert {path: path.read_bytes() for path in cli.vault.rglob("*") if path.is_file()} == before
    assert not list(cli.state.glob("round-trip-*"))


def test_a_backend_nobody_knows_is_never_replaced_by_another(cli: CommandLine) -> None:
    for argv in (["save", "Words."], ["list"], ["doctor"], ["init"]):
        done = cli(*argv, "--backend", "elsewhere", "--json")
        assert done.code == 5, argv
        assert error_of(done.answer)["code"] == "backend_unavailable"
        assert "device-local" in error_of(done.answer)["remedy"]
    assert cli("list").out == "0 in all\n"


def test_a_configured_backend_that_can_not_be_loaded_is_never_replaced(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_distribution(cli.folder / "site", "broken", "no_such_module_here")
    monkeypatch.syspath_prepend(str(cli.folder / "site"))
    assert cli("config", "set", "backend", "broken").code == 0
    before = set(cli.vault.rglob("*.md"))
    done = cli("save", "Words.", "--json")
    assert done.code == 5
    assert error_of(done.answer)["code"] == "backend_unavailable"
    assert set(cli.vault.rglob("*.md")) == before


def make_distribution(site: Path, name: str, module: str) -> None:
    """What an installed package with a backend leaves: metadata that names an entry point."""
    info = site / f"engrain_{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: engrain-{name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[engrain.backends]\n{name} = {module}\n")


def test_a_backend_of_another_package_is_found_by_its_name(bare_shell: Shell) -> None:
    site = bare_shell.folder / "site"
    make_distribution(site, "filing-cabinet", "filing_cabinet")
    (site / "filing_cabinet.py").write_text(
        "import os\n"
        "from engrain.backends.device_local import open_backend as open_folder\n"
        "def open_backend(request):\n"
        "    request.location = os.path.join(request.location, 'drawer')\n"
        "    return open_folder(request)\n"
    )
    environ = {
        "PYTHONPATH": os.pathsep.join((bare_shell.environ["PYTHONPATH"], str(site))),
        "ENGRAIN_VAULT": str(bare_shell.vault),
        "ENGRAIN_STATE_DIR": str(bare_shell.state),
        "ENGRAIN_BACKEND": "filing-cabinet",
    }
    assert bare_shell.run("init", environ=environ).code == 0
    assert bare_shell.run("save", "Filed by another.", environ=environ).code == 0
    assert "Filed by another." in bare_shell.run("list", environ=environ).out
    assert len(list((bare_shell.vault / "drawer").rglob("*.md"))) == 1
    preview = bare_shell.run("doctor", environ=environ).out
    assert "backend: filing-cabinet (from environment ENGRAIN_BACKEND)\n" in preview
    without = bare_shell.run("list", environ={**environ, "PYTHONPATH": ""})
    assert without.code in (1, 5)


def test_a_state_folder_inside_the_vault_is_refused(cli: CommandLine) -> None:
    inside = cli.vault / ".state"
    for argv in (["list"], ["save", "x"], ["init"]):
        done = cli(*argv, "--state-dir", str(inside), "--json")
        assert done.code == 1
        error = error_of(done.answer)
        assert (error["code"], error["path"]) == ("state_in_synced_folder", str(inside))
        assert "ENGRAIN_STATE_DIR" in error["remedy"]
    assert not inside.exists()


@pytest.mark.parametrize("shell_name", ["bash", "zsh", "tcsh"])
def test_a_completion_script_is_printed(bare: CommandLine, shell_name: str) -> None:
    done = bare("config", "completion", shell_name)
    assert done.code == 0
    for word in ("evolve", "state-dir", "include-archive"):
        assert word in done.out


@pytest.mark.parametrize("shell_name", ["bash", "zsh", "tcsh"])
def test_a_completion_script_is_good_syntax(bare: CommandLine, shell_name: str) -> None:
    program = shutil.which(shell_name)
    if program is None:
        pytest.skip(f"{shell_name} is not installed here")
    script = bare.folder / "script"
    script.write_bytes(bare("config", "completion", shell_name).raw)
    done = subprocess.run([program, "-n", str(script)], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_bash_completes_commands_and_options(bare_shell: Shell) -> None:
    done = bare_shell.sh(
        "source <(engrain config completion bash)\n"
        'complete_words() { COMP_WORDS=(engrain "$@"); COMP_CWORD=$#; COMPREPLY=();'
        ' _shtab_engrain engrain "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}";'
        ' echo "${COMPREPLY[@]}"; }\n'
        "complete_words reca; complete_words recall --incl; complete_words config comp"
    )
    assert done.out.splitlines() == [
        "recall",
        "--include-archive --include-superseded --include-inbox",
        "completion",
    ]


def test_an_unknown_shell_is_a_usage_error(bare: CommandLine) -> None:
    assert bare("config", "completion", "oil").code == 2


def test_reindex_rebuilds_what_was_deleted(cli: CommandLine) -> None:
    saved = cli.save("The lighthouse keeper counts.")
    before = cli("recall", "lighthouse", "--json").answer["data"]
    for index in cli.state.glob("vaults/*/index"):
        shutil.rmtree(index)
    assert cli("jobs", "reindex").out == "indexed 1 entries\n"
    assert cli("recall", "lighthouse", "--json").answer["data"] == before
    assert saved["id"] in cli("list").out


@pytest.mark.skipif(sys.platform != "linux", reason="the XDG rule is Linux's")
def test_state_lies_in_the_platforms_folder_by_default(bare: CommandLine) -> None:
    assert bare("init", str(bare.vault)).code == 0
    assert (bare.folder / "home" / ".local" / "state" / "engrain" / "device").is_file()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("decay.weight", "7"),
        ("decay.sessions", "many"),
        ("archive.t3", "never"),
        ("heat.cold", "9"),
    ],
)
def test_a_policy_that_no_job_could_run_by_is_not_set(
    cli: CommandLine, key: str, value: str
) -> None:
    done = cli("config", "set", key, value)
    assert done.code == 1
    assert key in done.err
    assert '"origin": "default"' in cli("config", "get", key, "--json").out
