"""Sketches: texts that share rare words are candidates, and nothing is compared with everything."""

from __future__ import annotations

from engrain.language.near_copies import Sketches, read_features

FILLING = "the quick brown fox jumps over a lazy dog near an old mill by some slow river"


def pairs(*texts: str) -> list[tuple[int, int]]:
    sketches = Sketches()
    for text in texts:
        sketches.add(read_features([text.split()]))
    return list(sketches.find_pairs())


def test_a_text_and_its_reworded_copy_are_a_pair() -> None:
    assert pairs(
        "rotate the signing key before every release of the importer",
        "lunch is served at noon in the canteen of the office",
        "rotate the signing key before any release of the importer please",
    ) == [(0, 2)]


def test_texts_without_a_word_in_common_are_none() -> None:
    assert pairs("alpha beta gamma delta", "one two three four") == []


def test_what_very_many_have_names_no_candidate() -> None:
    assert pairs(*[FILLING for _ in range(60)]) == []


def test_a_copy_is_found_among_many_that_share_its_phrases() -> None:
    many = [f"{FILLING} ticket{n} owner{n} shelf{n}" for n in range(60)]
    assert pairs(*many, f"ticket7 owner7 shelf7 {FILLING}") == [(7, 60)]


def test_of_a_long_text_a_part_is_kept_and_enough_to_find_its_copy() -> None:
    long = " ".join(f"word{n}" for n in range(3_000))
    assert pairs(long, "nothing alike here", long + " and more") == [(0, 2)]


def test_a_copy_is_found_where_each_of_its_phrases_is_in_very_many() -> None:
    # Any two of the parts are in some hundred texts, all three together in one and its copy.
    parts = [
        [f"{sort}{at} {sort}{at}a {sort}{at}b {sort}{at}c" for at in range(5)] for sort in "xyzuvw"
    ]
    texts = [
        " ".join(part[(number // 5**at) % 5] for at, part in enumerate(parts))
        for number in range(0, 5**6, 17)
    ]
    found = pairs(*texts, f"so {texts[444]} then")
    assert (444, len(texts)) in found
