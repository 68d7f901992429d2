"""Uploads the logs that are marked in a spool: several at a time, and again after a pause when the remote folder does not take one."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.ground.log.confined_files import ConfinedFile, ForeignFileError
from gnomon.model.errors.product import GnomonError
from gnomon.storage.remote_logs.remote_log_folder import RemoteLogFolder
from gnomon.storage.remote_logs.upload_spool import UploadSpool

UPLOADS_AT_ONCE = 8
FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 60.0
"""A failed upload is repeated after FIRST_PAUSE_S, then after twice the pause before, up to this."""
_ATTEMPT = re.compile(r"attempt=(\d+)\.log$")
_log = log.get_logger("worker.log_uploads")


class LogUploader:
    """Empties one spool. `upload_due` blocks while it uploads."""

    def __init__(self, logs_folder: Path, spool: UploadSpool, remote: RemoteLogFolder, clock: Clock) -> None:
        self._logs_folder = logs_folder
        self._spool = spool
        self._remote = remote
        self._clock = clock
        self._retries: dict[str, tuple[float, float]] = {}
        """By name of a log whose upload has failed: when it is due again, in monotonic seconds, and the pause before that."""
        self._paused_until = 0.0
        self._pause_s = 0.0
        """The pause of all uploads, while none succeeds."""

    def upload_due(self, *, at_once: bool = False) -> float | None:
        """Upload what is marked and due, with `at_once` what failed before too. Returns the monotonic second of the next repetition; None: there is none."""
        while at_once or self._clock.monotonic() >= self._paused_until:
            due = self._list_due(at_once=at_once)[:UPLOADS_AT_ONCE]
            if not due:
                break
            with ThreadPoolExecutor(1 if self._remote.settings.protocol == "sftp" else UPLOADS_AT_ONCE) as threads:
                errors = list(threads.map(self._try_upload, due))
            for name, error in zip(due, errors, strict=True):
                self._record(name, error)
            self._pause(has_success=None in errors, errors=[error for error in errors if error is not None])
            if at_once and not any(error is None for error in errors):
                break
        return max(self._paused_until, min(at for at, _ in self._retries.values())) if self._retries else None

    def _list_due(self, *, at_once: bool) -> list[str]:
        now = self._clock.monotonic()
        ready = self._spool.list_ready()
        self._retries = {name: retry for name, retry in self._retries.items() if name in ready}
        due = [name for name in ready if at_once or self._retries.get(name, (0.0, 0.0))[0] <= now]
        return sorted(due, key=lambda name: self._retries.get(name, (0.0, 0.0))[1])  # those that have not failed first

    def _try_upload(self, name: str) -> str | None:
        """Upload the log, and that of the trigger before it. Returns the error."""
        try:
            for each in (*_find_trigger_log(name), name):
                self._upload(each)
        except (GnomonError, OSError) as error:
            return str(error)
        self._spool.remove(name)
        return None

    def _upload(self, name: str) -> None:
        source = ConfinedFile(self._logs_folder, name)
        try:
            while True:
                before = source.stat()
                self._remote.upload(source, name)
                after = source.stat()
                if (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns):
                    break  # else a process that the task left behind has written meanwhile
        except ForeignFileError as error:  # a task has put a link there, perhaps to a file that nobody may read
            _log.warning("log_not_uploaded", log=name, reason=error.strerror)
            return
        except FileNotFoundError:  # the attempt wrote nothing, or somebody deleted its log
            return
        if self._remote.settings.deletes_local_logs:
            source.unlink(missing_ok=True)  # the folder stays: another attempt of the run may be about to write into it

    def _record(self, name: str, error: str | None) -> None:
        if error is None:
            if self._retries.pop(name, None) is not None:
                _log.info("log_uploaded_late", log=name)
            return
        pause_s = min(2 * self._retries.get(name, (0.0, FIRST_PAUSE_S / 2))[1], LONGEST_PAUSE_S)
        self._retries[name] = (self._clock.monotonic() + pause_s, pause_s)

    def _pause(self, *, has_success: bool, errors: list[str]) -> None:
        self._pause_s = 0.0 if has_success else min(max(2 * self._pause_s, FIRST_PAUSE_S), LONGEST_PAUSE_S)
        self._paused_until = self._clock.monotonic() + self._pause_s
        if errors:
            _log.warning(
                "log_upload_failed",
                logs=len(errors),
                error=errors[0],
                repeated_in_s=self._pause_s or FIRST_PAUSE_S,
                kept="the logs stay on this machine until they are uploaded",
            )


def _find_trigger_log(name: str) -> tuple[str, ...]:
    """The log of the trigger for which the attempt before this one has waited: it is complete now, and may be on this machine."""
    match = _ATTEMPT.search(name)
    return () if match is None else (f"{name[: match.start()]}attempt={int(match[1]) - 1}.trigger.log",)
