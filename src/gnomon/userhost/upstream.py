"""Which slots runs wait for, asked where author code may run: one of the two timetables is an author's, or both."""

from __future__ import annotations

from gnomon.dependencies.asked import Dependency, Past, Side, Told, history
from gnomon.loading.timetables import made_again
from gnomon.model.edges import AfterSpec
from gnomon.model.instants import Instant
from gnomon.timetables.base import Timetable


def upstream_of(
    *, after: AfterSpec, down: Side, up: Side, ats: tuple[Instant, ...], past: Past | None, timetable: Timetable
) -> Told:
    """What the runs of `down` planned at these instants wait for. Without a past: the stretch of it that they look at.

    `timetable`: that of `down` if it is an author's, else that of `up`; the other one is made here.
    """
    is_of_down = not down.timetable.builtin
    downstream = timetable if is_of_down else made_again(down.timetable, down.file)
    upstream = made_again(up.timetable, up.file) if is_of_down else timetable
    dependency = Dependency(after, down, up, downstream, upstream)
    if past is None:
        return Told(wanted=dependency.windows(ats))
    known = history(past)
    return Told(found=tuple(dependency.found(at, known) for at in ats))
