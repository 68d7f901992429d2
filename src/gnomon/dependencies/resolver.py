"""From one dependency and both timetables to the upstream slots that a run waits for."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, tzinfo
from itertools import groupby

from gnomon.dependencies.history import HistoryDays
from gnomon.dependencies.planned_slots import Bounds
from gnomon.dependencies.resolution import History, Resolution, RuleName
from gnomon.dependencies.rule_pairs import PARTIAL_DAY_RULES, select_rule
from gnomon.dependencies.self_dependency import find_earlier_slot
from gnomon.dependencies.slot_chunks import SlotDays
from gnomon.dependencies.slot_labels import SlotLabels, labels_of
from gnomon.dependencies.slot_query import RuleMatch, SlotQuery, SlotRule
from gnomon.dependencies.zone_days import DAY_US, ZoneDays
from gnomon.model.after import After, self_dependency_message
from gnomon.timetables.base import Timetable
from gnomon.timetables.granularity import Granularity
from gnomon.timetables.wall_clock.zones import to_utc, zone_of

MAX_RESOLVERS = 512
"""So many dependencies keep their days in memory; the one that was made first leaves."""
UNBOUNDED: Bounds = (None, None)


def upstream_slots(
    after: After,
    *,
    downstream: Timetable,
    upstream: Timetable,
    at: datetime,
    downstream_bounds: Bounds = UNBOUNDED,
    upstream_bounds: Bounds = UNBOUNDED,
    same_dag: bool = False,
    history: History | tuple[Sequence[datetime], datetime | None] | None = None,
) -> Resolution:
    """The upstream slots that the run of `downstream` planned at `at` waits for, and the rule that chose them.

    Bounds are the start_date and the end_date of each DAG. `same_dag`: the DAG waits for itself. `history`: the
    upstream's slots that have a run, ascending, and the last slot that was planned; without it, the timetables alone.
    The zone is `after.zone`, else the downstream timetable's, else UTC.

    Raises ValueError for a DAG that waits for its own same period, and for an `at` without a time zone.
    """
    key = (id(after), id(downstream), id(upstream), downstream_bounds, upstream_bounds, same_dag)
    resolver = _RESOLVERS.get(key)
    if resolver is None:
        if len(_RESOLVERS) >= MAX_RESOLVERS:
            del _RESOLVERS[next(iter(_RESOLVERS))]
        resolver = Resolver(after, downstream, upstream, downstream_bounds, upstream_bounds, same_dag)
        _RESOLVERS[key] = resolver
    return resolver.resolve(to_utc(at), None if history is None else History(*history))


class Resolver:
    """One dependency. It remembers days of both timetables, or pieces of days, so that a slot costs the same in a year of them."""

    def __init__(
        self,
        after: After,
        downstream: Timetable,
        upstream: Timetable,
        downstream_bounds: Bounds = UNBOUNDED,
        upstream_bounds: Bounds = UNBOUNDED,
        same_dag: bool = False,
    ) -> None:
        if same_dag and not after.back:
            raise ValueError(self_dependency_message(after.dag_id))
        self._after = after
        self._downstream, self._upstream = downstream, upstream
        self._zone = ZoneDays(_zone_for(after, downstream))
        self._mine = SlotDays(downstream, self._zone, downstream_bounds)
        self._theirs = SlotDays(upstream, self._zone, upstream_bounds)
        self._my_timetable = self._mine if downstream_bounds == UNBOUNDED else SlotDays(downstream, self._zone)
        self._their_timetable = self._theirs if upstream_bounds == UNBOUNDED else SlotDays(upstream, self._zone)
        self._upstream_bounds = upstream_bounds
        self._same_dag = same_dag
        self._past: HistoryDays | None = None
        self._rule: SlotRule | None = None
        if self._mine.granularity is not None and self._theirs.granularity is not None:
            self._rule = select_rule(self._mine.granularity, self._theirs.granularity, after.back)

    @property
    def remembered(self) -> int:
        """Slots that it has in memory."""
        several = {id(days): days for days in (self._mine, self._theirs, self._my_timetable, self._their_timetable)}
        return sum(days.remembered for days in several.values())

    @property
    def looks_at_stretches(self) -> bool:
        """Whether a question touches less than a day of the upstream, which has many slots a day."""
        return self._theirs.chunk_length != DAY_US and (self._same_dag or self._rule in PARTIAL_DAY_RULES)

    @property
    def may_have_changed(self) -> bool:
        """Whether the upstream's past is looked through for slots of another timetable."""
        return self._theirs.has_grid

    def changed_days(self, recorded: Sequence[datetime]) -> set[int]:
        """The natural days on which one of these recorded slots of the upstream, in order, is none of its timetable's."""
        by_day = groupby(recorded, key=lambda slot: self._zone.label(slot) // DAY_US)
        return {day for day, slots in by_day if not self._theirs.names(day, list(slots))}

    def resolve(self, at: datetime, history: History | None = None) -> Resolution:
        """What the run planned at `at` (UTC) waits for."""
        theirs = self._theirs if history is None else self._past_days(history)
        if self._same_dag:
            return self._resolution(find_earlier_slot(theirs, at, self._after.back), theirs)
        first, *others = labels_of(self._mine, at)
        found = self._ask(at, first, theirs)
        for label in others:
            found = _merge_matches(found, self._ask(at, label, theirs))
        return self._resolution(found, theirs)

    def _past_days(self, history: History) -> HistoryDays:
        if self._past is None or not self._past.is_of(history):
            self._past = HistoryDays(self._theirs, self._upstream_bounds, history)
        return self._past

    def _ask(self, at: datetime, label: int, theirs: SlotDays | HistoryDays) -> RuleMatch:
        rule = self._rule or select_rule(*self._kinds(label // DAY_US), self._after.back)
        return rule(SlotQuery(self._after, at, label, self._mine, theirs, self._my_timetable, self._their_timetable))

    def _kinds(self, day: int) -> tuple[Granularity, Granularity]:
        mine, theirs = self._mine.granularity, self._theirs.granularity
        return mine or _classify_day(self._my_timetable.day(day)), theirs or _classify_day(self._their_timetable.day(day))

    def _resolution(self, found: RuleMatch, theirs: SlotDays | HistoryDays) -> Resolution:
        """What was found, narrowed by `take`, without what is absent."""
        places, rule, start, end = found
        window = self._zone.window(start, end)
        if not places:
            return Resolution((), "none", window)
        if isinstance(theirs, SlotDays):
            return Resolution(_flatten(self._taken(places)), rule, window)
        return self._without_absent(places, rule, window, theirs)

    def _without_absent(
        self,
        places: list[tuple[datetime, ...]],
        rule: RuleName,
        window: tuple[datetime, datetime],
        theirs: HistoryDays,
    ) -> Resolution:
        """`ignore`: `take` chooses among what is there. `wait`: absent slots too. `fail`: they are named, not waited for."""
        way = self._after.on_absent
        gone = {slot for place in places for slot in place if theirs.is_absent(slot)}
        if way == "ignore":
            there = [left for place in places if (left := tuple(slot for slot in place if slot not in gone))]
            return Resolution(_flatten(self._taken(there)), rule, window, tuple(sorted(gone)))
        taken = _flatten(self._taken(places))
        absent = tuple(slot for slot in taken if slot in gone)
        slots = taken if way == "wait" else tuple(slot for slot in taken if slot not in gone)
        return Resolution(slots, rule, window, absent)

    def _taken(self, places: list[tuple[datetime, ...]]) -> list[tuple[datetime, ...]]:
        take = self._after.take
        if take == "last":
            return places[-1:]
        return places[:1] if take == "first" else places


def _zone_for(after: After, downstream: Timetable) -> tzinfo:
    if after.zone is not None:
        return zone_of(after.zone)
    own = getattr(downstream, "timezone", None)
    return zone_of("UTC" if own is None else own)


def _classify_day(day: SlotLabels) -> Granularity:
    """The kind of a timetable that declares none: at most one slot in the day is day, more are hour."""
    return "day" if len(day.slots) <= 1 else "hour"


def _merge_matches(one: RuleMatch, other: RuleMatch) -> RuleMatch:
    """What two places of one run wait for."""
    places = one.places + [place for place in other.places if place not in one.places]
    return RuleMatch(places, one.rule if one.places else other.rule, min(one.start, other.start), max(one.end, other.end))


def _flatten(places: list[tuple[datetime, ...]]) -> tuple[datetime, ...]:
    if len(places) == 1:
        return places[0]
    return tuple(sorted({slot for place in places for slot in place}))


_RESOLVERS: dict[tuple[object, ...], Resolver] = {}
"""By identity of dependency and timetables, which a resolver keeps alive. Only memory: the same question has one answer."""
