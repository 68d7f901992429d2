"""`gnomon dags versions`."""

from __future__ import annotations

import json

from tests.unit.entry.cli.conftest import Gnomon
from tests.unit.entry.cli.deployment import HOURLY, Deployment, spec_of

from gnomon.model.sentences import render
from gnomon.model.spec import TaskSpec
from gnomon.queries.report.listings.version_list import describe_changes


def test_the_versions_of_a_dag_with_what_each_changed(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a"), version="1")
    deployment.add(spec_of("a", {"only": (), "more": ("only",)}, timetable=HOURLY, max_active_runs=2), version="2")
    rows = json.loads(gnomon("dags", "versions", "a", "-o", "json").out)
    assert [(row["version"], row["newest"], row["hash"], row["changes"]) for row in rows] == [
        (2, True, "2", ["schedule None -> 0 * * * *", "max_active_runs 16 -> 2", "task more added"]),
        (1, False, "1", ["first version"]),
    ]
    assert gnomon("dags", "versions", "a").out.splitlines()[2].split()[0] == "2"
    unknown = gnomon("dags", "versions", "aa")
    assert (unknown.code, "there is no DAG 'aa'" in unknown.err) == (1, True)


def test_a_change_of_a_task_names_old_and_new_value() -> None:
    before = spec_of("a", tasks=(TaskSpec(task_id="x"), TaskSpec(task_id="y"), TaskSpec(task_id="gone")))
    after = spec_of(
        "a",
        tasks=(TaskSpec(task_id="x", retries=2), TaskSpec(task_id="y", upstream=("x",), pool="p", doc_md="long " * 40)),
    )
    assert [render(change) for change in describe_changes(before, after)] == [
        "task gone removed",
        "task x: retries 0 -> 2",
        "task y: upstream none -> x",
        "task y: pool default_pool -> p",
        "task y: doc_md changed",
    ]
