"""Task instances of several runs by what only the specs of their DAGs say: the operator, the queue, the group, the pool until they are queued. No index has it, so a list is searched in its order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from gnomon.api.v2.task_instance_filters import read_spec_fields
from gnomon.queries.report.listings.task_instance_details import TaskInstanceDetail
from gnomon.storage.store.pages.memory_pages import holds
from gnomon.storage.store.pages.page_query import Condition, PageQuery, Position
from gnomon.storage.store.pages.run_pages import ListedRun
from gnomon.storage.store.pages.task_instance_pages import ListedTaskInstance, TaskInstancePage

SEARCHED_MAX = 1_750
"""The most task instances that are read for one page."""
PIECE = 500
"""How many of them are read first; the rest is read at once."""

ReadPage: TypeAlias = Callable[[PageQuery], TaskInstancePage]
AddSpecs: TypeAlias = Callable[[Sequence[ListedTaskInstance]], Sequence[tuple[ListedRun, TaskInstanceDetail]]]


def search_specs(
    add_specs: AddSpecs, read: ReadPage, query: PageQuery, conditions: Sequence[Condition]
) -> TaskInstancePage:
    """The page of the task instances that also meet these conditions on their specs. At most SEARCHED_MAX task instances are read for it."""
    is_before = query.position is not None and query.position.is_before
    skipped = 0 if query.position is not None else query.offset
    pairs: list[tuple[ListedTaskInstance, tuple[object, ...]]] = []
    searched_to: tuple[object, ...] | None = None
    for page in _read_pieces(read, query):
        searched_to = page.searched_to
        fits = [
            all(holds(condition, fields) for condition in conditions)
            for fields in [read_spec_fields(detail) for _listed, detail in add_specs(page.instances)]
        ]
        fitting = [
            pair for pair, is_kept in zip(zip(page.instances, page.keys, strict=True), fits, strict=True) if is_kept
        ]
        pairs = [*fitting, *pairs] if is_before else [*pairs, *fitting]
        if len(pairs) > skipped + query.limit:
            break
    pairs = pairs[-(query.limit + 1) :] if is_before else pairs[skipped : skipped + query.limit + 1]
    has_more = len(pairs) > query.limit
    chosen = pairs[1:] if is_before and has_more else pairs[: query.limit]
    return TaskInstancePage(
        [instance for instance, _ in chosen],
        [keys for _, keys in chosen],
        has_more,
        None if has_more else searched_to,
    )


def _read_pieces(read: ReadPage, query: PageQuery) -> Iterator[TaskInstancePage]:
    """The list from the position of the page on, piece by piece; `searched_to` of the last one says where the search ended, if the list goes on."""
    position, is_before = query.position, query.position is not None and query.position.is_before
    for size in (PIECE, SEARCHED_MAX - PIECE):
        page = read(replace(query, limit=size, offset=0, position=position))
        end = page.keys[0 if is_before else -1] if page.has_more else page.searched_to
        yield replace(page, searched_to=end)
        if not page.has_more:
            return
        assert end is not None
        position = Position(end, is_before)
