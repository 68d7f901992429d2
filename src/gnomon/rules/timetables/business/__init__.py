"""Timetables on business calendars. Open `business_days.py` first: the timetable `BusinessDays`.

`calendar_mixin.py` adds `calendar=` and `on_holiday=` to the other timetables; `day_filters.py` selects and moves days by a
calendar; `whole_days.py` plans the runs of `BusinessDays(interval="after")`.
"""
