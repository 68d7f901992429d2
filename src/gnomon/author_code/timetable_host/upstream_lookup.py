"""Finds the slots that runs wait for, where at least one of the two timetables is a custom one."""

from __future__ import annotations

from gnomon.author_code.loading.timetable_loader import rebuild_timetable
from gnomon.model.instants import Instant
from gnomon.model.upstream_edges import DependencySpec
from gnomon.rules.dependencies.upstream_query import DagSide, EdgeTimetables, RecordedSlots, UpstreamAnswer, to_history
from gnomon.rules.timetables.base import Timetable


def find_upstream_slots(
    *,
    dependency: DependencySpec,
    down: DagSide,
    up: DagSide,
    ats: tuple[Instant, ...],
    past: RecordedSlots | None,
    timetable: Timetable,
) -> UpstreamAnswer:
    """The slots that the runs of `down` at these instants wait for. Without `past`: the range of slots needed to answer.

    `timetable`: that of `down` if it is a custom one, otherwise that of `up`; the other timetable is rebuilt here.
    """
    is_of_down = not down.timetable.builtin
    downstream = timetable if is_of_down else rebuild_timetable(down.timetable, down.file)
    upstream = rebuild_timetable(up.timetable, up.file) if is_of_down else timetable
    timetables = EdgeTimetables(dependency, down, up, downstream, upstream)
    if past is None:
        return UpstreamAnswer(wanted_range=timetables.windows(ats))
    history = to_history(past)
    return UpstreamAnswer(resolved=tuple(timetables.resolve_slots(at, history) for at in ats))
