"""Days off from a file that an author keeps: CSV or ICS. What is read becomes plain dates; nothing reads the file later."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path

from gnomon.calendars.date_files import read_csv_dates, read_ics_dates
from gnomon.calendars.date_units import parse_day
from gnomon.calendars.fixed_calendars import Dates
from gnomon.config import current_config
from gnomon.errors.timetable import AirflowTimetableInvalid


def dates_file(
    path: str | os.PathLike[str], *, since: date | str | None = None, until: date | str | None = None
) -> Dates:
    """The days off that a CSV file (`.csv`, a date a line) or an iCalendar file (`.ics`, all-day events) lists.

    A path that is not absolute lies below the DAGs folder. `since`, `until`: from when until when the list is complete; by
    default whole years, from that of the first date to that of the last. The file is an input of the DAG file: when it
    changes, the DAG file is parsed again.
    """
    place = current_config().dags_folder / Path(path).expanduser()
    days = read_dates_file(place, until=None if until is None else parse_day(until))
    return Dates(days, since=since, until=until, source=place.name)


def read_dates_file(file: Path, *, until: date | None = None) -> list[date]:
    """The dates of a file by its suffix; AirflowTimetableInvalid names the file, and the line that is wrong."""
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise AirflowTimetableInvalid(f"there is no file {file}; put the list of dates there, or correct the path") from None
    except (OSError, UnicodeDecodeError) as error:
        raise AirflowTimetableInvalid(f"{file} cannot be read: {error}") from None
    if file.suffix.lower() == ".ics":
        return read_ics_dates(text, str(file), until=until)
    return read_csv_dates(text, str(file))
