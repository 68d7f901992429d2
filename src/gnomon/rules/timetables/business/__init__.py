"""What timetables on business calendars are made of; the timetable itself is `timetables/business_days.py`.

`calendar_mixin.py` adds `calendar=` and `on_holiday=` to the other timetables; `day_filters.py` selects and moves days by a
calendar; `whole_days.py` plans the runs of `BusinessDays(interval="after")`.
"""
