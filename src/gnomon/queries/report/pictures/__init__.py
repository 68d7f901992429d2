"""Renders schedules and waits: calendars (`calendar_svg.py`), a day's waits (`day_lanes_svg.py`), the graph of DAGs, and ICS files.

Each renderer takes a typed record, such as `calendar_sheet.CalendarSheet`, and returns text; open `calendar_sheet.py` first. The
SVG is written without a drawing library.
"""
