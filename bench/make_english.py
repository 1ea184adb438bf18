"""Make the table of English word frequencies that recall reads: `src/engrain/index/english.bin`.

    pip install wordfreq==3.1.1
    python -m bench.make_english

The frequencies are those of wordfreq (Robyn Speer, 2022), data under CC BY-SA 4.0. Words are kept
from the most frequent on, as far as there is room; `english.py` describes the layout.
"""

from __future__ import annotations

import hashlib
import re
import sys

from engrain.index import english

_WORD = re.compile(r"[^\W_]+")


def main() -> int:
    """Write the table, and print its checksum."""
    from wordfreq import iter_wordlist, zipf_frequency  # type: ignore[import-not-found]

    buckets: list[dict[int, int]] = [{} for _ in range(english.BUCKETS)]
    left_out = 0
    for word in iter_wordlist("en", wordlist="large"):
        if not _WORD.fullmatch(word) or word.isdigit():
            continue
        bucket, mark = english.place(word)
        full = len(buckets[bucket]) == english.SLOTS
        left_out += full
        if not full:  # the first to come is the most frequent
            zipf = zipf_frequency(word, "en")
            buckets[bucket].setdefault(mark, min(255, round(zipf * english.STEPS)))
    raw = b"".join(
        b"".join(
            mark.to_bytes(2, "little") + bytes([value]) for mark, value in words.items()
        ).ljust(english.BUCKET_BYTES, b"\0")
        for words in buckets
    )
    with open(english.TABLE, "wb") as file:
        file.write(raw)
    print(f"{sum(map(len, buckets))} words, {left_out} left out, {len(raw)} bytes")
    print(f"sha256 {hashlib.sha256(raw).hexdigest()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
