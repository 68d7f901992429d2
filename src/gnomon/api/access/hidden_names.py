"""Sentences without the ids of DAGs that the user may not see: a reason may name any DAG that an upstream or a limit leads to."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from gnomon.api.access.visible_dags import VisibleDags

HIDDEN = "(a DAG that you may not see)"
_WORD = re.compile(r"[\w.-]+")


def build_name_filter(visible: VisibleDags) -> Callable[[str], str]:
    """A function that replaces the ids of hidden DAGs in a sentence by HIDDEN; it changes nothing for a user who sees all DAGs."""
    hidden = visible.hidden
    if not hidden:
        return lambda sentence: sentence
    unusual = sorted((dag_id for dag_id in hidden if _WORD.fullmatch(dag_id) is None), key=len, reverse=True)

    def hide(sentence: str) -> str:
        for dag_id in unusual:
            if dag_id in sentence:
                sentence = re.sub(rf"(?<![\w-]){re.escape(dag_id)}(?![\w-])", HIDDEN, sentence)
        return _WORD.sub(lambda word: _hide_in_word(word[0], hidden), sentence)

    return hide


def _hide_in_word(word: str, hidden: Collection[str]) -> str:
    """The word without hidden ids; an id may have dots, and dots may stand around it. Of several that begin at one place, the longest counts."""
    parts = word.split(".")
    shown: list[str] = []
    start = 0
    while start < len(parts):
        for end in range(len(parts), start, -1):
            if ".".join(parts[start:end]) in hidden:
                shown.append(HIDDEN)
                break
        else:
            end = start + 1
            shown.append(parts[start])
        start = end
    return ".".join(shown)
