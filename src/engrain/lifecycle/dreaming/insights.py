"""What many notes say together: the same statement, made in several sessions, of which each is a
witness (S1.17).

Nothing is concluded: what is proposed is a note that says what they say, in their words, each cited.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from engrain.lifecycle.dreaming.finding import INSIGHT, Finding
from engrain.model.days import format_day
from engrain.model.shared_statements import LEAST_WORDS, Statement, buckets_of, share

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from engrain.engine.store import Store
    from engrain.model.memo import Memo
