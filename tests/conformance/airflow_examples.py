"""The published example DAGs of Airflow, and what is known of their runs."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.conformance import package_index
from tests.conformance.package_index import pip

GOLDEN = Path(__file__).parent / "data" / "airflow_examples.jsonl"
PACKAGE = "apache-airflow-core"
VERSION = "3.3.2"
CACHE = package_index.CACHE / "airflow"

Line = dict[str, Any]
BETTER: dict[tuple[str, str], dict[str, object]] = {
    ("example_task_state_store_async", "2026-03-04"): {
        "run_state": "success",
        "tasks": [{"task_id": "ingest_pages", "map_index": -1, "state": "success", "try_number": 2}],
        "xcoms": [
            {"task_id": "ingest_pages", "map_index": -1, "key": key, "value": value}
            for key, value in (("return_value", {"pages": 12, "rows": 7800}), ("pages", 12), ("rows", 7800))
        ],
    },
}
"""Runs that end better than in Airflow 3.3.2, by DAG and date: there the task state store has no `aget`."""
Key = tuple[str, int]


@dataclass(frozen=True)
class Observed:
    """One run as it ended here, in the terms of the golden lines."""

    run_state: str
    tasks: dict[Key, tuple[str | None, int]]
    """(task id, map index) to (state, try number)."""
    xcoms: dict[tuple[str, int, str], object] = field(default_factory=dict)
    """(task id, map index, key) to the value, as `serde.loads` gives it."""


def compare(expected: Line, observed: Observed) -> list[str]:
    """One sentence for each difference from what Airflow recorded; none when the run ended alike.

    A line with several `outcomes` is met when one of them is. Keys in `varying` need to be there, whatever they hold.
    """
    outcomes = [{**expected, **outcome} for outcome in expected.get("outcomes", [])] or [expected]
    differences = [_differences(outcome, observed) for outcome in outcomes]
    return min(differences, key=len)


def _differences(expected: Line, observed: Observed) -> list[str]:
    found = []
    if observed.run_state != expected["run_state"]:
        found.append(f"the run ended {observed.run_state}, in Airflow {expected['run_state']}")
    wanted = {(t["task_id"], t["map_index"]): (t["state"], t["try_number"]) for t in expected["tasks"]}
    found += _by_key("task instance", wanted, observed.tasks)
    values = {(x["task_id"], x["map_index"], x["key"]): x["value"] for x in expected.get("xcoms", [])}
    varying = {(x["task_id"], x["map_index"], x["key"]) for x in expected.get("varying", [])}
    seen = {key: _plain(value) for key, value in observed.xcoms.items()}
    found += [f"XCom {key} is missing" for key in sorted(varying - seen.keys())]
    found += _by_key("XCom", values, {key: value for key, value in seen.items() if key not in varying})
    return found


def _by_key(what: str, wanted: dict[Any, Any], seen: dict[Any, Any]) -> list[str]:
    return [
        f"{what} {key} is {seen.get(key, 'not there')!r}, in Airflow {wanted.get(key, 'not there')!r}"
        for key in sorted(wanted.keys() | seen.keys())
        if wanted.get(key, _NOTHING) != seen.get(key, _NOTHING)
    ]


_NOTHING = object()


def _plain(value: object) -> object:
    """The value as JSON knows it: that is how the golden lines hold it."""
    return json.loads(json.dumps(value, default=str))


def golden_lines() -> Iterator[Line]:
    """Every recorded run."""
    for line in GOLDEN.read_text().splitlines():
        yield json.loads(line)


def unpacked_examples(target: Path) -> Path:
    """The folder with the published example DAGs, unpacked below `target`; skips where the index is away.

    Never skips when CI=true: there, a download that fails is a failure.
    """
    with zipfile.ZipFile(_wheel()) as wheel:
        names = [name for name in wheel.namelist() if name.startswith("airflow/example_dags/")]
        wheel.extractall(target, names)
    return target / "airflow" / "example_dags"


def _wheel() -> Path:
    known = sorted(CACHE.glob(f"{PACKAGE.replace('-', '_')}-{VERSION}-*.whl"))
    if known:
        return known[0]
    CACHE.mkdir(parents=True, exist_ok=True)
    pip("download", "--dest", str(CACHE), f"{PACKAGE}=={VERSION}", what=f"{PACKAGE} {VERSION}")
    return _wheel()
