"""`gnomon calendars`: list and show the business calendars of gnomon.toml."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import date, timedelta

import click

from gnomon.authoring.sdk.schedules.named_calendars import NamedCalendars
from gnomon.entry.cli.deployment.home import Home, pass_home
from gnomon.entry.cli.integer_range import IntegerRange
from gnomon.entry.cli.output import format_fields, format_table, output_option, print_document, print_records
from gnomon.model.errors import UserError
from gnomon.model.instants import to_datetime
from gnomon.model.sentences import say
from gnomon.rules.calendars.calendar import Calendar, find_end_warning
from gnomon.rules.calendars.date_units import WEEKDAY_NAMES
from gnomon.rules.calendars.named import Named

_FIRST_YEAR, _LAST_YEAR = 1, 9999


@dataclass(frozen=True, slots=True)
class CalendarRow:
    """A named calendar as `calendars list` prints it."""

    calendar: str
    made_of: str
    weekend: list[str]
    covered_until: str | None
    """Last day of the calendar's data; None when it covers all future days."""
    error: str | None
    """Why the calendar cannot be used."""


@dataclass(frozen=True, slots=True)
class DayRow:
    """A day off on a weekday that is worked, or a business day on a weekend."""

    day: str
    weekday: str
    why: str


@dataclass(frozen=True, slots=True)
class CalendarDetail:
    """A named calendar in one year, as `calendars show` prints it."""

    calendar: str
    made_of: str
    weekend: list[str]
    covered_from: str | None
    covered_until: str | None
    year: int
    business_days: int
    days_off: list[DayRow]
    """Days off that are not on a weekend."""
    worked: list[DayRow]
    """Business days on weekends."""


@click.group()
def calendars() -> None:
    """List and show business calendars: the [calendars.NAME] tables of gnomon.toml."""


@calendars.command("list")
@output_option
@pass_home
def list_(home: Home, output: str) -> None:
    """List all named calendars and their errors."""
    calendars = NamedCalendars(home.cfg.home)
    rows = [_make_row(calendars, name) for name in calendars.names]
    print_records(
        rows,
        output,
        ("calendar", "made_of", "weekend", "covered_until", "error"),
        empty=f"no calendars; define one in a table such as [calendars.finance] in {home.cfg.home / 'gnomon.toml'}",
    )


@calendars.command()
@click.argument("name", metavar="CALENDAR")
@click.option("--year", type=IntegerRange(_FIRST_YEAR, _LAST_YEAR), help="The year to show; default: this year.")
@output_option
@pass_home
def show(home: Home, name: str, year: int | None, output: str) -> None:
    """Show a calendar: its days off in a year, and the last day that its data covers."""
    today = to_datetime(home.clock.now()).date()
    calendar = NamedCalendars(home.cfg.home).find(name)
    detail = _make_detail(calendar, today.year if year is None else year)
    if output != "table":
        print_document(asdict(detail), output)
        return
    shown = asdict(detail)
    del shown["days_off"], shown["worked"]
    click.echo(format_fields([(key.replace("_", " "), value) for key, value in shown.items()]))
    click.echo(
        "\ndays off other than weekends\n"
        + (format_table([asdict(row) for row in detail.days_off], _DAY_COLUMNS) if detail.days_off else "  none")
    )
    if detail.worked:
        click.echo("\nbusiness days on weekends\n" + format_table([asdict(row) for row in detail.worked], _DAY_COLUMNS))
    warning = find_end_warning(calendar, today)
    if warning is not None:
        click.echo(warning, err=True)


def _make_row(calendars: NamedCalendars, name: str) -> CalendarRow:
    try:
        calendar = calendars.find(name)
    except UserError as error:
        return CalendarRow(name, "", [], None, str(error))
    return CalendarRow(name, calendar.meaning.label, _weekend_names(calendar), _format_day(calendar.last_day), None)


def _make_detail(calendar: Named, year: int) -> CalendarDetail:
    """The days of that year that the calendar covers. Raises UserError when there are none."""
    first, last = _covered_range(calendar, year)
    days = [first + timedelta(number) for number in range((last - first).days + 1)]
    off = {day for day in days if not calendar.is_business_day(day)}
    ends = [day for day in days if day.weekday() in calendar.weekly]
    return CalendarDetail(
        calendar=calendar.name,
        made_of=calendar.meaning.label,
        weekend=_weekend_names(calendar),
        covered_from=_format_day(calendar.first_day),
        covered_until=_format_day(calendar.last_day),
        year=year,
        business_days=len(days) - len(off),
        days_off=[_make_day_row(day, calendar.reason(day)) for day in sorted(off.difference(ends))],
        worked=[_make_day_row(day, "worked") for day in ends if day not in off],
    )


def _covered_range(calendar: Calendar, year: int) -> tuple[date, date]:
    first, last = date(year, 1, 1), date(year, 12, 31)
    if calendar.first_day is not None:
        first = max(first, calendar.first_day)
    if calendar.last_day is not None:
        last = min(last, calendar.last_day)
    if first > last:
        raise UserError(
            say(
                "calendar_has_no_data",
                name=calendar.label,
                number=year,
                first=_format_day(calendar.first_day) or "all days",
                last_day=_format_day(calendar.last_day) or "all future days",
            )
        )
    return first, last


def _weekend_names(calendar: Calendar) -> list[str]:
    return [WEEKDAY_NAMES[day] for day in sorted(calendar.weekly)]


def _make_day_row(day: date, why: str) -> DayRow:
    return DayRow(day.isoformat(), WEEKDAY_NAMES[day.weekday()], why)


def _format_day(day: date | None) -> str | None:
    return None if day is None else day.isoformat()


_DAY_COLUMNS = ("day", "weekday", "why")
