"""Each rule of the source tree catches a violation that is planted in a small tree."""

from __future__ import annotations

from pathlib import Path

from house import rules
from house.reading import Module, read_modules


def plant(folder: Path, **files: str) -> dict[str, Module]:
    """The modules of a tree with these files: dots for folders as `__`, `engrain` left out."""
    for name, text in files.items():
        path = folder.joinpath(*name.split("__")).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return read_modules(folder)


def test_an_import_of_the_model_in_language_is_caught(tmp_path: Path) -> None:
    modules = plant(
        tmp_path,
        language__words="def planted():\n    from engrain.model import note\n    return note\n",
        language__days="from engrain.language import words\n",
        model__note="",
    )
    found = list(rules.find_below_language(modules))
    assert found == ["engrain.language.words imports engrain.model.note"]


def test_two_classes_of_one_name_are_caught(tmp_path: Path) -> None:
    modules = plant(
        tmp_path,
        model__note="class Note: ...\n",
        seam__port="def make():\n    class Note: ...\n    return Note\n",
        seam__rows="class Row: ...\n",
    )
    assert list(rules.find_namesakes(modules)) == [
        "Note is a class of engrain.model.note, engrain.seam.port"
    ]


def test_a_crowded_folder_is_caught_and_a_full_one_is_not(tmp_path: Path) -> None:
    full = {f"model__m{number}": "" for number in range(25)}
    assert list(rules.find_crowds(plant(tmp_path / "full", **full))) == []
    crowded = plant(tmp_path / "crowded", **full, model__one_more="")
    assert list(rules.find_crowds(crowded)) == ["engrain.model has 26 modules"]


def test_four_modules_of_one_first_word_are_caught_and_three_are_not(tmp_path: Path) -> None:
    three = {"model__note": "", "model__note_ids": "", "model__note_kinds": ""}
    assert list(rules.find_crowds(plant(tmp_path / "three", **three))) == []
    four = plant(tmp_path / "four", **three, model__note_names="")
    assert list(rules.find_crowds(four)) == ["engrain.model.note_* are 4 modules"]


def test_a_small_module_of_one_neighbour_is_caught(tmp_path: Path) -> None:
    modules = plant(
        tmp_path,
        engine__save="from engrain.engine import crumb, large, shared, table\n",
        engine__recall="from engrain.engine.shared import run\n",
        engine__crumb="def run(): ...\n",
        engine__large="def run(): ...\n" + "\n" * 80,
        engine__shared="def run(): ...\n",
        engine__table="ROWS = (1, 2, 3)\n",
        seam__port="class Port: ...\n",
        seam__user="from engrain.seam.port import Port\n",
    )
    assert list(rules.find_crumbs(modules)) == ["crumb belongs into save"]


def test_a_command_in_a_module_of_another_name_is_caught(tmp_path: Path) -> None:
    commands = {
        name: f"engrain.cli.{module}"
        for name, module in {
            "import": "import_",
            "try-out": "try_out",
            "recall": "reading",
            "save": "gone",
        }.items()
    }
    modules = plant(tmp_path, cli__import_="", cli__try_out="", cli__reading="")
    found = list(rules.find_misnamed(modules, commands))
    assert found == ["recall lives in reading", "save has no module engrain.cli.gone"]


def test_docstrings_that_a_stranger_reads_twice_are_caught(tmp_path: Path) -> None:
    modules = plant(
        tmp_path,
        model__note=(
            '"""Notes are read here."""\n'
            'def unfinished():\n    """Read the note"""\n'
            'def dotted():\n    """... and the rest."""\n'
            'class Plain:\n    """`Plain` is good."""\n'
            '    def private(self):\n        """Say what none was told, and of none."""\n'
            'def _hidden():\n    """of none"""\n'
        ),
    )
    assert list(rules.find_docstrings(modules)) == [
        "unfinished does not end its first paragraph with a period",
        "dotted does not start with a word",
        "Plain.private says “of none”",
        "Plain.private says “told”",
    ]


def test_functions_without_a_verb_that_everyone_knows_are_caught(tmp_path: Path) -> None:
    modules = plant(
        tmp_path,
        model__note=(
            'def _tell_day():\n    """Return the day."""\n'
            'def key_of():\n    """The key of a name."""\n'
            'def settle_fact():\n    """Decide a dispute."""\n'
            "class Note:\n"
            '    @property\n    def title(self):\n        """The first heading."""\n'
            '    def settle_all(self):\n        """What is left."""\n'
        ),
    )
    assert sorted(rules.find_vague(modules)) == [
        "_tell_day is named by a private verb",
        "key_of is described by no verb",
        "settle_all is described by no verb",
        "settle_all is named by a private verb",
    ]


def test_branches_above_the_bound_are_counted(tmp_path: Path) -> None:
    twelve = "def {name}(a, b):\n" + "    if a and b:\n        pass\n" * 6
    modules = plant(
        tmp_path,
        model__note=(
            twelve.format(name="full")
            + twelve.format(name="over")
            + "    for c in [d for d in a if d]:\n        pass\n"
            + "    def inside():\n        return 1 if a else 2\n"
        ),
    )
    assert list(rules.find_branchy(modules)) == ["over", "over"]


def test_a_string_that_names_nothing_is_caught(tmp_path: Path) -> None:
    (tmp_path / "model" / "note").mkdir(parents=True)
    (tmp_path / "model" / "note" / "__init__.py").touch()
    modules = plant(
        tmp_path,
        engine__table=(
            '_HERE = "engrain.model.note"\n'
            'ROWS = ("engrain.model.note.gone", f"{_HERE}.lost:run", f"{_HERE}.note:make_gone")\n'
            'GOOD = ("engrain.model.note.note", f"{_HERE}.note:is_id", "engrain.ts", "engrain")\n'
        ),
        model__note__note="",
    )
    assert list(rules.find_unresolved(modules)) == [
        "engrain.engine.table names engrain.model.note.gone",
        "engrain.engine.table names engrain.model.note.lost:run",
        "engrain.engine.table names engrain.model.note.note:make_gone",
    ]
