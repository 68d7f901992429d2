"""The argument `schedule`, deadlines, and timetables of authors. `schedule_argument` turns the argument into a timetable: open it first.
`author_timetable` checks timetables that authors write; `named_calendars` finds the calendars of gnomon.toml.
"""
