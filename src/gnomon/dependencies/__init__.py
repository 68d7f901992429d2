"""Which runs of another DAG a run waits for, found from both timetables. Pure.

The model. A timetable has a kind (minute, hour, discrete hours, day, week, month) and, in each natural day of one zone,
*places*: the wall-clock times it runs at. `upstream_slots` looks at one place of the downstream run, the downstream's
places of that day, and the upstream's places of that day (or N days before), and answers with upstream slots.

    pairs       two tables: (kind, kind) -> rule, for the same period and for an earlier one
    nearest     one side discrete hours: equal counts are matched one to one, else the nearest interval, earlier first
    itself      a DAG on itself: the N-th slot before
    places      what is counted and compared            zonedays   labels and instants of one zone
    slotdays    a timetable's places, piece by piece    pieces     days, or the hours or minutes of days with many slots
    planned     a timetable's slots under a DAG's dates  past      which of them have a run, and which never will

Which dependencies can never be met is seen over all DAGs together: `errors_of` the shapes of those that have any.

    shape       what of a DAG counts                     cycles    who waits for himself by way of others
    faults      the sentences: errors, and doubts about names that are not there

Labels, not instants, are counted and compared, so that counts do not flip twice a year. When a clock is set back, the two
instants of a label are one place: who waits for it waits for both. When it is set forward, a label of given hours moves
onto another instant and stays a place of its own; a run at two places waits for what both wait for. A timetable that
runs every hour has the places that its clock shows.

Failures. What cannot be waited for is never waited for silently: `none` says that there is no such slot, `absent` names the
slots that the upstream's cursor has passed without a run. A slot after the cursor counts, though its run does not exist yet.
A run that its own timetable does not plan (the schedule changed since) has no number among the day's places: it is never
matched one to one, only by intervals.
"""

from gnomon.dependencies.faults import doubts_of, errors_of
from gnomon.dependencies.resolution import History, Resolution
from gnomon.dependencies.resolver import Resolver, upstream_slots
from gnomon.dependencies.shape import Shape, shape_of
from gnomon.model.after import After

__all__ = [
    "After", "History", "Resolution", "Resolver", "Shape", "doubts_of", "errors_of", "shape_of", "upstream_slots",
]  # fmt: skip
