"""`gnomon forecast`: the coming runs of a home, read and never changed."""

from __future__ import annotations

import json
from typing import Any

from msgspec.structs import replace
from tests.unit.entry.cli.conftest import Gnomon
from tests.unit.entry.cli.deployment import HOURLY, Deployment, spec_of

from gnomon.model.baselines import PredictedRun
from gnomon.model.instants import SECOND
from gnomon.storage.store.alert_records import run_predictions
from gnomon.testing import Play


def forecast(gnomon: Gnomon, *options: str) -> dict[str, Any]:
    code, out, err = gnomon("forecast", "-o", "json", "--samples", "3", *options)
    assert (code, err) == (0, "")
    answer: dict[str, Any] = json.loads(out)
    return answer


def test_each_run_that_is_due_has_a_start_and_an_end(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a", timetable=HOURLY), spec_of("b", timetable=HOURLY))
    answer = forecast(gnomon, "a", "--assume", "10m")
    runs = answer["runs"]
    assert len(runs) == 24 and {run["dag_id"] for run in runs} == {"a"}
    assert all(run["end_p50"] == run["end_p90"] > run["start_p50"] >= run["run_after"] for run in runs)
    assert any("fewer than three successful tries" in text for text in answer["assumptions"])


def test_a_paused_dag_has_no_coming_runs(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a", timetable=HOURLY), paused=True)
    assert forecast(gnomon)["runs"] == []


def test_a_name_that_is_not_there_and_a_time_that_is_past_are_refused(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a", timetable=HOURLY))
    code, _, err = gnomon("forecast", "invoices")
    assert code == 1 and "invoices" in err
    code, _, err = gnomon("forecast", "--until", "2001-01-01")
    assert code == 1 and "--until 2001-01-01T00:00:00.000000+00:00 is not after now" in err
    code, _, err = gnomon("forecast", "--until", "2150-01-01")
    assert code == 1 and "within a year" in err


def test_nothing_of_the_home_changes(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a", timetable=HOURLY))
    before = gnomon("runs", "list", "a", "-o", "json").out, gnomon("audit", "-o", "json").out
    forecast(gnomon)
    assert (gnomon("runs", "list", "a", "-o", "json").out, gnomon("audit", "-o", "json").out) == before


def test_the_load_of_a_pool_has_what_is_taken_and_what_waits(gnomon: Gnomon, deployment: Deployment) -> None:
    gnomon("pools", "set", "one", "1", "narrow")
    specs = [spec_of(dag_id, timetable=HOURLY) for dag_id in ("a", "b", "c")]
    deployment.add(*(replace(spec, tasks=tuple(replace(task, pool="one") for task in spec.tasks)) for spec in specs))
    code, out, err = gnomon("forecast", "load", "-o", "json", "--samples", "3", "--assume", "10m")
    assert (code, err) == (0, "")
    first = json.loads(out)["pools"][0]
    figures = {name: first[name] for name in ("pool", "slots", "taken_p50", "taken_p90", "waiting_p50", "waiting_p90")}
    assert figures == {"pool": "one", "slots": 1, "taken_p50": 1, "taken_p90": 1, "waiting_p50": 2, "waiting_p90": 2}
    waits = [row["waiting_p50"] for row in json.loads(out)["pools"] if row["start"] < first["start"][:11] + "99"]
    assert waits[:3] == [2, 1, 0]
    assert "one" in gnomon("forecast", "load", "--pool", "one", "--samples", "2").out
    assert "no slot of a pool" in gnomon("forecast", "load", "--pool", "default_pool", "--samples", "2").out
    code, _, err = gnomon("forecast", "load", "--pool", "two")
    assert code == 1 and "there is no pool 'two'" in err


def test_accuracy_compares_what_was_predicted_with_what_came(gnomon: Gnomon, deployment: Deployment) -> None:
    assert "no run of the last 14 days has a prediction" in gnomon("forecast", "accuracy").out
    deployment.add(spec_of("a"), spec_of("b"))
    deployment.plays["only"] = Play(run_s=60)
    deployment.start()
    for number in range(4):
        at = deployment.clock.now()
        runs = [
            PredictedRun(
                dag_id=dag_id,
                run_id=f"r{number}",
                run_type="manual",
                run_after=at,
                end_p50=at + span_s * SECOND,
                end_p90=at + 90 * SECOND,
            )
            for dag_id, span_s in (("a", 70), ("b", 40))
        ]
        with deployment.db.write() as tx:
            run_predictions.put_predictions(tx, at, [], runs)
        for dag_id in ("a", "b"):
            gnomon("dags", "trigger", dag_id, "--run-id", f"r{number}")
        deployment.move(100)
    rows = {row["dag_id"]: row for row in json.loads(gnomon("forecast", "accuracy", "-o", "json").out)}
    assert {name: (row["runs"], row["below_p50"], row["below_p90"]) for name, row in rows.items()} == {
        "": (8, 0.5, 1.0),
        "a": (4, 1.0, 1.0),
        "b": (4, 0.0, 1.0),
    }
    assert 5 < rows["a"]["error_s"] < 15 and 15 < rows["b"]["error_s"] < 25 and rows["a"]["mean_error_s"] < 2
    out = gnomon("forecast", "accuracy", "b").out
    assert "mean_error_s" in out and "start" in out and "\na " not in out
    assert "did you mean 'accuracy'?" in gnomon("forecast", "accuray").err
    code, _, err = gnomon("forecast", "accuracy", "nope")
    assert code == 1 and "nope" in err
