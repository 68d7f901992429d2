"""Which runs of another DAG a run waits for, found from both timetables. Pure.

The model. A timetable has a kind (minute, hour, discrete hours, day, week, month) and, in each natural day of one zone,
*places*: the wall-clock times it runs at. `upstream_slots` looks at one place of the downstream run, the downstream's
places of that day, and the upstream's places of that day (or N days before), and answers with upstream slots.

    pairs       two tables: (kind, kind) -> rule, for the same period and for an earlier one
    nearest     one side discrete hours: equal counts are matched one to one, else the nearest interval, earlier first
    itself      a DAG on itself: the N-th slot before
    slotdays    a timetable's places, day by day        zonedays   labels and instants of one zone
    planned     a timetable's slots under a DAG's dates  past      which of them have a run, and which never will

Labels, not instants, are counted and compared, so that counts do not flip twice a year. When a clock is set back, the two
instants of a label are one place: who waits for it waits for both. When it is set forward, a label of given hours moves
onto another instant and stays a place of its own; a run at two places waits for what both wait for. A timetable that
runs every hour has the places that its clock shows.

Failures. What cannot be waited for is never waited for silently: `none` says that there is no such slot, `absent` names the
slots that the upstream's cursor has passed without a run. A slot after the cursor counts, though its run does not exist yet.
A run that its own timetable does not plan (the schedule changed since) has no number among the day's places: it is never
matched one to one, only by intervals.
"""

from gnomon.dependencies.resolution import History, Resolution
from gnomon.dependencies.resolver import Resolver, upstream_slots
from gnomon.model.after import After

__all__ = ["After", "History", "Resolution", "Resolver", "upstream_slots"]
