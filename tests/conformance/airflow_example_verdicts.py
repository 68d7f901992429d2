"""What becomes of each published example file of Airflow: the table that the tests execute, and docs/contributing/airflow-examples.md.

A row says by which test the recorded runs of the file are compared. So a file whose runs end otherwise than its verdict says
makes that test fail, and a file that is not in the table another one (test_airflow_examples.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum


class ComparedBy(Enum):
    """The test that compares the recorded runs of a file."""

    ONE_PROCESS = "test_airflow_examples.py"
    """And test_airflow_examples_scheduled.py."""
    SCHEDULER = "test_airflow_examples_scheduled.py"
    ASSETS = "test_airflow_examples_assets.py"
    PARTITIONS = "test_airflow_examples_partitions.py"
    PACKAGES = "test_airflow_examples_packages.py"
    """With packages that the file imports; sites on the internet cannot be reached, as when the runs were recorded."""
    WATCHERS = "test_airflow_examples_watchers.py"
    """With files in a folder of the test instead of /tmp."""
    NOTHING = "not compared"


class Verdict(Enum):
    """The value is the text of the page."""

    ALIKE = "as in Airflow"
    BETTER = "better than in Airflow"
    NOT_YET = "not yet"
    CANNOT = "cannot run"


@dataclass(frozen=True)
class ExampleFile:
    """One published file."""

    name: str
    compared_by: ComparedBy
    verdict: Verdict = Verdict.ALIKE
    reason: str = ""
    error: str = ""
    """Words of the error that loading the file raises, of a file that cannot be loaded without more."""


def _alike(compared_by: ComparedBy, names: str) -> Iterator[ExampleFile]:
    return (ExampleFile(name, compared_by) for name in names.split())


ONE_URI = (
    "example_inlet_event_extra and example_outlet_event_extra give one URI two names: Airflow makes one of both assets inactive "
    "and fails its tasks; here both work"
)
NO_SITE = "compared without a connection to the internet, as recorded; "
EXAMPLE_FILES: tuple[ExampleFile, ...] = (
    *_alike(
        ComparedBy.ONE_PROCESS,
        """example_branch_labels example_branch_python_dop_operator_3 example_complex example_custom_weight example_display_name
        example_failed_dag example_latest_only_with_trigger example_nested_branch_dag example_params_ui_tutorial
        example_passing_params_via_test_command example_setup_teardown example_setup_teardown_taskflow example_simplest_dag
        example_skip_dag example_task_group example_task_group_decorator example_time_delta_sensor_async
        example_trigger_target_dag example_xcom example_workday_timetable example_xcomargs tutorial tutorial_dag
        tutorial_taskflow_api tutorial_taskflow_templates""",
    ),
    *_alike(
        ComparedBy.SCHEDULER,
        """example_asset_state_store example_dynamic_task_mapping example_dynamic_task_mapping_with_no_taskflow_operators
        example_params_trigger_ui example_task_state_store example_task_state_store_mapped""",
    ),
    ExampleFile(
        "example_task_state_store_async",
        ComparedBy.SCHEDULER,
        Verdict.BETTER,
        "in Airflow 3.3.2 the task fails, because its state store has no `aget`",
    ),
    *_alike(
        ComparedBy.ASSETS,
        """example_asset_alias example_asset_alias_with_no_taskflow example_asset_allow_teams example_asset_decorator
        example_assets""",
    ),
    ExampleFile("example_inlet_event_extra", ComparedBy.ASSETS, Verdict.BETTER, ONE_URI),
    ExampleFile("example_outlet_event_extra", ComparedBy.ASSETS, Verdict.BETTER, ONE_URI),
    ExampleFile("example_asset_partition", ComparedBy.PARTITIONS),
    ExampleFile(
        "example_dag_decorator",
        ComparedBy.PACKAGES,
        reason=NO_SITE + "needs the package httpx",
        error="No module named 'httpx'",
    ),
    ExampleFile(
        "example_retry_policy", ComparedBy.PACKAGES, reason=NO_SITE + "six tries in five minutes: in `make soak`"
    ),
    ExampleFile(
        "tutorial_objectstorage",
        ComparedBy.PACKAGES,
        reason=NO_SITE + "needs the packages requests and pandas, and the extra object-storage",
    ),
    ExampleFile(
        "tutorial_taskflow_api_virtualenv", ComparedBy.PACKAGES, reason="needs the package dill and a package index"
    ),
    ExampleFile("example_asset_with_watchers", ComparedBy.WATCHERS),
    ExampleFile("example_kubernetes_executor", ComparedBy.NOTHING, Verdict.CANNOT, "needs Kubernetes"),
    ExampleFile("example_local_kubernetes_executor", ComparedBy.NOTHING, Verdict.CANNOT, "needs Kubernetes"),
)


def files_compared_by(*tests: ComparedBy) -> tuple[str, ...]:
    """The names of the files whose runs one of these tests compares."""
    return tuple(file.name for file in EXAMPLE_FILES if file.compared_by in tests)


PAGE_INTRO = """# Airflow's example files

Apache Airflow 3.3.2 publishes {count} example DAG files. The tests run them unmodified and compare the states, the tries and the XComs of every
task with what Airflow itself recorded. A run that ends better than in Airflow is listed as such. `tests/conformance/airflow_example_verdicts.py` is
the table of this page and of the tests; [what differs from Airflow](../reference/airflow-differences.md) has the rules.

{summary}

| file | verdict | reason | compared by |
|---|---|---|---|
"""


def examples_page() -> str:
    """Text of docs/contributing/airflow-examples.md."""
    counts = {verdict: sum(file.verdict is verdict for file in EXAMPLE_FILES) for verdict in Verdict}
    summary = ", ".join(f"{count} {verdict.value}" for verdict, count in counts.items() if count)
    rows = [
        f"| `{file.name}.py` | {file.verdict.value} | {file.reason} | {_compared(file)} |\n"
        for file in sorted(EXAMPLE_FILES, key=lambda file: file.name)
    ]
    return PAGE_INTRO.format(count=len(EXAMPLE_FILES), summary=f"Of {len(EXAMPLE_FILES)} files: {summary}.") + "".join(
        rows
    )


def _compared(file: ExampleFile) -> str:
    return (
        file.compared_by.value
        if file.compared_by is ComparedBy.NOTHING
        else f"`tests/conformance/{file.compared_by.value}`"
    )
