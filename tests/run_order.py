"""The order of the tests of several processes (`pytest -n N --dist worksteal`): what takes long begins first, and no long test begins at the end of the run.

Each of the N processes begins with its Nth part of the list, and one that has no test left takes the second half of the longest rest. So each part
begins with files that take long, of which every part gets as much, and ends with pure tests. The tests of a file stay together and in their order, and
so do those of a folder whose files share fixtures.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TypeVar

import pytest

T = TypeVar("T")
SECONDS = {
    "tests/acceptance/test_airflow_client.py": 55,
    "tests/acceptance/test_airflowctl.py": 40,
    "tests/acceptance/test_author_timetables.py": 30,
    "tests/acceptance/test_celery_executor.py": 100,
    "tests/acceptance/test_celery_messages.py": 55,
    "tests/acceptance/test_cli_dagtest.py": 55,
    "tests/acceptance/test_cli_standalone.py": 30,
    "tests/acceptance/test_cli_xcom_values.py": 35,
    "tests/acceptance/test_custom_timetable.py": 50,
    "tests/acceptance/test_dialect_environment.py": 50,
    "tests/acceptance/test_kubernetes_executor.py": 110,
    "tests/acceptance/test_many_commands.py": 35,
    "tests/architecture/test_docs.py": 130,
    "tests/budget/test_budgets.py": 60,
    "tests/chaos/test_deferral_points.py": 165,
    "tests/chaos/test_homes.py": 35,
    "tests/chaos/test_postgres_trouble.py": 80,
    "tests/chaos/test_several_hosts.py": 35,
    "tests/chaos/test_triggerers.py": 35,
    "tests/conformance/test_airflow_unit_tests.py": 135,
    "tests/conformance/test_api_fuzz.py": 135,
    "tests/conformance/test_benches.py": 35,
    "tests/conformance/test_migrate_provider_examples.py": 150,
    "tests/conformance/test_provider_packages.py": 35,
    "tests/conformance/test_provider_unit_tests.py": 55,
    "tests/conformance/test_run_walk.py": 60,
    "tests/conformance/test_secrets_of_aws.py": 40,
    "tests/conformance/test_statements_of_all_lists.py": 75,
    "tests/conformance/test_time_bounds.py": 35,
    "tests/page": 380,
    "tests/simulation/test_deployment.py": 45,
    "tests/simulation/test_years.py": 35,
    "tests/unit/api/test_hostile_requests.py": 30,
    "tests/unit/author_code/timetable_host/test_subprocess_host.py": 35,
    "tests/unit/entry/cli/test_over_the_api.py": 35,
}
"""How long the tests of a file or folder take together, in seconds: those of more than half a minute. Only their order and rough proportion count."""
HOUR_LONG = frozenset(
    {
        "tests/acceptance/test_hostile_worker.py",
        "tests/conformance/test_mail_fuzz.py",
        "tests/conformance/test_report_fuzz.py",
        "tests/unit/api/test_execution_fuzz.py",
    }
)
"""Files of which each test of the soak takes an hour: these begin first, each by itself."""
_HOUR_S = 3600
OTHER_S = 8
"""The same for another file of tests that are not pure."""


class RunOrder:
    """Sets the order in each process of `pytest -n N`; the order of a run in one process is that of the files."""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        processes = getattr(config, "workerinput", {}).get("workercount", 1)
        if processes > 1:
            pure = [item for item in items if item.get_closest_marker("pure")]
            groups = [
                list(tests)
                for _, tests in groupby((item for item in items if not item.get_closest_marker("pure")), _key)
            ]
            items[:] = order(groups, [_seconds(group) for group in groups], pure, processes)


def order(groups: Sequence[Sequence[T]], seconds: Sequence[float], pure: Sequence[T], processes: int) -> list[T]:
    """The list whose `processes` parts have as much of the groups, which take so many seconds, the longest first; pure tests fill each part."""
    parts: list[list[T]] = [[] for _ in range(processes)]
    taken = [0.0] * processes
    for number in sorted(range(len(groups)), key=lambda number: -seconds[number]):
        shortest = taken.index(min(taken))
        parts[shortest] += groups[number]
        taken[shortest] += seconds[number]
    rest, ordered = list(pure), list[T]()
    total = sum(map(len, groups)) + len(rest)
    for number, part in enumerate(parts):
        size = (total - len(ordered)) // (processes - number)  # as xdist divides the list
        fill = max(0, size - len(part))
        ordered += [*part, *rest[:fill]]
        del rest[:fill]
    return [*ordered, *rest]


def _key(item: pytest.Item) -> str:
    file = item.nodeid.partition("::")[0]
    if file in HOUR_LONG and item.get_closest_marker("soak"):
        return item.nodeid
    return next((name for name in SECONDS if file.startswith(f"{name}/")), file)


def _seconds(group: Iterable[pytest.Item]) -> float:
    key = _key(next(iter(group)))
    return _HOUR_S if key.partition("::")[0] in HOUR_LONG and "::" in key else SECONDS.get(key, OTHER_S)
