from __future__ import annotations

from pathlib import Path

from gnomon.ground.config import load_config
from gnomon.services.worker.settings import SLOTS_UNBOUND, STOP_GRACE_MAX_S, build_worker_settings


def test_options_reach_the_worker(tmp_path: Path) -> None:
    environ = {
        "GNOMON_HOME": str(tmp_path),
        "GNOMON__CORE__PARALLELISM": "7",
        "AIRFLOW__CORE__DAGBAG_IMPORT_TIMEOUT": "12.5",
        "AIRFLOW__CORE__KILLED_TASK_CLEANUP_TIME": "2",
    }
    settings = build_worker_settings(load_config(environ), environ)
    assert (settings.slots, settings.import_limit_s, settings.stop_grace_s) == (7, 12.5, 2.0)


def test_a_parallelism_of_zero_is_no_bound_and_the_grace_has_one(tmp_path: Path) -> None:
    environ = {"GNOMON_HOME": str(tmp_path), "GNOMON__CORE__PARALLELISM": "0"}
    settings = build_worker_settings(load_config(environ), environ)
    assert (settings.slots, settings.stop_grace_s) == (SLOTS_UNBOUND, STOP_GRACE_MAX_S)


def test_the_address_of_the_database_reaches_no_child(tmp_path: Path) -> None:
    url = "postgresql://me:secret@db/gnomon"
    environ = {"GNOMON_HOME": str(tmp_path), "GNOMON__DATABASE__SQL_ALCHEMY_CONN": url, "COPY": f"<{url}>"}
    assert "secret" not in str(build_worker_settings(load_config(environ), environ).environ)
