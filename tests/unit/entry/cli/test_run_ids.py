"""A timetable may give a run any text of one line as its id: every command, record and log takes it."""

from __future__ import annotations

import json
import shlex
from contextlib import nullcontext

import pytest
from tests.unit.entry.cli.conftest import Gnomon
from tests.unit.entry.cli.deployment import Deployment, spec_of

from gnomon.entry.cli.deployment.home import Home
from gnomon.model.attempts import build_attempt_log_path
from gnomon.model.ids import RUN_ID_MAX, find_run_id_fault, quote_argument
from gnomon.model.states import DagRunType
from gnomon.storage.store import RunExists
from gnomon.storage.store.dag_records import dag_runs

TEXTS = (
    "2021-01-05 Tuesday",
    " both ends ",
    "..",
    ".",
    "a/b/../../etc/passwd",
    "\\\\host\\share",
    "100% 'quoted' \"twice\" `thrice` $HOME; rm -rf . & | > < * ? [a-z] {{ ds }} {% raw %}",
    "--help",
    "-r",
    "Größe 時刻 \N{GRINNING FACE} עברית",
    "e\N{COMBINING ACUTE ACCENT}",
    "<b>&amp;</b>",
    "[red]markup[/]",
    "NULL",
    "x" * RUN_ID_MAX,
    "時" * RUN_ID_MAX,
    "\N{GRINNING FACE}" * RUN_ID_MAX,
    "Case",
    "case",
)


@pytest.fixture
def named(deployment: Deployment) -> Deployment:
    """A run of `a` for each text, all ended."""
    deployment.add(spec_of("a", max_active_runs=len(TEXTS)))
    deployment.start()
    with deployment.db.write() as tx:
        for run_id in TEXTS:
            dag_runs.create_manual_run(
                tx,
                dag_id="a",
                run_id=run_id,
                logical_at=None,
                run_after=deployment.clock.now(),
                interval=None,
                conf={},
                by="test",
                at=deployment.clock.now(),
            )
    deployment.move(30)
    return deployment


def test_every_text_of_one_line_is_an_id_and_no_other() -> None:
    assert [find_run_id_fault(text) for text in TEXTS] == [None] * len(TEXTS)
    for text in (
        "",
        "x" * (RUN_ID_MAX + 1),
        "a\nb",
        "a\r",
        "\x00",
        "\x1b[31m",
        "\x7f",
        "\x85",
        "\u2028",
        "abc\u202ecba",
        "\u2066a",
        "\ud800",
    ):
        assert find_run_id_fault(text) is not None, repr(text)


def test_every_command_takes_every_id_as_explain_writes_it(gnomon: Gnomon, named: Deployment) -> None:
    listed = {row["run_id"]: row["state"] for row in json.loads(gnomon("runs", "list", "a", "-o", "json").out)}
    assert listed == dict.fromkeys(TEXTS, "success")
    assert gnomon("runs", "list", "a").out.count("success") == len(TEXTS)
    for run_id in TEXTS:
        given = shlex.split(quote_argument(run_id))
        assert given[-1] == run_id
        for command in (["runs", "show"], ["tasks", "states"], ["explain"]):
            ended = (
                gnomon(*command, "-o", "json", "a", *given) if command != ["explain"] else gnomon(*command, "a", *given)
            )
            assert ended.code == 0, ended
        assert gnomon("runs", "clear", "--dry-run", "a", *given).code == 0
        assert gnomon("runs", "mark", "--state", "failed", "--dry-run", "a", *given).code == 0
        assert gnomon("tasks", "clear", "--dry-run", "a", *given, "only").code == 0
        assert gnomon("tasks", "mark", "--state", "failed", "--dry-run", "a", *given, "only").code == 0


