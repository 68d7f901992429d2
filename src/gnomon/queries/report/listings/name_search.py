"""Finds DAGs and tasks by parts of their names: the best matches first, among equal ones those of the DAG that ran last."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from gnomon.model.instants import EARLIEST, Instant
from gnomon.queries.report.listings.dag_facts import FactsOfAll

FITTING_MAX = 10_000
"""The most names that are compared with one another; of more, those of the DAGs that ran last."""
LOOSE_NAMES_MAX = 30_000
"""The most names that are compared letter by letter, when too few contain the text; those of the DAGs that ran last."""
TASK_LENGTH_MIN = 2
"""One letter is in nearly every name of a task."""
LOOSE_LENGTH_MIN = 3
"""A shorter text fits nearly every name letter by letter."""
_WHOLE, _START, _PART, _WITHIN = 4, 3, 2, 1
"""How well a word fits: it is the name, its start, the start of a part, or occurs in it."""


class FoundDag(NamedTuple):
    """A DAG that fits."""

    dag_id: str
    display_name: str


class FoundTask(NamedTuple):
    """A task that fits."""

    dag_id: str
    task_id: str


class FoundNames(NamedTuple):
    """What fits a text, the best first."""

    dags: list[FoundDag]
    tasks: list[FoundTask]


def search_names(
    facts: FactsOfAll, newest_runs: Mapping[int, Instant], text: str, most: int, is_visible: Callable[[str], bool]
) -> FoundNames:
    """The DAGs that a file defines, and their tasks, in whose names each word of the text occurs; at most `most` of each.

    A word may name the DAG of a task. Where fewer fit, names follow that have the letters of the text in its order.
    `newest_runs`: by DAG, when its newest run was due.
    """
    words = text.lower().split()
    searched = [dag for dag in facts.derive("searched names", lambda: _list_searched(facts)) if is_visible(dag.dag_id)]
    searched.sort(key=lambda dag: -newest_runs.get(dag.dag_pk, EARLIEST))
    found_dags = _choose_best(_find_dags(searched, words), most)
    found_tasks = _choose_best(_find_tasks(searched, words), most) if len(text.strip()) >= TASK_LENGTH_MIN else []
    if len(words) == 1 and len(words[0]) >= LOOSE_LENGTH_MIN:
        if len(found_dags) < most:
            found_dags += _choose_best(_find_loose_dags(searched, words[0]), most - len(found_dags))
        if len(found_tasks) < most:
            found_tasks += _choose_best(_find_loose_tasks(searched, words[0]), most - len(found_tasks))
    return FoundNames(
        [FoundDag(dag.dag_id, dag.display_name) for dag, _ in found_dags],
        [FoundTask(dag.dag_id, dag.task_ids.split("\n")[line]) for dag, line in found_tasks],
    )


class _SearchedDag(NamedTuple):
    dag_pk: int
    dag_id: str
    display_name: str
    name: str
    """The id and the display name in small letters."""
    task_ids: str
    """A line for each task."""
    task_names: str
    """The same in small letters."""


_Found = tuple[_SearchedDag, int]
"""A DAG, and the line of the task in its `task_ids`; 0 for the DAG itself."""


def _list_searched(facts: FactsOfAll) -> list[_SearchedDag]:
    listed = []
    for dag_pk in sorted(facts.active, key=lambda dag_pk: facts.by_dag[dag_pk].spec.dag_id):
        version = facts.by_dag[dag_pk]
        dag_id, display_name = version.spec.dag_id, version.display_name
        name = dag_id if display_name == dag_id else f"{dag_id} {display_name}"
        listed.append(
            _SearchedDag(dag_pk, dag_id, display_name, name.lower(), version.task_ids, version.task_ids.lower())
        )
    return listed


def _choose_best(matches: Iterable[tuple[int, _Found]], most: int) -> list[_Found]:
    """The matches with the highest scores; equal ones stay in their order."""
    by_score: dict[int, list[_Found]] = {}
    for score, match in matches:
        equal_ones = by_score.setdefault(score, [])
        if len(equal_ones) < most:
            equal_ones.append(match)
    return [match for score in sorted(by_score, reverse=True) for match in by_score[score]][:most]


def _find_dags(searched: list[_SearchedDag], words: list[str]) -> Iterator[tuple[int, _Found]]:
    for dag in searched:
        if all(word in dag.name for word in words):
            yield sum(_fit(word, dag.name) for word in words), (dag, 0)


def _find_tasks(searched: list[_SearchedDag], words: list[str]) -> Iterator[tuple[int, _Found]]:
    """A DAG whose names of tasks lack a word, which is not in its own name either, is passed over at once."""
    fitting = 0
    for dag in searched:
        names = dag.task_names
        if not any(word in names for word in words) or not all(word in names or word in dag.name for word in words):
            continue
        for line, name in enumerate(names.split("\n")):
            in_name = [word for word in words if word in name]
            if in_name and all(word in name or word in dag.name for word in words):
                fitting += 1
                yield sum(_fit(word, name) for word in in_name), (dag, line)
        if fitting >= FITTING_MAX:
            return


def _find_loose_dags(searched: list[_SearchedDag], word: str) -> Iterator[tuple[int, _Found]]:
    pattern = _compile_letters(word)
    for dag in searched:
        if word not in dag.name and pattern.search(dag.name):
            yield 0, (dag, 0)


def _find_loose_tasks(searched: list[_SearchedDag], word: str) -> Iterator[tuple[int, _Found]]:
    pattern, compared = _compile_letters(word), 0
    for dag in searched:
        if pattern.search(dag.task_names):
            for line, name in enumerate(dag.task_names.split("\n")):
                if word not in name and pattern.search(name):
                    yield 0, (dag, line)
        compared += dag.task_names.count("\n") + 1
        if compared >= LOOSE_NAMES_MAX:
            return


def _compile_letters(word: str) -> re.Pattern[str]:
    """The letters in this order with anything of the same line between them."""
    return re.compile(".*?".join(map(re.escape, word)))


def _fit(word: str, name: str) -> int:
    at = name.find(word)
    if at == 0:
        return _WHOLE if len(name) == len(word) else _START
    while at > 0:
        if not name[at - 1].isalnum():
            return _PART
        at = name.find(word, at + 1)
    return _WITHIN
