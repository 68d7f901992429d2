"""`gnomon explain` of an unfinished run says when it is expected to end, if a fresh forecast knows it."""

from __future__ import annotations

from tests.unit.entry.cli.conftest import Gnomon
from tests.unit.entry.cli.deployment import Deployment, spec_of

from gnomon.model.baselines import ForecastReport, PredictedRun
from gnomon.model.instants import SECOND
from gnomon.storage.store.alert_records import baseline_states
from gnomon.testing import Play

FRESH_S = 900


def _store_forecast(deployment: Deployment, *, has_late_end: bool = True) -> None:
    at = deployment.clock.now()
    run = PredictedRun(
        dag_id="a",
        run_id="r",
        run_type="manual",
        run_after=at,
        end_p50=at + 60 * SECOND,
        end_p90=at + 90 * SECOND - 1 if has_late_end else None,
    )
    with deployment.db.write() as tx:
        baseline_states.put_forecast(tx, ForecastReport(at=at, until=at, runs=(run,)), at + FRESH_S * SECOND)


def test_a_running_run_has_its_expected_end_until_the_forecast_is_old(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a"))
    deployment.plays["only"] = Play(run_s=5000)
    deployment.start()
    gnomon("dags", "trigger", "a", "--run-id", "r")
    deployment.move(5)
    assert "expected to end" not in gnomon("explain", "a", "r").out
    _store_forecast(deployment)
    told = gnomon("explain", "a", "r").out
    assert "it is expected to end at 2026-03-01T09:01:05Z, in nine of ten futures by 2026-03-01T09:01:35Z" in told
    _store_forecast(deployment, has_late_end=False)
    assert "it is expected to end at 2026-03-01T09:01:05Z, but not in one of ten" in gnomon("explain", "a", "r").out
    assert "expected to end" not in gnomon("explain", "a").out.split("run ")[0]
    deployment.clock.advance(FRESH_S + 1)
    assert "expected to end" not in gnomon("explain", "a", "r").out


def test_one_predicted_run_is_read_whatever_its_id_has(deployment: Deployment) -> None:
    at = deployment.clock.now()
    ids = ("r", "r2", 'a "quoted" } run', "back\\slash", "运行, é", "r\n")
    runs = tuple(PredictedRun(dag_id="a", run_id=run_id, run_type="manual", run_after=at) for run_id in ids)
    with deployment.db.write() as tx:
        baseline_states.put_forecast(tx, ForecastReport(at=at, until=at, runs=runs), at + FRESH_S * SECOND)
    with deployment.db.read() as tx:
        assert [baseline_states.find_predicted_run(tx, "a", run_id) for run_id in ids] == list(runs)
        assert baseline_states.find_predicted_run(tx, "a", "other") is None
        assert baseline_states.find_predicted_run(tx, "b", "r") is None
