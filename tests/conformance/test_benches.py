"""The benches of bundles and of capacity at their smallest size: they run to their end, and their figures are of what they say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import bench
import pytest
from bench import capacity, git_bundle, worker_rate
from bench.capacity import Figures, SchedulerFigures
from tests.postgres import server_url

from gnomon.services.worker.worker_store import WorkerStore

ROOT = Path(__file__).parents[2]
NEEDS_AIRFLOW = ("timetable_side", "defer_airflow")
"""Programs that run in an environment with Airflow."""


def test_every_bench_can_be_imported() -> None:
    names = [f"bench.{path.stem}" for path in Path(bench.__path__[0]).glob("*.py") if path.stem not in NEEDS_AIRFLOW]
    program = f"import importlib; [importlib.import_module(name) for name in {names}]"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr


def test_a_commit_that_changes_one_file_is_used_and_parses_nothing_else() -> None:
    found = git_bundle.measure(3, None, 1, {}, commits=1)
    (change,) = found.changes
    assert change.parses == 1
    assert 0 < change.recorded_s < change.used_s
    assert change.cpu_s > 0 and found.first_s > 0


@pytest.mark.postgres
@pytest.mark.parametrize("runs_code", [False, True])
def test_runs_go_through_two_schedulers_with_workers_that_only_answer(
    runs_code: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GNOMON_BENCH_POSTGRES", server_url())
    found = capacity.measure_schedulers(2, runs_code=runs_code, tasks=2, rounds=1)
    assert found.schedulers == 2 and found.rate > 0 and found.memory_mb > 0
    assert found.scheduler_ms > 0 and found.database_ms >= 0
    assert 0 <= found.busiest <= 1.5 and 0 <= found.machine <= 1


def test_the_worker_without_a_store_has_all_that_a_worker_asks_of_one() -> None:
    """Its loop meets some of the methods only with a later tick."""
    assert {name for name in vars(WorkerStore) if not name.startswith("_")} <= vars(worker_rate.NoStore).keys()


def test_without_a_database_nothing_is_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("GNOMON_BENCH_POSTGRES", raising=False)
    assert capacity.capacity() is None
    assert "GNOMON_BENCH_POSTGRES is not set" in capsys.readouterr().out


def test_the_figures_of_the_page_are_replaced_and_its_words_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "capacity.md"
    page.write_text(f"before\n\n{capacity.BEGIN}\nold\n{capacity.END}\n\nafter\n")
    monkeypatch.setattr(capacity, "PAGE", page)
    row = SchedulerFigures(2, 1234.5, 0.25, 0.125, 0.0, 0.9, 1.0, 50.0)
    costs = {"scheduler": 0.7, "worker": 7.0}
    found = Figures(
        empty=[row],
        submitted=[row],
        fork_ms=1.0,
        worker_ms=5.0,
        brokers={"Redis": 0.2},
        together={"local worker": (180.0, costs)},
        left_out={"Celery, RabbitMQ": "no broker answers"},
    )
    for _ in range(2):
        capacity.write_page(found)
    text = page.read_text()
    assert text.startswith("before\n") and text.endswith("after\n") and "old" not in text
    assert "| EmptyOperators | 2 | 1,234 | 0.25 ms | 0.12 ms | 90% of a processor | 100% busy |" in text
    assert "| local worker | 180 | 0.70 ms | 7.00 ms |" in text
    assert "| 1,000 by local worker | 1.00 | 10.00 | 11.0 |" in text
    assert "\n- Celery, RabbitMQ: left out, no broker answers\n" in text


def test_a_way_that_cannot_be_measured_is_named_and_the_others_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    def measure_celery(url: str, repeats: int) -> tuple[float, dict[str, float]]:
        if url == capacity.BROKERS["Redis"]:
            raise TimeoutError("wide_python_500 r0 did not end")
        return 100.0 * repeats, {"broker": 0.3}

    monkeypatch.setattr(capacity, "measure_local", lambda repeats: (300.0 * repeats, {"worker": 5.0}))
    monkeypatch.setattr(capacity, "measure_celery", measure_celery)
    found = Figures(brokers={"Redis": 0.2, "RabbitMQ": 0.3})
    capacity._measure_together(found, 2)
    assert found.together == {"local worker": (600.0, {"worker": 5.0}), "Celery, RabbitMQ": (200.0, {"broker": 0.3})}
    assert found.left_out == {"Celery, Redis": "wide_python_500 r0 did not end"}
