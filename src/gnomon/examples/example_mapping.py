"""One task for each element of a list that another task returns, and a task that reads all their results.

The number of instances is known only while the run is running; `gnomon tasks states` shows them by their labels.
"""

from __future__ import annotations

import datetime as dt

from gnomon import DAG, get_current_context, task

with DAG(
    "example_mapping",
    schedule="@once",
    start_date=dt.datetime(2026, 1, 1, tzinfo=dt.UTC),
    is_paused_upon_creation=False,
    tags=["example"],
):

    @task
    def list_cities() -> list[str]:
        """One instance of `measure` is made for each element."""
        return ["quito", "zurich", "tromso"]

    @task(map_index_template="{{ city }}")
    def measure(city: str, unit: str) -> int:
        """`unit` is the same for all instances, `city` differs. The label of the instance is set here."""
        get_current_context()["city"] = city  # type: ignore[typeddict-unknown-key]
        print(f"{len(city)} {unit} for {city}")
        return len(city)

    @task
    def add(lengths: list[int]) -> int:
        """A sequence that reads the results of all instances when they are used."""
        return sum(lengths)

    add(measure.partial(unit="letters").expand(city=list_cities()))  # type: ignore[arg-type]
