"""Period timetables: `Minutely` to `Monthly`. Open `period_timetable.py` first: their common base class.

`intraday_periods.py` and `day_periods.py` have the timetables; `period_arguments.py` parses what authors write, and
`period_days.py` finds the days of weeks and months.
"""
