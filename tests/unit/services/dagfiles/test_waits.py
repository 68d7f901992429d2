"""Dependencies between DAGs as files write them: what a wrong one says of file, line and remedy."""

from __future__ import annotations

import pytest
from tests.unit.services.dagfiles.conftest import Home, Parser

from gnomon.model.upstream_edges import DependencySpec

FILE = """
    from datetime import datetime, timedelta, timezone
    from gnomon import DAG, After, task
    from gnomon.timetables import Timetable

    class Shifts(Timetable):
        granularity = {granularity!r}

    with DAG("report", schedule={schedule}, start_date=datetime(2026, 1, 1, tzinfo=timezone.utc), depends_on={waits}):
        @task(depends_on={task})
        def load() -> None: ...
        load()
"""


def written(
    home: Home, *, waits: str = "None", task: str = "None", granularity: str = "day", schedule: str = "'@daily'"
) -> str:
    return home.write("report.py", FILE.format(waits=waits, task=task, granularity=granularity, schedule=schedule))


def test_what_a_file_says_is_parsed(home: Home, parser: Parser) -> None:
    path = written(
        home,
        waits="[After('billing'), After('orders', take='last')]",
        task="After('stock', max_wait=timedelta(hours=1))",
    )
    (found,) = parser.parse(path).dags
    assert found.spec.depends_on == (DependencySpec(dag_id="billing"), DependencySpec(dag_id="orders", take="last"))
    assert found.spec.tasks[0].depends_on == (DependencySpec(dag_id="stock", max_wait_s=3600.0),)


@pytest.mark.parametrize(
    ("wrong", "line", "said"),
    [
        ({"waits": "After('billing', tak='last')"}, 9, "unexpected keyword argument 'tak'; did you mean take="),
        ({"waits": "After('billing', take='newest')"}, 9, "take is not one of 'all', 'last', 'first', 'any'"),
        (
            {"waits": "['billing']"},
            9,
            "depends_on takes After(...) or a list of them, not 'billing' (str); write depends_on=[After('billing')]",
        ),
        (
            {"waits": "After('report')"},
            9,
            "'report' waits for its own run of the same period, which never ends; write After('report', previous=1)",
        ),
        (
            {"task": "After('billing', previous=0)"},
            10,
            "previous is not a whole number from 1 to 30; 1 is the period before",
        ),
        ({"task": "After('billing', zone='Berlin')"}, 12, "time zone 'Berlin' is not in the tz database"),
        (
            {"schedule": "Shifts()", "granularity": "days"},
            None,
            "Shifts.granularity is 'days' ({path}:6); write one of 'minute', 'hour', ",
        ),
    ],
)
def test_a_mistake_names_the_file_the_line_and_the_remedy(
    wrong: dict[str, str], line: int | None, said: str, home: Home, parser: Parser
) -> None:
    path = written(home, **wrong)
    (failure,) = parser.parse(path).failures
    assert said.format(path=path) in failure.message
    assert path in failure.message
    if line is not None:
        assert failure.line == line
