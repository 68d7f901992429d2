"""Which slots runs wait for, asked where author code may run: one of the two timetables is an author's, or both."""

from __future__ import annotations

from gnomon.dependencies.upstream_query import DagSide, Dependency, RecordedSlots, UpstreamAnswer, to_history
from gnomon.loading.timetable_loader import rebuild_timetable
from gnomon.model.instants import Instant
from gnomon.model.upstream_edges import AfterSpec
from gnomon.timetables.base import Timetable


def find_upstream_slots(
    *, after: AfterSpec, down: DagSide, up: DagSide, ats: tuple[Instant, ...], past: RecordedSlots | None, timetable: Timetable
) -> UpstreamAnswer:
    """What the runs of `down` planned at these instants wait for. Without a past: the stretch of it that they look at.

    `timetable`: that of `down` if it is an author's, else that of `up`; the other one is made here.
    """
    is_of_down = not down.timetable.builtin
    downstream = timetable if is_of_down else rebuild_timetable(down.timetable, down.file)
    upstream = rebuild_timetable(up.timetable, up.file) if is_of_down else timetable
    dependency = Dependency(after, down, up, downstream, upstream)
    if past is None:
        return UpstreamAnswer(wanted_range=dependency.windows(ats))
    known = to_history(past)
    return UpstreamAnswer(resolved=tuple(dependency.resolve_slots(at, known) for at in ats))
