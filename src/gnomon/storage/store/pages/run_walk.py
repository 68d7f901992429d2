"""Task instances of many runs that a condition without an index selects: their runs are read in the order of the list, piece by piece, up to a number.

`task_instance` has an index on its key and on its unsuccessful states only: each further one would cost every task. So the runs are found first, by the
index of a range of their own times, or by what the times of a task instance say about its run: a run does not end before its task instances.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from gnomon.model.instants import SECOND, Instant
from gnomon.storage.store.address import POSTGRESQL
from gnomon.storage.store.pages.page_query import Condition, FoundRows, Operator, PageQuery, Position, SortKey
from gnomon.storage.store.pages.page_reader import count_rows, read_page
from gnomon.storage.store.pages.run_pages import count_runs
from gnomon.storage.store.pages.time_bounds import bound_runs
from gnomon.storage.store.transaction import Row, Transaction

RUNS_WALKED_MAX = 2_500
"""The most runs of which the task instances are read for one page."""
RUNS_FOUND_MAX = 15_000
"""The most runs that are found by a condition and then sorted; of more, the runs are read in their order."""
CLOCK_DIFFERENCE = 600 * SECOND
"""How much the clock of a worker, which says when a task ended, may be ahead of that of the scheduler, which says when a run ended."""
_PIECES = (100, 400, RUNS_WALKED_MAX - 500)
_TIMES_OF_RUNS = {"run_after": "run_after", "logical_date": "logical_date"}
_OF_RUNS = {**_TIMES_OF_RUNS, "dag_pk": "dag_pk", "run_pk": "id"}
"""By field of a list of task instances: that of a list of runs."""
_KEY = ("run_pk", "task_no", "map_index")
_ROWS_OF_RUNS = frozenset({"run_id", "data_interval_start", "data_interval_end", "run_end_date"})
"""Fields of the rows of runs by which runs are not found, but passed over before their task instances are read."""
_OWN_TIMES = frozenset({"start_date", "end_date", "updated_at"})


@dataclass(frozen=True, slots=True)
class RunWalk:
    """The runs in which task instances are searched, in the order of the list or, when it has another one, in that of their ids."""

    conditions: tuple[Condition, ...]
    order: tuple[SortKey, ...]
    rest: tuple[Condition, ...]
    """The conditions on the task instances themselves."""
    is_in_order: bool
    found: FoundRows | None = None
    """The first of the runs, when they are found by the conditions and sorted."""


@dataclass(frozen=True, slots=True)
class WalkedCount:
    """How many task instances of the walked runs meet the conditions."""

    total: int
    is_cut: bool
    """There are more runs than were walked."""
    ends_early: bool
    """The count has reached the number that was wanted, so that there may be more."""
    pieces: tuple[tuple[list[int], int], ...]
    """The walked runs in order, piece by piece, with the number of task instances that were counted in each."""


def plan_walk(
    tx: Transaction, conditions: Sequence[Condition], order: Sequence[SortKey], *, is_rare_state: bool
) -> RunWalk | None:
    """How the runs are walked; None when the list does not need it. `is_rare_state`: an index finds the task instances by their state."""
    if any(
        condition.field == "run_pk" or (condition.field, condition.operator) == ("dag_pk", Operator.EQUAL)
        for condition in conditions
    ):
        return None
    rest = tuple(condition for condition in conditions if condition.field not in _OF_RUNS)
    of_runs = [
        replace(condition, field=_OF_RUNS[condition.field]) for condition in conditions if condition.field in _OF_RUNS
    ]
    has_times = any(condition.field in _TIMES_OF_RUNS for condition in conditions)
    if not has_times and all(condition.field == "state" for condition in rest):
        return None
    since = None if has_times else _find_since(rest)
    changed = None if since is None else find_changed_runs(tx, since)
    if changed is not None:
        of_runs.append(Condition("id", Operator.IN, changed))
    is_short = changed is not None or (has_times and count_runs(tx, of_runs, RUNS_FOUND_MAX + 1) <= RUNS_FOUND_MAX)
    if is_rare_state and not is_short:
        return None
    is_in_order = _is_order_of_runs(order)
    run_order = _order_runs(order[0] if is_in_order else SortKey("run_pk"))
    if not is_short:
        bounded = bound_runs(tx, [replace(condition, is_dense=True) for condition in of_runs], run_order)
        of_runs, is_short = list(bounded.conditions), bounded.is_short
    walk = RunWalk(tuple(of_runs), run_order, _look_tasks_up(tx, rest), is_in_order)
    return replace(walk, found=_find_runs(tx, walk, None)) if is_short else walk


def _look_tasks_up(tx: Transaction, conditions: Sequence[Condition]) -> tuple[Condition, ...]:
    """Have PostgreSQL look up the number of a task in the DAG of each run: it would read the names of all tasks of all DAGs, or all task instances of each run. SQLite looks up."""
    return tuple(
        replace(condition, operator=Operator.IN, value=[condition.value], has_few_members=True)
        if tx.dialect == POSTGRESQL and (condition.field, condition.operator) == ("task_id", Operator.EQUAL)
        else condition
        for condition in conditions
    )


def find_changed_runs(tx: Transaction, since: Instant) -> list[int] | None:
    """The runs that can have a task instance with a time of `since` or later; None: more than RUNS_FOUND_MAX.

    Those that are unfinished or have ended since then, and those with a task instance that a user has marked since then.
    """
    before = since - CLOCK_DIFFERENCE
    run_pks = _list_runs(tx, "run_pages.changed_since", since=before, most=RUNS_FOUND_MAX + 1)
    if len(run_pks) > RUNS_FOUND_MAX:
        return None
    return sorted(run_pks | _list_runs(tx, "run_pages.marked_since", since=before))


def _list_runs(tx: Transaction, name: str, **parameters: object) -> set[int]:
    """PostgreSQL plans the statement for its values: how many runs there are depends on them."""
    return {run_pk for (run_pk,) in tx.all_of(replace(tx.listing(name), is_prepared=False), parameters)}


def count_walked(tx: Transaction, walk: RunWalk, most: int) -> WalkedCount:
    """How many task instances of the walked runs meet the conditions, at most `most`."""
    total, counted, pieces = 0, [], _Pieces(tx, walk, None, _PIECES)
    for run_pks in pieces:
        row_count = count_rows(tx, _choose_count(walk), _restrict(walk, run_pks), most - total)
        counted.append((run_pks, row_count))
        total += row_count
        if total >= most:
            return WalkedCount(most, is_cut=False, ends_early=True, pieces=tuple(counted))
    return WalkedCount(total, pieces.is_cut, ends_early=False, pieces=tuple(counted))


def read_walked(
    tx: Transaction, walk: RunWalk, query: PageQuery, counted: WalkedCount | None = None
) -> tuple[FoundRows, tuple[object, ...] | None]:
    """The rows of the page, as `read_page` gives them; and when the page may have more rows in runs that were not walked, the sort keys of the last walked run.

    `counted`: the count of the same list. Without a position only its pieces with rows of the page are read.
    """
    behind = query.offset + query.limit
    is_short = counted is not None and counted.total <= behind and (counted.ends_early or counted.is_cut)
    if counted is None or query.position is not None or is_short:
        walked = _Pieces(tx, walk, query.position, _PIECES)
        rows = _read_pieces(tx, walk, query, ((run_pks, None) for run_pks in walked))
        return rows, walked.end if walked.is_cut else None
    return _read_pieces(tx, walk, query, counted.pieces), None


def _read_pieces(
    tx: Transaction, walk: RunWalk, query: PageQuery, pieces: Iterable[tuple[list[int], int | None]]
) -> FoundRows:
    """The rows of the page, from pieces of runs with the number of their rows where it is known."""
    rows: list[Row] = []
    keys: list[tuple[object, ...]] = []
    is_before = query.position is not None and query.position.is_before
    skipped = 0 if query.position is not None else query.offset
    for run_pks, count in pieces:
        if count is not None and count <= skipped:
            skipped -= count
            continue
        conditions = _restrict(walk, run_pks)
        limit = query.limit + 1 - len(rows)
        part = read_page(
            tx,
            "task_instance_pages.page",
            replace(query, conditions=conditions, limit=limit, offset=skipped, is_short=True),
        )
        if skipped:
            skipped = 0 if part.rows else skipped - count_rows(tx, _choose_count(walk), conditions, skipped)
        rows, keys = (
            ([*part.rows, *rows], [*part.keys, *keys]) if is_before else ([*rows, *part.rows], [*keys, *part.keys])
        )
        if len(rows) > query.limit:
            page_part = slice(1, None) if is_before else slice(query.limit)
            return FoundRows(rows[page_part], keys[page_part], has_more=True)
    return FoundRows(rows, keys, has_more=False)


class _Pieces:
    """Iterates over the keys of the walked runs, from the run of a position on. After the last piece `is_cut` says whether there are more runs."""

    def __init__(self, tx: Transaction, walk: RunWalk, position: Position | None, sizes: Sequence[int]) -> None:
        self._tx = tx
        self._sizes = sizes
        self._walk = walk
        self._position = position
        self.is_cut = False
        self.end: tuple[object, ...] | None = None
        """The sort keys of the last run of the pieces so far, in the direction of reading."""

    def __iter__(self) -> Iterator[list[int]]:
        walk, at = self._walk, self._position
        if at is not None:
            at = replace(at, values=at.values[: len(walk.order)])
            run_pk = at.values[-1]
            assert isinstance(run_pk, int)
            yield [run_pk]
        yield from (
            self._read(at)
            if walk.found is None
            else self._cut(_find_runs(self._tx, walk, at) if at is not None else walk.found)
        )

    def _read(self, at: Position | None) -> Iterator[list[int]]:
        """The pieces of many runs, each read from the end of the one before it."""
        for size in self._sizes:
            page = read_page(
                self._tx, "run_pages.keys", PageQuery(self._walk.conditions, self._walk.order, size, position=at)
            )
            is_before = at is not None and at.is_before
            if page.rows:
                self.end = page.keys[0 if is_before else -1]
                yield [run_pk for (run_pk,) in page.rows]
            if not page.has_more:
                return
            at = Position(page.keys[0 if is_before else -1], is_before)
        self.is_cut = True

    def _cut(self, page: FoundRows) -> Iterator[list[int]]:
        """The pieces of few runs, which were found together."""
        run_pks, keys = [run_pk for (run_pk,) in page.rows], page.keys
        if self._position is not None and self._position.is_before:
            run_pks.reverse()
            keys = keys[::-1]
        start = 0
        for size in self._sizes:
            if start < len(run_pks):
                self.end = keys[min(start + size, len(keys)) - 1]
                yield run_pks[start : start + size]
            start += size
        self.is_cut = page.has_more or start < len(run_pks)


def _find_runs(tx: Transaction, walk: RunWalk, at: Position | None) -> FoundRows:
    """The first RUNS_WALKED_MAX of few runs, from a position on."""
    if (
        len(walk.conditions) == 1
        and len(walk.order) == 1
        and walk.conditions[0].field == "id"
        and isinstance(walk.conditions[0].value, list)
    ):
        return _cut_known(walk.conditions[0].value, walk.order[0].descends, at)
    return read_page(
        tx, "run_pages.keys", PageQuery(walk.conditions, walk.order, RUNS_WALKED_MAX, position=at, is_short=True)
    )


def _cut_known(run_pks: Sequence[int], descends: bool, at: Position | None) -> FoundRows:
    """The same for runs whose ids were read: the database would sort thousands of ids that it has just told."""
    ordered = sorted(run_pks, reverse=descends)
    is_before = at is not None and at.is_before
    if at is not None:
        bound = at.values[0]
        assert isinstance(bound, int)
        ordered = [run_pk for run_pk in ordered if run_pk != bound and (run_pk > bound) is (descends is is_before)]
    page_pks = ordered[-RUNS_WALKED_MAX:] if is_before else ordered[:RUNS_WALKED_MAX]
    return FoundRows(
        [(run_pk,) for run_pk in page_pks], [(run_pk,) for run_pk in page_pks], has_more=len(ordered) > len(page_pks)
    )


def _choose_count(walk: RunWalk) -> str:
    """The statement that counts task instances of runs: runs are read first if a condition is on their rows or on tasks of their DAGs, and else only if a condition needs them."""
    reads_runs = any(condition.field in _ROWS_OF_RUNS or condition.has_few_members for condition in walk.rest)
    return "task_instance_pages.count_by_run" if reads_runs else "task_instance_pages.count_of_runs"


def _restrict(walk: RunWalk, run_pks: list[int]) -> tuple[Condition, ...]:
    """The conditions on task instances of these runs: of a range of ids, if no other run is in it, as it is read faster than one run after another."""
    first, last = min(run_pks), max(run_pks)
    has_all_between = (not walk.conditions and walk.order[0].field == "id") or last - first + 1 == len(run_pks)
    if has_all_between:
        return (*walk.rest, Condition("run_pk", Operator.AT_LEAST, first), Condition("run_pk", Operator.AT_MOST, last))
    return (*walk.rest, Condition("run_pk", Operator.IN, run_pks))


def _find_since(conditions: Sequence[Condition]) -> Instant | None:
    """The instant at which, or later, a time of each wanted task instance is."""
    bounds = [
        condition.value
        for condition in conditions
        if condition.field in _OWN_TIMES and condition.operator in (Operator.AT_LEAST, Operator.MORE)
    ]
    return max((bound for bound in bounds if isinstance(bound, int)), default=None)


def _order_runs(first: SortKey) -> tuple[SortKey, ...]:
    by_id = SortKey("id", first.descends)
    return (by_id,) if first.field == "run_pk" else (SortKey(_TIMES_OF_RUNS[first.field], first.descends), by_id)


def _is_order_of_runs(order: Sequence[SortKey]) -> bool:
    """Whether the task instances of one run follow one another in this order, and the runs are in the order of an index."""
    fields = tuple(key.field for key in order)
    own = fields[1:] if fields[0] in _TIMES_OF_RUNS else fields
    return own == _KEY and len({key.descends for key in order}) == 1
