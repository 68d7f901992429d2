"""Days off from a CSV or ICS file. The file is read when the DAG file is parsed; only the dates are stored."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path

from gnomon.ground.config import current_config
from gnomon.model.errors.timetable import AirflowTimetableInvalid
from gnomon.rules.calendars.date_files import read_csv_dates, read_ics_dates
from gnomon.rules.calendars.date_units import parse_day
from gnomon.rules.calendars.fixed_calendars import Dates


def dates_file(
    path: str | os.PathLike[str], *, since: date | str | None = None, until: date | str | None = None
) -> Dates:
    """Return the days off in a CSV file (`.csv`, one date per line) or an iCalendar file (`.ics`, all-day events).

    A relative path is relative to the DAGs folder. `since` and `until` limit the time for which the list is complete; by
    default it is complete from the year of the first date to the year of the last date. The file is an input of the DAG file:
    when it changes, the DAG file is parsed again. Raises AirflowTimetableInvalid as `read_dates_file` does.
    """
    place = current_config().dags_folder / Path(path).expanduser()
    days = read_dates_file(place, until=None if until is None else parse_day(until))
    return Dates(days, since=since, until=until, source=place.name)


def read_dates_file(file: Path, *, until: date | None = None) -> list[date]:
    """Return the dates of a CSV or ICS file. Raises AirflowTimetableInvalid, with the file and the line, when it is not valid."""
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise AirflowTimetableInvalid(
            f"the file {file} does not exist; create it with the dates, or correct the path"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise AirflowTimetableInvalid(f"{file} cannot be read: {error}") from None
    if file.suffix.lower() == ".ics":
        return read_ics_dates(text, str(file), until=until)
    return read_csv_dates(text, str(file))
