"""The process of a simulation: it is gone when its api-server is, however that ends, and its row says so."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.patience import PATIENCE_S
from tests.unit.entry.cli.deployment import HOURLY, spec_of

from gnomon.ground.config import load_config
from gnomon.model.simulations import SimulationJob, SimulationState
from gnomon.model.spec import FileInputs, ParsedDag, ParsedFile
from gnomon.storage.store import Database, load_cipher, migrations, open_database
from gnomon.storage.store.alert_records import simulation_jobs
from gnomon.storage.store.parsed_files import dag_files

SERVER = """
import sys
from gnomon.entry.app.simulation_process import SimulationProcess
from gnomon.ground.config import load_config
from gnomon.ground.config.environment import environment
process = SimulationProcess(load_config(environment()), "job")
print(process._process.pid, flush=True)
sys.stdin.read()
"""
"""An api-server as far as the process knows it."""


def test_the_process_ends_with_its_server_and_says_so(tmp_path: Path) -> None:
    db, environment = _fill(tmp_path, samples=200, dag_count=40, days=30)
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True
    )
    assert server.stdout is not None
    pid = int(server.stdout.readline())
    try:
        _wait_until(lambda: _find(db).beat_at > 1)
        assert _is_alive(pid)
        server.send_signal(signal.SIGKILL)
        server.wait()
        _wait_until(lambda: not _is_alive(pid))
        job = _find(db)
        assert job.state is SimulationState.FAILED
        assert job.error is not None and "the api-server that had this simulation computed has ended" in job.error
    finally:
        server.kill()
        server.communicate()
        db.close()


def test_the_process_ends_when_its_row_is_cancelled_and_writes_an_answer_otherwise(tmp_path: Path) -> None:
    for state, samples, days in ((SimulationState.CANCELLED, 200, 30), (SimulationState.DONE, 1, 1)):
        db, environment = _fill(tmp_path / state, samples=samples, dag_count=3, days=days)
        reader, writer = os.pipe()
        process = subprocess.Popen(
            [sys.executable, "-m", "gnomon.entry.projection.what_if.simulation_main", "job"],
            stdin=reader,
            env=environment,
        )
        try:
            if state is SimulationState.CANCELLED:
                with db.write() as tx:
                    simulation_jobs.cancel_job(tx, "job", 5)
            process.wait(PATIENCE_S)
            assert _find(db).state is state
            with db.read() as tx:
                assert (simulation_jobs.find_answer(tx, "job") is not None) is (state is SimulationState.DONE)
        finally:
            process.kill()
            process.wait()
            os.close(reader)
            os.close(writer)
            db.close()


def _fill(home: Path, *, samples: int, dag_count: int, days: int) -> tuple[Database, dict[str, str]]:
    """A home with hourly DAGs and a job, and the environment of its processes."""
    environment = {**os.environ, "GNOMON_HOME": str(home)}
    cfg = load_config(environment)
    home.mkdir(parents=True, exist_ok=True)
    migrations.upgrade_schema(cfg.database_url)
    db = open_database(cfg.database_url, cipher=load_cipher(cfg))
    specs = [spec_of(f"d{number}", timetable=HOURLY) for number in range(dag_count)]
    dags_of_file = tuple(ParsedDag(spec=spec, spec_hash="1") for spec in specs)
    parsed = ParsedFile(path="/dags/d.py", inputs=FileInputs(input_hash="1"), dags=dags_of_file, failures=())
    with db.write() as tx:
        dag_files.record_parsed(tx, parsed, at=1, paused_by_default=False)
        simulation_jobs.add_job(tx, "job", "0 ann", f'{{"for": "{days}d", "set": {{"d1": "1h"}}}}', samples, 1)
    return db, environment


def _find(db: Database) -> SimulationJob:
    with db.read() as tx:
        job = simulation_jobs.find_job(tx, "job")
    assert job is not None
    return job


def _is_alive(pid: int) -> bool:
    """Whether the process has not ended; one that nobody has waited for yet has."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def _wait_until(condition: Callable[[], bool]) -> None:
    limit = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < limit
        time.sleep(0.05)
