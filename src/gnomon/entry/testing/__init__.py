"""Tools for tests: `VirtualClock`, which moves only when a test sets it; an executor that follows a script; the laws of timetables.

To test a timetable, open `timetables/check.py`; to test a scheduler without worker processes, open `scripted.py`.
"""
