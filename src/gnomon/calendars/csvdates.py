"""Dates from the text of a CSV file."""

from __future__ import annotations

import csv
from datetime import date

from gnomon.errors.timetable import AirflowTimetableInvalid

COLUMN = "date"
"""The column that is read where the first line names columns; otherwise the first one."""
_COMMENT = "#"


def dates_of_csv(text: str, name: str) -> list[date]:
    """The dates of a CSV text, one a line, `YYYY-MM-DD`, in its column `date` or its first one.

    Empty lines and lines that begin with `#` say nothing. AirflowTimetableInvalid names `name` and the line that does not
    read.
    """
    found: list[date] = []
    column = 0
    lines = csv.reader(text.removeprefix("\ufeff").splitlines(), skipinitialspace=True)
    first = True
    for row in lines:
        if not any(cell.strip() for cell in row) or row[0].startswith(_COMMENT):
            continue
        if first:
            first = False
            names = [cell.strip().lower() for cell in row]
            if COLUMN in names:
                column = names.index(COLUMN)
                continue
        cell = row[column].strip() if column < len(row) else ""
        try:
            found.append(date.fromisoformat(cell))
        except ValueError:
            raise AirflowTimetableInvalid(
                f"{name}, line {lines.line_num}: {cell!r} is no date; write it as YYYY-MM-DD in the first column, or in "
                f"one that the first line names {COLUMN!r}"
            ) from None
    return found
