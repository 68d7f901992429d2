"""From one dependency and both timetables to the upstream slots that a run waits for."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, tzinfo
from itertools import groupby

from gnomon.dependencies.itself import slot_before
from gnomon.dependencies.pairs import STRETCHES, rule_for
from gnomon.dependencies.past import PastDays
from gnomon.dependencies.places import Places, labels_of
from gnomon.dependencies.planned import Bounds
from gnomon.dependencies.question import Found, Question, Rule
from gnomon.dependencies.resolution import History, Resolution, RuleName
from gnomon.dependencies.slotdays import SlotDays
from gnomon.dependencies.zonedays import DAY_US, ZoneDays
from gnomon.model.after import After, waits_for_itself
from gnomon.timetables.base import Timetable
from gnomon.timetables.granularity import Granularity
from gnomon.timetables.zones import utc, zone_of

MOST_RESOLVERS = 512
"""So many dependencies keep their days in memory; the one that was made first leaves."""
FREE: Bounds = (None, None)


def upstream_slots(
    after: After,
    *,
    downstream: Timetable,
    upstream: Timetable,
    at: datetime,
    downstream_bounds: Bounds = FREE,
    upstream_bounds: Bounds = FREE,
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
        if len(_RESOLVERS) >= MOST_RESOLVERS:
            del _RESOLVERS[next(iter(_RESOLVERS))]
        resolver = Resolver(after, downstream, upstream, downstream_bounds, upstream_bounds, same_dag)
        _RESOLVERS[key] = resolver
    return resolver.resolve(utc(at), None if history is None else History(*history))


class Resolver:
    """One dependency. It remembers days of both timetables, or pieces of days, so that a slot costs the same in a year of them."""

    def __init__(
        self,
        after: After,
        downstream: Timetable,
        upstream: Timetable,
        downstream_bounds: Bounds = FREE,
        upstream_bounds: Bounds = FREE,
        same_dag: bool = False,
    ) -> None:
        if same_dag and not after.back:
            raise ValueError(waits_for_itself(after.dag_id))
        self._after = after
        self._downstream, self._upstream = downstream, upstream
        self._zone = ZoneDays(_zone_for(after, downstream))
        self._mine = SlotDays(downstream, self._zone, downstream_bounds)
        self._theirs = SlotDays(upstream, self._zone, upstream_bounds)
        self._my_timetable = self._mine if downstream_bounds == FREE else SlotDays(downstream, self._zone)
        self._their_timetable = self._theirs if upstream_bounds == FREE else SlotDays(upstream, self._zone)
        self._upstream_bounds = upstream_bounds
        self._same_dag = same_dag
        self._past: PastDays | None = None
        self._rule: Rule | None = None
        if self._mine.granularity is not None and self._theirs.granularity is not None:
            self._rule = rule_for(self._mine.granularity, self._theirs.granularity, after.back)

    @property
    def remembered(self) -> int:
        """Slots that it has in memory."""
        several = {id(days): days for days in (self._mine, self._theirs, self._my_timetable, self._their_timetable)}
        return sum(days.remembered for days in several.values())

    @property
    def looks_at_stretches(self) -> bool:
        """Whether a question touches less than a day of the upstream, which has many slots a day."""
        return self._theirs.unit != DAY_US and (self._same_dag or self._rule in STRETCHES)

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
            return self._resolution(slot_before(theirs, at, self._after.back), theirs)
        first, *others = labels_of(self._mine, at)
        found = self._ask(at, first, theirs)
        for label in others:
            found = _together(found, self._ask(at, label, theirs))
        return self._resolution(found, theirs)

    def _past_days(self, history: History) -> PastDays:
        if self._past is None or not self._past.is_of(history):
            self._past = PastDays(self._theirs, self._upstream_bounds, history)
        return self._past

    def _ask(self, at: datetime, label: int, theirs: SlotDays | PastDays) -> Found:
        rule = self._rule or rule_for(*self._kinds(label // DAY_US), self._after.back)
        return rule(Question(self._after, at, label, self._mine, theirs, self._my_timetable, self._their_timetable))

    def _kinds(self, day: int) -> tuple[Granularity, Granularity]:
        mine, theirs = self._mine.granularity, self._theirs.granularity
        return mine or _kind_of(self._my_timetable.day(day)), theirs or _kind_of(self._their_timetable.day(day))

    def _resolution(self, found: Found, theirs: SlotDays | PastDays) -> Resolution:
        """What was found, narrowed by `take`, without what is absent."""
        places, rule, start, end = found
        window = self._zone.window(start, end)
        if not places:
            return Resolution((), "none", window)
        if isinstance(theirs, SlotDays):
            return Resolution(_flat(self._taken(places)), rule, window)
        return self._without_absent(places, rule, window, theirs)

    def _without_absent(
        self,
        places: list[tuple[datetime, ...]],
        rule: RuleName,
        window: tuple[datetime, datetime],
        theirs: PastDays,
    ) -> Resolution:
        """`ignore`: `take` chooses among what is there. `wait`: absent slots too. `fail`: they are named, not waited for."""
        way = self._after.on_absent
        gone = {slot for place in places for slot in place if theirs.is_absent(slot)}
        if way == "ignore":
            there = [left for place in places if (left := tuple(slot for slot in place if slot not in gone))]
            return Resolution(_flat(self._taken(there)), rule, window, tuple(sorted(gone)))
        taken = _flat(self._taken(places))
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


def _kind_of(day: Places) -> Granularity:
    """The kind of a timetable that declares none: at most one slot in the day is day, more are hour."""
    return "day" if len(day.slots) <= 1 else "hour"


def _together(one: Found, other: Found) -> Found:
    """What two places of one run wait for."""
    places = one.places + [place for place in other.places if place not in one.places]
    return Found(places, one.rule if one.places else other.rule, min(one.start, other.start), max(one.end, other.end))


def _flat(places: list[tuple[datetime, ...]]) -> tuple[datetime, ...]:
    if len(places) == 1:
        return places[0]
    return tuple(sorted({slot for place in places for slot in place}))


_RESOLVERS: dict[tuple[object, ...], Resolver] = {}
"""By identity of dependency and timetables, which a resolver keeps alive. Only memory: the same question has one answer."""
