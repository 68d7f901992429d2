"""The dag-processor as a process: `main` runs it until SIGTERM."""

from __future__ import annotations

import contextlib
import os
import selectors
from typing import TYPE_CHECKING

from gnomon.author_code.loading.listeners import may_have_listeners
from gnomon.author_code.processes.host_process import build_host_environment
from gnomon.ground import log
from gnomon.ground.clock import Clock, SystemClock
from gnomon.ground.config import Config, run_folder, set_current_config
from gnomon.ground.config.dag_bundles import bundle_folder
from gnomon.ground.wakeups import (
    DAG_PROCESSOR_LOCK,
    Notifier,
    ProcessLock,
    StopFlag,
    change_notifier,
    retry_until_available,
)
from gnomon.ground.wakeups.store_retry import STORE_RETRY_S
from gnomon.services.dagfiles.bundle_errors import BundleErrors
from gnomon.services.dagfiles.file_registry import RegistryUnavailable
from gnomon.services.dagfiles.inputs import EnvironmentStamps, create_environment_stamps
from gnomon.services.dagfiles.parse_child import create_parse_conditions
from gnomon.services.dagfiles.parse_failures import ParseLimits
from gnomon.services.dagfiles.parse_pool import ParsePool, ParseServerExited
from gnomon.services.dagfiles.preload import preload
from gnomon.services.dagfiles.processor import DagProcessor
from gnomon.services.dagfiles.settings import DagProcessorSettings, build_dag_processor_settings

if TYPE_CHECKING:
    from gnomon.services.dagfiles.bundle_refresher import BundleRefresher
    from gnomon.services.dagfiles.folder_watcher import FolderWatcher
    from gnomon.services.dagfiles.heartbeat import DagProcessorHeartbeat
    from gnomon.services.dagfiles.listener_process import ListenerProcess

IDLE_MAX_S = 60.0
_log = log.get_logger("dagfiles")


def main(cfg: Config) -> int:
    """Parse DAG files until SIGTERM or SIGINT; returns the exit code. Call it in a process with one thread and no database.

    While another dag-processor of this home runs, this one waits for its end. Exit code 1: the parse server ended
    unexpectedly, and the supervisor restarts this service.
    """
    lock = ProcessLock(run_folder(cfg.home), DAG_PROCESSOR_LOCK)
    try:
        if not lock.acquire(wait=False):
            _log.info(
                "standby", reason="another dag-processor of this home is active; this one takes over when it ends"
            )
            lock.acquire(wait=True)
        return _run(cfg)
    finally:
        lock.close()


def _run(cfg: Config) -> int:
    set_current_config(cfg)
    clock = SystemClock()
    settings = build_dag_processor_settings(cfg)
    facts = create_environment_stamps(cfg)
    pool = start_parse_pool(cfg, settings, facts, clock)
    stop = StopFlag().install_handlers()
    try:
        return _serve(cfg, settings, facts, clock, pool, stop)
    except ParseServerExited as error:
        if stop():
            return 0
        _log.error("parse_server_exited", reason=str(error), next="the supervisor restarts the dag-processor")
        return 1
    finally:
        pool.close()


def start_parse_pool(cfg: Config, settings: DagProcessorSettings, facts: EnvironmentStamps, clock: Clock) -> ParsePool:
    """Start the parse server, with the modules imported that DAG files commonly import."""
    missing = preload()
    if missing:
        _log.debug("not_preloaded", modules=missing)
    limits = ParseLimits(
        settings.import_timeout_s, settings.process_timeout_s, settings.memory_bytes, settings.plugins_folder
    )
    own = (str(cfg.logs_folder), os.path.join(cfg.home, "run"))
    return ParsePool(create_parse_conditions(limits, facts, own, clock))


