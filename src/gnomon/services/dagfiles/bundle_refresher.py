"""Refreshes DAG bundles, each in a process of its own while it lasts, and at its own interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gnomon.author_code.processes.host_process import HostProcess
from gnomon.author_code.processes.task_api_messages import TaskApiHandler, TaskApiRequestMessage, answer_request
from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.ground.config.dag_bundles import DagBundleConfig
from gnomon.services.dagfiles.bundle_protocol import BundleRefreshed, FromBundleProcess, RefreshBundle

BUNDLE_MODULE = "gnomon.services.dagfiles.bundle_main"
REFRESH_LIMIT_S = 1200.0
"""A process that refreshes a bundle is killed after this time."""
POLL_S = 0.05
"""Interval between two looks at a running process."""
_log = log.get_logger("dagfiles.bundles")


@dataclass(slots=True)
class _Refresh:
    """One bundle with the process that refreshes it."""

    config: DagBundleConfig
    next_at: float
    process: HostProcess[FromBundleProcess] | None = None
    kill_at: float = 0.0
    last_error: str | None = None


class BundleRefresher:
    """The bundles of the configuration. No method blocks but `close`."""

    def __init__(
        self, bundles: Sequence[DagBundleConfig], environ: Mapping[str, str], clock: Clock, answers: TaskApiHandler
    ) -> None:
        self._environ = dict(environ)
        self._clock = clock
        self._answers = answers
        self._refreshes = [_Refresh(bundle, clock.monotonic()) for bundle in bundles]

    def is_refreshing(self, name: str) -> bool:
        """Whether a process may be changing the files of the bundle."""
        return any(refresh.config.name == name and refresh.process is not None for refresh in self._refreshes)

    def advance(self) -> list[tuple[str, BundleRefreshed]]:
        """Look at the running processes, and start those that are due; returns the bundles whose refresh has ended."""
        now = self._clock.monotonic()
        ended: list[tuple[str, BundleRefreshed]] = []
        for refresh in self._refreshes:
            if refresh.process is not None:
                outcome = self._look(refresh, refresh.process, now)
                if outcome is not None:
                    refresh.next_at = now + refresh.config.refresh_s
                    self._log_outcome(refresh, outcome)
                    ended.append((refresh.config.name, outcome))
            elif now >= refresh.next_at:
                self._start(refresh, now)
        return ended

    def next_at(self) -> float | None:
        """The monotonic second at which to call `advance` again; None: there is no bundle."""
        if any(refresh.process is not None for refresh in self._refreshes):
            return self._clock.monotonic() + POLL_S
        return min((refresh.next_at for refresh in self._refreshes), default=None)

    def close(self) -> None:
        """End the running processes."""
        for refresh in self._refreshes:
            if refresh.process is not None:
                refresh.process.kill_and_collect()
                refresh.process = None

    def _start(self, refresh: _Refresh, now: float) -> None:
        try:
            refresh.process = HostProcess(BUNDLE_MODULE, self._environ, FromBundleProcess, captures_output=True)
        except OSError as error:
            _log.error("bundle_process_refused", bundle=refresh.config.name, error=str(error))
            refresh.next_at = now + refresh.config.refresh_s
            return
        refresh.kill_at = now + REFRESH_LIMIT_S
        refresh.process.send(RefreshBundle(name=refresh.config.name))

    def _look(self, refresh: _Refresh, process: HostProcess[FromBundleProcess], now: float) -> BundleRefreshed | None:
        outcome: BundleRefreshed | None = None
        for message in process.stream.receive():
            if isinstance(message, TaskApiRequestMessage):
                process.send(answer_request(self._answers, message, log=_log))
            else:
                outcome = message
        process.flush()
        if outcome is None and not process.stream.ended and now < refresh.kill_at:
            return None
        is_over = now >= refresh.kill_at
        end = process.kill_and_collect()
        refresh.process = None
        if outcome is not None:
            return outcome
        why = (
            f"did not end within {REFRESH_LIMIT_S:.0f} s"
            if is_over
            else f"ended with exit code {end.code} and no answer: {' '.join(end.output.split())[-600:]}"
        )
        return BundleRefreshed(error=f"DAG bundle {refresh.config.name!r}: the process that refreshes it {why}")

    def _log_outcome(self, refresh: _Refresh, outcome: BundleRefreshed) -> None:
        """Log an error once until another comes, or none."""
        if outcome.error is not None and outcome.error != refresh.last_error:
            _log.error(
                "bundle_refresh_failed",
                bundle=refresh.config.name,
                error=outcome.error,
                again_after_s=refresh.config.refresh_s,
            )
        elif outcome.error is None and refresh.last_error is not None:
            _log.info("bundle_refresh_recovered", bundle=refresh.config.name)
        refresh.last_error = outcome.error
