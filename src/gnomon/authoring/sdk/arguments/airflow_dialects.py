"""Which Airflow, 2 or 3, a DAG is written for, and the defaults of that version.

Airflow 3 changed the meaning of a cron text and of a timedelta (runs have no data interval), the default of `catchup`, and the
schedule of a DAG that names none. A DAG with an argument that only Airflow 2 takes keeps the meaning of Airflow 2; every other
DAG follows `[core] airflow_dialect`. An option that is set decides in both dialects.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from gnomon.authoring.sdk.arguments import option_defaults
from gnomon.authoring.sdk.arguments.notset import NOTSET
from gnomon.model.unchecked_sentences import say_unchecked

if TYPE_CHECKING:
    from gnomon.model.sentences import Sentence

AIRFLOW_2 = 2
AIRFLOW_3 = 3
DEFAULT_SCHEDULE_OF_AIRFLOW_2 = dt.timedelta(days=1)
"""The schedule of a DAG of Airflow 2 that names none (Airflow 2.10, `DEFAULT_SCHEDULE_INTERVAL`); None in Airflow 3."""
OF_THE_OPTION = "[core] airflow_dialect"


class AirflowDialect(NamedTuple):
    """The version of Airflow whose defaults a DAG follows."""

    number: int
    arguments: tuple[str, ...] = ()
    """The arguments of the DAG that only Airflow 2 takes; empty when the option decided."""

    @property
    def reason(self) -> str | None:
        """Why the DAG follows this version; None for the default of Gnomon."""
        if self.arguments:
            return f"its argument{'s' if len(self.arguments) > 1 else ''} {', '.join(f'{name}=' for name in self.arguments)}"
        return OF_THE_OPTION if self.number != AIRFLOW_3 else None

    def read_boolean(self, section: str, key: str) -> bool:
        """Return the option as a boolean; one that is not set has the default of this version of Airflow."""
        return option_defaults.read_boolean_of_dialect(section, key, self.number)

    def fill_schedule(self, schedule: Any) -> Any:
        """Return the schedule; for a DAG that names none, the default of this version of Airflow."""
        if schedule is NOTSET:
            return DEFAULT_SCHEDULE_OF_AIRFLOW_2 if self.number == AIRFLOW_2 else None
        return schedule

    def fill_catchup(self, catchup: Any) -> Any:
        """Return the argument `catchup`; for a DAG that does not give it, the default of this version of Airflow."""
        return self.read_boolean("scheduler", "catchup_by_default") if catchup is NOTSET else catchup

    def describe_differences(self, schedule: Any, timetable: Any, catchup: Any) -> Sentence | None:
        """Return the sentence that says what its arguments of Airflow 2 change for the DAG; None when they change nothing.

        `schedule`, `catchup`: as the author gave them, or NOTSET. `timetable`: the timetable of the DAG.
        """
        if not self.arguments or option_defaults.read_integer("core", "airflow_dialect") == AIRFLOW_2:
            return None
        changes = list(self._iterate_changes(schedule, timetable, catchup))
        if not changes:
            return None
        return say_unchecked("dag_follows_airflow_2", reason=self.reason, clauses=tuple(changes))

    def _iterate_changes(self, schedule: Any, timetable: Any, catchup: Any) -> Iterator[Sentence]:
        present = AirflowDialect(AIRFLOW_3)
        if schedule is NOTSET:
            yield say_unchecked("it_runs_every_day")
        name = type(timetable).__name__
        for timetables, option in (
            (("CronDataIntervalTimetable",), "create_cron_data_intervals"),
            (("DeltaDataIntervalTimetable",), "create_delta_data_intervals"),
        ):
            if (
                name in timetables
                and not hasattr(schedule, "next_dagrun_info")
                and not present.read_boolean("scheduler", option)
            ):
                yield say_unchecked("run_has_interval_before_it")
        if catchup is NOTSET and self.fill_catchup(NOTSET) != present.fill_catchup(NOTSET):
            yield say_unchecked("catchup_is", value=str(self.fill_catchup(NOTSET)))


def find_dialect(spellings: Iterable[str]) -> AirflowDialect:
    """Return the dialect of a DAG. `spellings`: the arguments of the DAG that only Airflow 2 takes."""
    given_spellings = tuple(spellings)
    return AirflowDialect(AIRFLOW_2, given_spellings) if given_spellings else read_dialect()


def read_dialect() -> AirflowDialect:
    """Return the dialect of a schedule that belongs to no DAG, or to one without arguments of Airflow 2: the option's."""
    return AirflowDialect(option_defaults.read_integer("core", "airflow_dialect"))
