"""A task puts a link, a pipe or the like where its log is expected: no door of the api-server leads out of the folder of logs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from tests.unit.api.served import Client
from tests.unit.entry.cli.deployment import Deployment, spec_of
from tests.unit.ground.log.traps import SECRET, TRAPS, trapped

from gnomon.model.attempts import build_attempt_log_path

LOG = "/dags/a/dagRuns/r/taskInstances/only/logs/1"
OWN = f"/api/gnomon/v1{LOG}"
DOORS = {
    "part": f"/api/v2{LOG}",
    "whole": f"/api/v2{LOG}?full_content=true",
    "forged token": f"/api/v2{LOG}?token=0-0",
    "lines": f"{OWN}/lines",
    "last lines": f"{OWN}/lines?first=-5",
    "single lines": f"{OWN}/lines?at=0",
    "search": f"{OWN}/search?text=key",
    "levels": f"{OWN}/search?level=debug",
    "file": f"{OWN}/file",
    "source": f"{OWN}/file?source=0",
}


@pytest.fixture
def ended(read_api: Client, read_deployment: Deployment) -> Path:
    """The path of the log of a run that has ended."""
    if not read_deployment.plays:
        read_deployment.plays["none"] = None  # type: ignore[assignment] # the deployment is that of the file
        read_deployment.add(spec_of("a"))
        read_deployment.start()
        read_api.send("POST", "/dags/a/dagRuns", {"logical_date": None, "dag_run_id": "r"})
        read_deployment.move(20)
    path: Path = read_deployment.home.cfg.logs_folder / build_attempt_log_path("a", "r", "only", -1, 1)
    return path


@pytest.mark.parametrize("trap", TRAPS)
def test_a_link_in_place_of_a_log_is_read_by_no_route(read_api: Client, ended: Path, tmp_path: Path, trap: str) -> None:
    with trapped(ended, tmp_path / "outside", trap):
        try:
            for door, address in DOORS.items():
                for headers in ({}, {"Accept": "application/x-ndjson"}):
                    reply = read_api.request("GET", address, headers=headers)
                    assert (door, reply.status, SECRET in reply.body.decode()) == (door, 404, False)
        finally:
            _disarm(ended)


def test_the_log_is_read_by_each_of_these_routes(read_api: Client, ended: Path) -> None:
    ended.parent.mkdir(parents=True, exist_ok=True)
    ended.write_text(f"2026-03-01T09:00:00.250000Z INFO     {SECRET}\n")
    for door, address in DOORS.items():
        reply = read_api.request("GET", address)
        found = bool(json.loads(reply.body)["numbers"]) if "search" in address else SECRET in reply.body.decode()
        assert (door, reply.status, found) == (door, 200, True)


def _disarm(path: Path) -> None:
    dag_folder = path.parent.parent
    if dag_folder.is_symlink():
        dag_folder.unlink()
    else:
        shutil.rmtree(dag_folder)
