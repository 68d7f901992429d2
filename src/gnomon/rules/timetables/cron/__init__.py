"""Cron expressions in croniter's dialect. Open `cron_timetable.py` first: `CronTimetable`, the base of all cron timetables.

`cron_fields.py` parses an expression into sets of values, `cron_days.py` finds the days that it selects, and `cron_words.py`
describes it as a sentence.
"""
