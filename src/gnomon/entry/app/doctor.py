"""The checks of `gnomon doctor`: of the machine, the options, the database with its key, the services, and files of other versions."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from gnomon.entry.app.doctor_machine import CheckRow, check_machine, fail, ok, warn
from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.ground.config import Config, without_password
from gnomon.ground.config.alert_rules import read_alert_settings
from gnomon.model.errors.product import GnomonError
from gnomon.model.instants import SECOND, Instant
from gnomon.model.sentences import render
from gnomon.queries.report.listings.process_health import list_silent_services
from gnomon.queries.report.listings.setup_problems import find_setup_problems
from gnomon.storage.store import (
    Database,
    DatabaseNotInitialised,
    SchemaTooNew,
    SchemaTooOld,
    Transaction,
    load_cipher,
    open_database,
)
from gnomon.storage.store.address import SQLITE, parse_address
from gnomon.storage.store.admin.run_totals import WrongTotal, list_wrong_totals, recount_totals
from gnomon.storage.store.alert_records import alert_events
from gnomon.storage.store.coordination import service_leases
from gnomon.storage.store.parsed_files import dag_files
from gnomon.storage.store.schema_revision import HEAD

CLOCK_DIFFERENCE_S = 1.0
"""A larger difference between this machine and the server of the database is reported."""
SERVICE_LOGS_WARN_BYTES = 1024**3
WAL_WARN_BYTES = 1024**3
BACKUPS_WARN = 5
UNREAD_WARN_S = 60.0


def examine(cfg: Config, clock: Clock) -> list[CheckRow]:
    """Every check, in the order in which a problem causes others. Nothing is changed."""
    return [
        *check_machine(cfg, clock),
        *_check_options(cfg),
        _check_service_logs(cfg),
        *_check_files(cfg),
        *_check_database(cfg, clock),
    ]


def _check_options(cfg: Config) -> Iterator[CheckRow]:
    idle = [str(setting.option.key) for setting in cfg.settings_without_effect()] + [
        undeclared.source for undeclared in cfg.undeclared_options()
    ]
    if idle:
        yield warn("options", f"set and without effect: {', '.join(idle)}", "gnomon config lint")
    else:
        yield ok("options", "every option that is set acts")
    try:
        alerts = read_alert_settings(cfg.home)
    except GnomonError as error:
        yield fail("alerts", str(error), "correct gnomon.toml")
        return
    yield ok("alerts", f"rules: {len(alerts.rules)}, channels: {len(alerts.channels)}")


def _check_service_logs(cfg: Config) -> CheckRow:
    """The log files of services, those that were rotated among them."""
    files = log.read_log_files(cfg)
    if files is None:
        return ok("service logs", "services log to stderr only ([logging] service_log_folder is empty)")
    if not files.folder.exists():
        return ok("service logs", f"no service has written one yet: {files.folder}")
    if not os.access(files.folder, os.W_OK | os.X_OK):
        return fail(
            "service logs",
            f"user {os.getuid()} cannot write {files.folder}",
            f"chown -R {os.getuid()} {files.folder}, or set [logging] service_log_folder",
        )
    paths = [path for path in files.folder.iterdir() if re.fullmatch(r"[\w-]+\.log(\.\d+)?", path.name)]
    rotated = sum(path.suffix != ".log" for path in paths)
    size = sum(path.stat().st_size for path in paths)
    usage = f"{len(paths)} files, {rotated} of them rotated, use {size / 1024**2:.1f} MiB: {files.folder}"
    if (not files.max_bytes or not files.backup_count) and size > SERVICE_LOGS_WARN_BYTES:
        return warn(
            "service logs",
            f"{usage}; they are never rotated",
            "set [logging] service_log_max_bytes and service_log_backup_count",
        )
    return ok("service logs", usage)


def _check_files(cfg: Config) -> Iterator[CheckRow]:
    """Files that earlier versions, upgrades and restores have left."""
    address = parse_address(cfg.database_url)
    if address.dialect != SQLITE:
        return
    folder, name = address.path.parent, address.path.name
    copies = sorted([*folder.glob(f"{name}.backup-*"), *folder.glob(f"{name}.before-restore-*")])
    if len(copies) > BACKUPS_WARN:
        size = sum(path.stat().st_size for path in copies)
        yield warn(
            "older databases",
            f"{len(copies)} copies from upgrades and restores use {size / 1024**2:.0f} MiB",
            f"delete those that you do not need: {copies[0]}, ...",
        )
    else:
        yield ok("older databases", f"{len(copies)} copies from upgrades and restores")
    unfinished = [path for path in folder.glob(f"{name}*") if path.name.endswith((".part", ".restoring"))]
    if unfinished:
        yield warn("older databases", f"a copy was not finished: {unfinished[0]}", f"rm {unfinished[0]}")
    wal = Path(f"{address.path}-wal")
    if wal.exists() and wal.stat().st_size > WAL_WARN_BYTES:
        yield warn(
            "write-ahead log",
            f"{wal} has {wal.stat().st_size / 1024**2:.0f} MiB: a reader has kept a transaction open",
            "end programs that read the database, then restart the services",
        )


def _check_database(cfg: Config, clock: Clock) -> Iterator[CheckRow]:
    shown = without_password(cfg.database_url)
    try:
        database = open_database(cfg.database_url, cipher=load_cipher(cfg))
    except DatabaseNotInitialised as error:
        yield warn("database", str(error), "gnomon standalone, or gnomon db migrate")
        return
    except (SchemaTooOld, SchemaTooNew) as error:
        yield fail(
            "database",
            str(error),
            "gnomon db migrate" if isinstance(error, SchemaTooOld) else "install the newer Gnomon",
        )
        return
    except GnomonError as error:
        yield fail("database", str(error), "check [database] sql_alchemy_conn")
        return
    with closing(database):
        yield ok("database", f"{shown} answers and has schema {HEAD}")
        yield _check_key(database)
        with database.read() as tx:
            yield _check_clock_of_database(database, tx, clock.now())
            yield from _check_services(cfg, tx, clock.now())
            yield _check_totals(list_wrong_totals(tx))
        if database.dialect == SQLITE:
            yield _check_soundness(database)


def _check_key(database: Database) -> CheckRow:
    try:
        database.check_key()
    except GnomonError as error:
        return fail("key", str(error), "copy fernet.key, or [core] fernet_key, from a host on which it works")
    return ok("key", "it decrypts the values of the database")


def _check_clock_of_database(database: Database, tx: Transaction, now: Instant) -> CheckRow:
    if database.dialect == SQLITE:
        return ok("clock of the database", "it is that of this machine")
    difference_s = (tx.lease_now() - now) / SECOND
    if abs(difference_s) > CLOCK_DIFFERENCE_S:
        return fail(
            "clock of the database",
            f"it differs from that of this machine by {difference_s:+.1f} s",
            "synchronise both machines: timedatectl set-ntp true",
        )
    return ok("clock of the database", "it agrees with this machine")


def _check_services(cfg: Config, tx: Transaction, now: Instant) -> Iterator[CheckRow]:
    for problem in find_setup_problems(tx, cfg.number("triggerer", "job_heartbeat_sec")):
        yield warn("hosts", render(problem.found), render(problem.remedy))
    for service in list_silent_services(tx):
        yield warn("services", f"no {service} is alive", f"gnomon {service}, or gnomon standalone")
    lease = service_leases.find_lease(tx, service_leases.MONITOR)
    is_alive = lease is not None and lease.is_alive(tx.lease_now())
    oldest = alert_events.find_oldest_event(tx)
    if not is_alive and (_has_rules(cfg) or oldest is not None):
        yield fail(
            "services",
            "no monitor is alive, and rules of alerts exist: nobody is told",
            "gnomon monitor, or gnomon standalone",
        )
    elif oldest is not None and now - oldest > UNREAD_WARN_S * SECOND:
        yield warn("services", "the monitor is behind: it has not read facts of the last minute", "see its log")
    errors = {error.path for error in dag_files.list_import_errors(tx)}
    if errors:
        yield warn("DAG files", f"{len(errors)} cannot be loaded, for example {min(errors)}", "gnomon dags errors")
    else:
        yield ok("DAG files", "every file can be loaded")


def _has_rules(cfg: Config) -> bool:
    try:
        return bool(read_alert_settings(cfg.home).rules)
    except GnomonError:
        return False


def _check_totals(wrong: list[WrongTotal]) -> CheckRow:
    if not wrong:
        return ok("numbers of runs", "they agree with the rows of runs")
    example = wrong[0]
    difference = f"{len(wrong)} differ from the rows of runs, for example {example.state} runs of DAG {example.dag_id}: {example.recorded} instead of {example.counted}"
    return warn("numbers of runs", difference, "gnomon doctor --repair")


def repair(cfg: Config) -> str:
    """Count the numbers of runs anew; returns what was done. Raises the errors of a database that cannot be opened."""
    with closing(open_database(cfg.database_url, cipher=load_cipher(cfg))) as database, database.write() as tx:
        wrong = recount_totals(tx)
    return (
        f"numbers of runs: {len(wrong)} were wrong and are counted anew"
        if wrong
        else "numbers of runs: nothing to repair"
    )


def _check_soundness(database: Database) -> CheckRow:
    with database.read() as tx:
        problems = [str(row[0]) for row in tx.all("schema.quick_check")]
    if problems != ["ok"]:
        return fail(
            "file of the database",
            f"it is damaged: {problems[0]}",
            "stop all services and restore a backup: gnomon db restore FILE",
        )
    return ok("file of the database", "it is sound")
