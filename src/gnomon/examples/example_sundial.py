"""Every five minutes: computes the noon shadow of a gnomon in several cities in parallel, and branches on the results.

The DAG shows XComs between tasks, a task group, a branch, retries, and the data interval of a run.
"""

from __future__ import annotations

import datetime as dt
import math

from gnomon import dag, task, task_group
from gnomon.timetables import CronDataIntervalTimetable

LATITUDES = {"quito": 0, "zurich": 47, "tromso": 70}


@dag(
    schedule=CronDataIntervalTimetable("*/5 * * * *", timezone="UTC"),
    start_date=dt.datetime(2026, 1, 1, tzinfo=dt.UTC),
    catchup=False,
    max_active_runs=1,
    is_paused_upon_creation=False,
    default_args={"retries": 2, "retry_delay": dt.timedelta(seconds=5)},
    tags=["example"],
)
def example_sundial() -> None:
    @task
    def declination(data_interval_start: dt.datetime | None = None) -> float:
        """How far north of the equator the sun stands on the day of this run, in degrees."""
        assert data_interval_start is not None
        day = data_interval_start.timetuple().tm_yday
        return -23.44 * math.cos(math.radians(360 / 365 * (day + 10)))

    @task
    def shadow(latitude: float, sun: float) -> float | None:
        """The length of the noon shadow of a gnomon one metre high; None while the sun stays below the horizon."""
        height = 90 - abs(latitude - sun)
        return round(1 / math.tan(math.radians(height)), 3) if height > 0 else None

    @task_group
    def shadows(sun: float) -> list[object]:
        return [shadow.override(task_id=city)(latitude, sun) for city, latitude in LATITUDES.items()]

    @task.branch
    def judge(lengths: list[float | None]) -> str:
        """Polar night somewhere, or an ordinary day."""
        return "polar_night" if None in lengths else "ordinary_day"

    @task
    def polar_night() -> None:
        print("Somewhere the sun does not rise today.")

    @task
    def ordinary_day() -> None:
        print("The sun rises everywhere today.")

    judge(shadows(declination())) >> [polar_night(), ordinary_day()]  # type: ignore[arg-type]


example_sundial()
