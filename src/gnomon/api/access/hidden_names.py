"""Sentences without the ids of DAGs and the names of baselines that the user may not see: a reason may name any DAG that an upstream or a limit leads to, and a baseline of another team on whose key path a task is."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.common.sentence_answers import HIDDEN_BASELINE

HIDDEN = "(a DAG that you may not see)"
_WORD = re.compile(r"[\w.-]+")
_BASELINE = re.compile(r"(baseline |基线|\bbaseline:)(['“]?)([\w.-]+)(['”]?)")
"""A baseline, as every sentence names it in every language, and the rule of one: a test of the catalogue keeps it so."""


def build_name_filter(visible: VisibleDags) -> Callable[[str], str]:
    """A function that replaces the ids of hidden DAGs in a sentence by HIDDEN, and hidden baselines by HIDDEN_BASELINE; it changes nothing for a user who sees all DAGs."""
    hidden = visible.hidden
    if visible.is_all:
        return lambda sentence: sentence
    unusual = sorted((dag_id for dag_id in hidden if _WORD.fullmatch(dag_id) is None), key=len, reverse=True)

    def hide(sentence: str) -> str:
        sentence = _BASELINE.sub(lambda match: _hide_baseline(match, visible), sentence)
        for dag_id in unusual:
            if dag_id in sentence:
                sentence = re.sub(rf"(?<![\w-]){re.escape(dag_id)}(?![\w-])", HIDDEN, sentence)
        return _WORD.sub(lambda word: _hide_in_word(word[0], hidden), sentence)

    return hide


def _hide_baseline(match: re.Match[str], visible: VisibleDags) -> str:
    word, before, name, after = match.groups()
    is_named = bool(before and after) or word.endswith(":")  # elsewhere it is the word
    return match[0] if not is_named or name in visible.baselines else f"{word}{HIDDEN_BASELINE}"


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
