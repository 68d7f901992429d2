"""Wall-clock time: from times that a schedule states to instants. Open `clock_change.py` first: the rule for clock changes.

`labels.py` has the wall-clock times of a schedule, `zones.py` reads time zones, and `clock_timetable.py` is the base class of
timetables that state wall-clock times.
"""