def test_a_run_of_such_a_name_is_cleared_and_marked_alone(gnomon: Gnomon, named: Deployment) -> None:
    assert gnomon("runs", "mark", "--state", "failed", "a", "2021-01-05 Tuesday").code == 0
    assert gnomon("runs", "clear", "a", "Case").code == 0
    listed = {row["run_id"]: row["state"] for row in json.loads(gnomon("runs", "list", "a", "-o", "json").out)}
    assert [run_id for run_id, state in listed.items() if state != "success"] == ["Case", "2021-01-05 Tuesday"]


def test_each_has_a_log_of_its_own_that_is_found(gnomon: Gnomon, named: Deployment, home: Home) -> None:
    paths = {run_id: home.cfg.logs_folder / build_attempt_log_path("a", run_id, "only", -1, 1) for run_id in TEXTS}
    assert len(set(paths.values())) == len(TEXTS)
    for run_id, path in paths.items():
        assert path.resolve().is_relative_to(home.cfg.logs_folder.resolve())
        path.parent.mkdir(parents=True)
        path.write_text(f"log of {run_id}", encoding="utf-8")
    for run_id in TEXTS:
        assert gnomon("tasks", "logs", "a", *shlex.split(quote_argument(run_id)), "only").out == f"log of {run_id}\n"


def test_a_sentence_with_a_command_can_be_pasted(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a"))
    with deployment.db.write() as tx:
        now = deployment.clock.now()
        dag_runs.create_manual_run(
            tx,
            dag_id="a",
            run_id="2021-01-05 Tuesday",
            logical_at=None,
            run_after=now,
            interval=None,
            conf={},
            by="test",
            at=now,
        )
    assert "gnomon explain a '2021-01-05 Tuesday'" in gnomon("explain", "a").out
    assert (
        "`gnomon explain a '2021-01-05 Tuesday' only`" in gnomon("tasks", "logs", "a", "2021-01-05 Tuesday", "only").err
    )


RESERVED = (
    "scheduled__2030-01-01T00:00:00+00:00",
    "backfill__x",
    "asset_triggered__x",
    "operator_triggered__x",
    "asset_materialization__x",
)


@pytest.mark.parametrize("run_id", RESERVED)
def test_a_run_by_hand_cannot_have_the_id_of_a_run_of_another_type(
    run_id: str, gnomon: Gnomon, deployment: Deployment
) -> None:
    deployment.add(spec_of("a"))
    deployment.start()
    kind = run_id.partition("__")[0]
    code, _, err = gnomon("dags", "trigger", "a", "--run-id", run_id)
    assert (
        code == 1
        and f"run id {run_id!r} begins with {kind}__, which is reserved for {kind} runs; choose another run id" in err
    )
    assert json.loads(gnomon("runs", "list", "a", "-o", "json").out) == []


def test_a_run_by_hand_may_have_the_prefix_of_its_own_type(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a"))
    deployment.start()
    assert gnomon("dags", "trigger", "a", "--run-id", "manual__mine").code == 0


def test_the_id_that_stands_for_all_runs_is_refused(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a"))
    deployment.start()
    code, _, err = gnomon("dags", "trigger", "a", "--run-id", "~")
    assert code == 1 and "~ stands for all runs in addresses of the API and is no run id" in err


def test_an_id_that_another_run_has_is_answered_with_that_run(gnomon: Gnomon, deployment: Deployment) -> None:
    """An operator that is told to reset the run finds it."""
    deployment.add(spec_of("a"))
    deployment.start()
    with deployment.db.write() as tx:
        for run_type in (DagRunType.SCHEDULED, DagRunType.MANUAL):
            with pytest.raises(RunExists) if run_type is DagRunType.MANUAL else nullcontext():
                dag_runs.create_manual_run(
                    tx,
                    dag_id="a",
                    run_id=RESERVED[0],
                    logical_at=None,
                    run_after=deployment.clock.now(),
                    interval=None,
                    conf={},
                    by="test",
                    at=deployment.clock.now(),
                    run_type=run_type,
                )