def _serve(
    cfg: Config, settings: DagProcessorSettings, facts: EnvironmentStamps, clock: Clock, pool: ParsePool, stop: StopFlag
) -> int:
    # Imported after the fork: the parse server must have neither the store's modules nor a second thread.
    from gnomon.author_code.loading.folder_digest import create_folder_recorder
    from gnomon.queries import taskapi
    from gnomon.services.dagfiles.bundle_refresher import BundleRefresher
    from gnomon.services.dagfiles.database_file_registry import DatabaseFileRegistry
    from gnomon.services.dagfiles.folder_watcher import FolderWatcher
    from gnomon.services.dagfiles.heartbeat import DagProcessorHeartbeat
    from gnomon.services.dagfiles.listener_process import ListenerProcess
    from gnomon.storage import store

    db = retry_until_available(
        lambda: store.open_database(
            cfg.database_url,
            role="dag-processor",
            synchronous=cfg.text("database", "synchronous"),
            cipher=store.load_cipher(cfg),
            announce_changes=change_notifier(run_folder(cfg.home)).notify,
        ),
        stop,
        lambda error: _log.warning("database_unavailable", error=str(error), again_after_s=STORE_RETRY_S),
    )
    if db is None:
        return 0
    notifier = Notifier(run_folder(cfg.home), db.url)
    listener_process = ListenerProcess(
        build_host_environment(cfg, {}), clock, lambda: may_have_listeners(os.path.abspath(cfg.plugins_folder))
    )
    registry = DatabaseFileRegistry(
        db, clock, notifier, paused_by_default=settings.paused_by_default, listener_process=listener_process
    )
    pool.handle_task_api = lambda request: taskapi.answer_task(db, None, request)
    refresher = BundleRefresher(settings.bundles, build_host_environment(cfg, {}), clock, pool.handle_task_api)
    processor = DagProcessor(settings, pool, registry, facts, clock, refresher.is_refreshing)
    with contextlib.closing(db), contextlib.closing(FolderWatcher(settings.folders)) as watcher:
        errors = BundleErrors(
            registry, {bundle.name: str(bundle_folder(cfg, bundle.name)) for bundle in settings.bundles}
        )
        if not _restore(processor, errors, stop):
            return 0
        _log.info("dag_processor_started", folders=list(settings.folders), processes=settings.processes)
        with (
            contextlib.closing(
                DagProcessorHeartbeat(db, clock, processor.figures, create_folder_recorder(cfg, clock))
            ) as heartbeat,
            contextlib.closing(listener_process),
            contextlib.closing(refresher),
        ):
            run_loop(processor, pool, watcher, clock, stop, heartbeat, listener_process, refresher, errors)
    _log.info("dag_processor_stopped")
    return 0


def run_loop(
    processor: DagProcessor,
    pool: ParsePool,
    watcher: FolderWatcher,
    clock: Clock,
    stop: StopFlag,
    heartbeat: DagProcessorHeartbeat,
    listener_process: ListenerProcess,
    refresher: BundleRefresher,
    errors: BundleErrors,
) -> None:
    """Call `run_once` until `stop` is set; sleep between calls until a message, a change or the returned time."""
    with selectors.DefaultSelector() as selector:
        for source in (pool, stop, watcher):
            selector.register(source, selectors.EVENT_READ)
        while not stop():
            for name, refreshed in refresher.advance():
                processor.on_bundle_refreshed(name, refreshed.path, refreshed.version)
                errors.record(name, refreshed.error, refreshed.warning)
            times = (processor.run_once(), heartbeat.beat_if_due(), listener_process.advance(), refresher.next_at())
            again_at = min(at for at in times if at is not None)
            watcher.update_folders(processor.folders)
            selector.select(min(IDLE_MAX_S, max(0.0, again_at - clock.monotonic())))
            changed = watcher.take_changes()
            if changed:
                processor.on_changes(changed)


def _restore(processor: DagProcessor, errors: BundleErrors, stop: StopFlag) -> bool:
    """Load the recorded files; False when `stop` was set before the store was available."""
    with selectors.DefaultSelector() as selector:
        selector.register(stop, selectors.EVENT_READ)
        while not stop():
            try:
                errors.forget()
                processor.restore()
                return True
            except RegistryUnavailable as error:
                _log.warning("database_unavailable", error=str(error), again_after_s=STORE_RETRY_S)
            selector.select(STORE_RETRY_S)
    return False
