"""How many runs ended in each of the past hours and are due in each of the coming ones, for groups of DAGs."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import NamedTuple

from gnomon.model.instants import SECOND, Instant
from gnomon.model.states import RUN_STATE_CODES, DagRunState
from gnomon.queries.report.activity.coming_slots import ComingSlots, ComingSlotsCache, DueRules, collect_due_rules
from gnomon.queries.report.activity.current_work import LATE_AFTER_S
from gnomon.queries.report.listings.dag_facts import FactsOfAll
from gnomon.storage.store import Transaction
from gnomon.storage.store.pages import dag_overview
from gnomon.storage.store.transaction import Row

HOUR = 3_600 * SECOND
ENDED_MAX = 200_000
"""The most ended runs that one timeline counts."""
GROUPINGS = ("tag", "owner", "folder", "pool", "state", "dag")
_SUCCESS = RUN_STATE_CODES[DagRunState.SUCCESS]
NONE = ""
"""The name of the group of DAGs that have no tag, owner or run."""


@dataclass(slots=True)
class TimelineGroup:
    """The runs of the DAGs of one group, by hour."""

    name: str
    dags: int = 0
    late: int = 0
    """DAGs whose next run is overdue and does not exist."""
    success: list[int] = field(default_factory=list)
    failed: list[int] = field(default_factory=list)
    coming: list[int] = field(default_factory=list)

    @property
    def total(self) -> int:
        """How much of it there is to show."""
        return sum(self.success) + sum(self.failed) + sum(self.coming) + self.late


@dataclass(frozen=True, slots=True)
class ComingRun:
    """A run that is due."""

    dag_pk: int
    run_after: Instant


@dataclass(frozen=True, slots=True)
class RunTimeline:
    """The hours, and what is in each."""

    since: Instant
    """The start of the first hour."""
    hours: int
    total: TimelineGroup
    """All the DAGs, each counted once."""
    groups: list[TimelineGroup]
    """The one with the most runs first."""
    left_out: int
    """Groups that are not listed."""
    coming: list[ComingRun]
    """The next run of each DAG, in order."""
    within_hour: int
    """Runs that are due in the 3,600 seconds from now on."""
    unknown: int
    """DAGs of which only the next run is known."""


@dataclass(frozen=True, slots=True)
class TimelineRequest:
    """Which part of the timeline is wanted."""

    now: Instant
    past_hours: int
    coming_hours: int
    grouping: str
    limit: int
    groups_max: int
    ahead: Instant = 0
    """By how much the hours begin before those of UTC, less than one hour."""

    @property
    def since(self) -> Instant:
        """The start of the first hour."""
        return self.now - (self.now + self.ahead) % HOUR - self.past_hours * HOUR

    @property
    def until(self) -> Instant:
        """The end of the last hour."""
        return self.since + (self.past_hours + 1 + self.coming_hours) * HOUR


def find_folder(file: str) -> str:
    """The folder of a file, as DAGs are grouped by it."""
    return file.rpartition("/")[0]


def build_timeline(
    tx: Transaction, facts: FactsOfAll, chosen: frozenset[int] | None, cache: ComingSlotsCache, request: TimelineRequest
) -> RunTimeline:
    """The timeline of the DAGs that a file defines and whose keys are `chosen`; None: of all."""
    active = facts.derive("known active", lambda: facts.active.intersection(facts.by_dag))
    members = active if chosen is None else active & chosen
    rules = facts.derive(
        "due rules", lambda: collect_due_rules((dag_pk, facts.spec) for dag_pk, facts in facts.by_dag.items())
    )
    kinds = _sort_dags(tx, facts, rules, request.grouping)
    due = _count_due(dag_overview.list_next_runs(tx, request.until), members, kinds, rules)
    slots = cache.find(
        due.examples, rules.rules, lambda dag_pks: dag_overview.read_next_runs(tx, dag_pks), request.until, request.now
    )
    hours = (request.until - request.since) // HOUR
    groups = _group_dags(members, kinds, hours)
    total = TimelineGroup(NONE, len(members), 0, [0] * hours, [0] * hours, [0] * hours)
    _count_ended(tx, members, kinds, groups, total, request)
    _count_coming(slots, due, kinds, groups, total, request)
    listed = sorted((group for group in groups.values() if group.total), key=lambda group: (-group.total, group.name))
    unknown = sum(
        count for (kind, first), count in due.counts.items() if not slots[kinds.kinds[kind].rule, first].is_complete
    )
    shown = listed[: request.groups_max]
    return RunTimeline(
        request.since,
        hours,
        total,
        shown,
        len(listed) - len(shown),
        _list_next(slots, due, kinds, rules, request.limit),
        _count_within_hour(slots, due, kinds, request.now),
        unknown,
    )


class _DagKind(NamedTuple):
    """What the timeline needs to know of a DAG: ten thousand DAGs are of few kinds."""

    groups: tuple[str, ...]
    rule: int
    """The index of its rule of due times."""


@dataclass(frozen=True, slots=True)
class _DagKinds:
    """The kinds of all DAGs; `by_dag` has the index of each."""

    kinds: list[_DagKind]
    by_dag: dict[int, int]


@dataclass(frozen=True, slots=True)
class _DueRuns:
    """The next runs: how many DAGs of a kind have one at an instant."""

    runs: list[Row]
    """(dag_pk, due time)."""
    counts: Mapping[tuple[int, Instant], int]
    """By index of the kind and due time."""
    examples: dict[tuple[int, Instant], int]
    """By index of the rule and due time, one of the DAGs."""


def _sort_dags(tx: Transaction, facts: FactsOfAll, rules: DueRules, grouping: str) -> _DagKinds:
    if grouping == "state":
        states = dag_overview.list_last_states(tx)
        return _build_kinds(
            facts, rules, lambda dag_pk: (NONE if (state := states.get(dag_pk)) is None else state.value,)
        )
    return facts.derive(("kinds", grouping), lambda: _build_kinds(facts, rules, _choose_grouping(facts, grouping)))


def _build_kinds(facts: FactsOfAll, rules: DueRules, name_groups: Callable[[int], Sequence[str]]) -> _DagKinds:
    numbers: dict[_DagKind, int] = {}
    by_dag = {
        dag_pk: numbers.setdefault(_DagKind(tuple(name_groups(dag_pk)), rules.by_dag[dag_pk]), len(numbers))
        for dag_pk in facts.by_dag
    }
    return _DagKinds(list(numbers), by_dag)


def _choose_grouping(facts: FactsOfAll, grouping: str) -> Callable[[int], Sequence[str]]:
    """A function that names the groups of a DAG, by what its spec and its file say."""
    dags = facts.by_dag
    if grouping == "tag":
        return lambda dag_pk: dags[dag_pk].spec.tags or (NONE,)
    if grouping == "owner":
        return lambda dag_pk: [name.strip() for name in dags[dag_pk].spec.owner.split(",") if name.strip()] or (NONE,)
    if grouping == "pool":
        return lambda dag_pk: dags[dag_pk].pools or (NONE,)
    if grouping == "folder":
        return lambda dag_pk: (find_folder(facts.files[dag_pk]),)
    return lambda dag_pk: (dags[dag_pk].spec.dag_id,)


def _group_dags(members: Set[int], kinds: _DagKinds, hours: int) -> dict[str, TimelineGroup]:
    groups: dict[str, TimelineGroup] = {}
    for kind, count in Counter(map(kinds.by_dag.__getitem__, members)).items():
        for name in kinds.kinds[kind].groups:
            group = groups.get(name)
            if group is None:
                group = groups[name] = TimelineGroup(name, 0, 0, [0] * hours, [0] * hours, [0] * hours)
            group.dags += count
    return groups


def _count_ended(
    tx: Transaction,
    members: Set[int],
    kinds: _DagKinds,
    groups: Mapping[str, TimelineGroup],
    total: TimelineGroup,
    request: TimelineRequest,
) -> None:
    hours = (request.until - request.since) // HOUR
    by_dag = kinds.by_dag
    groups_of: dict[int, list[TimelineGroup]] = {}
    for dag_pk, hour, code, count in dag_overview.count_ended_by_hour(tx, request.since, ENDED_MAX):
        if dag_pk in members and hour < hours:
            kind = by_dag[dag_pk]
            if kind not in groups_of:
                groups_of[kind] = [total, *(groups[name] for name in kinds.kinds[kind].groups)]
            for group in groups_of[kind]:
                (group.success if code == _SUCCESS else group.failed)[hour] += count


def _count_due(runs: Sequence[Row], members: Set[int], kinds: _DagKinds, rules: DueRules) -> _DueRuns:
    chosen = [row for row in runs if row[0] in members]
    by_dag, rule_of = kinds.by_dag, rules.by_dag
    counts = Counter([(by_dag[dag_pk], first) for dag_pk, first in chosen])
    return _DueRuns(chosen, counts, {(rule_of[dag_pk], first): dag_pk for dag_pk, first in reversed(chosen)})


def _count_coming(
    slots: Mapping[tuple[int, Instant], ComingSlots],
    due: _DueRuns,
    kinds: _DagKinds,
    groups: Mapping[str, TimelineGroup],
    total: TimelineGroup,
    request: TimelineRequest,
) -> None:
    overdue = request.now - int(LATE_AFTER_S * SECOND)
    hours = {key: _count_hours(coming.instants, request) for key, coming in slots.items()}
    for (kind, first), count in due.counts.items():
        names, rule = kinds.kinds[kind]
        instants = slots[rule, first].instants
        is_late = bool(instants) and instants[0] < overdue
        for group in (total, *(groups[name] for name in names)):
            group.late += count if is_late else 0
            for hour, number in hours[rule, first]:
                group.coming[hour] += number * count


def _count_hours(instants: Sequence[Instant], request: TimelineRequest) -> list[tuple[int, int]]:
    """(Hour, number of due times in it); what is overdue is in no hour."""
    counts = Counter((at - request.since) // HOUR for at in instants if request.now <= at < request.until)
    return list(counts.items())


def _count_within_hour(
    slots: Mapping[tuple[int, Instant], ComingSlots], due: _DueRuns, kinds: _DagKinds, now: Instant
) -> int:
    """What is overdue does not count."""
    numbers = {
        key: bisect_left(coming.instants, now + HOUR) - bisect_left(coming.instants, now)
        for key, coming in slots.items()
    }
    return sum(count * numbers[kinds.kinds[kind].rule, first] for (kind, first), count in due.counts.items())


def _list_next(
    slots: Mapping[tuple[int, Instant], ComingSlots], due: _DueRuns, kinds: _DagKinds, rules: DueRules, limit: int
) -> list[ComingRun]:
    """The next run of each DAG, in order: a dense schedule does not hide the others."""
    first_of = {key: coming.instants[0] for key, coming in slots.items() if coming.instants}
    numbers: Counter[tuple[int, Instant]] = Counter()
    for (kind, first), count in due.counts.items():
        numbers[kinds.kinds[kind].rule, first] += count
    last, remaining = None, limit
    for key in sorted(first_of, key=first_of.__getitem__):
        if remaining <= 0 and first_of[key] != last:
            break
        last, remaining = first_of[key], remaining - numbers[key]
    if last is None:
        return []
    due_pairs = (
        (first_of.get((rules.by_dag[dag_pk], first)), dag_pk) for dag_pk, first in due.runs if first <= last
    )  # none is due before its next run
    in_order = sorted((at, dag_pk) for at, dag_pk in due_pairs if at is not None and at <= last)
    return [ComingRun(dag_pk, at) for at, dag_pk in in_order[:limit]]
