"""A folder of logs, a remote folder behind it, and the uploader of a worker, under a virtual clock."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import load_config
from gnomon.storage.remote_logs.log_uploader import LogUploader
from gnomon.storage.remote_logs.remote_log_folder import RemoteLogFolder, open_remote_log_folder
from gnomon.storage.remote_logs.task_log_folder import TaskLogFolder
from gnomon.storage.remote_logs.upload_spool import UploadSpool
from gnomon.storage.store import Database

NAME = "dag_id=d/run_id=r/task_id=t.attempt=1.log"


def no_database() -> Database:
    """For a folder whose login needs no database."""
    raise AssertionError("the database is not asked")


class RemoteWorld:
    """The options are given as `name=value` of section logging; without any, the remote folder is `remote/` beside the local one."""

    def __init__(self, home: Path, open_database: Any = no_database, **options: str) -> None:
        self.remote_path = home / "remote"
        values = {"remote_logging": "True", "remote_base_log_folder": f"file://{self.remote_path}", **options}
        self.cfg = load_config({f"GNOMON__LOGGING__{name.upper()}": value for name, value in values.items()}, home)
        self.logs = self.cfg.logs_folder
        self.clock = VirtualClock(0)
        self.remote = self._open(open_database)
        self.spool = UploadSpool(self.logs)
        self.uploader = LogUploader(self.logs, self.spool, self.remote, self.clock)
        self.reader = TaskLogFolder(self.logs, self.remote, self.clock)

    def _open(self, open_database: Any) -> RemoteLogFolder:
        opened = open_remote_log_folder(self.cfg, open_database, tells_reasons=True)
        assert opened is not None
        return opened

    def write(self, name: str = NAME, text: str = "hello\n", *, ready: bool = True) -> Path:
        """Write a log as an attempt does, and mark it."""
        self.spool.mark_open(name)
        path = self.logs / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        if ready:
            self.spool.mark_ready(name)
        return path

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.clock.advance(seconds)

    def close(self) -> None:
        """Release the lock of the spool."""
        self.spool.close()
