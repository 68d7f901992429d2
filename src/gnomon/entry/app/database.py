"""Prepares the database before anything uses it, in a short-lived child, so that the supervisor never imports the store."""

from __future__ import annotations

import os
import sys
import time
import traceback
from collections.abc import Callable

from gnomon.author_code.processes.exit_reasons import describe_exit
from gnomon.author_code.processes.process_title import set_title
from gnomon.author_code.processes.spawn_backoff import REFUSAL_REMEDY, describe_refusal
from gnomon.ground import log
from gnomon.ground.clock import SystemClock
from gnomon.ground.config import Config
from gnomon.ground.wakeups import reset_signals
from gnomon.model.errors.product import ConfigurationError, GnomonError, ResourceUnavailable
from gnomon.model.sentences import Command, say

AWAY_MAX_S = 60.0
"""How long a start waits for a database that is unavailable."""
_AWAY_PAUSE_S = 1.0
_READY, _REFUSED, _AWAY = 0, 3, 4
_MESSAGE_MAX = 65536
_log = log.get_logger("app.database")


class DatabasePreparation:
    """A child process that brings the schema up to date; the parent continues until `wait`.

    `creates_account`: it also creates the first account if there is none.
    """

    def __init__(self, cfg: Config, *, creates_account: bool = False) -> None:
        self._creates_account = creates_account
        self._refused: OSError | None = None
        sys.stdout.flush()
        sys.stderr.flush()
        try:
            self._start(cfg)
        except OSError as error:
            self._refused = error

    def _start(self, cfg: Config) -> None:
        self._reading, writing = os.pipe()
        try:
            self._pid = os.fork()
        except OSError:
            os.close(self._reading)
            os.close(writing)
            raise
        if self._pid == 0:
            os.close(self._reading)
            os._exit(_prepare_in_child(cfg, writing, self._creates_account))
        os.close(writing)

    def wait(self) -> str | None:
        """Wait until the schema is up to date; returns the password of the account that was created, or None. Raises ConfigurationError or ResourceUnavailable with the reason otherwise."""
        if self._refused is not None:
            raise ResourceUnavailable(
                say("database_process_cannot_be_started", reason=describe_refusal(self._refused), remedy=REFUSAL_REMEDY)
            )
        message = b"".join(iter(lambda: os.read(self._reading, _MESSAGE_MAX), b"")).decode(errors="replace")
        os.close(self._reading)
        code = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        if code == _AWAY:
            raise ResourceUnavailable(say("database_is_not_ready", error=message))
        if code != _READY:
            raise ConfigurationError(
                say("database_is_not_ready", error=message)
                if message
                else say("database_process_ended", reason=describe_exit(code), command=Command("db migrate"))
            )
        return message or None


def prepare_database(
    cfg: Config,
    stop: Callable[[], bool] = lambda: False,
    first: DatabasePreparation | None = None,
    *,
    creates_account: bool = False,
) -> str | None:
    """Bring the schema up to date; an unavailable database is tried again for AWAY_MAX_S. `first`: a preparation already begun.

    Returns the password of the first account, if `creates_account` is set and there was none yet.

    Raises ConfigurationError when the database refuses, ResourceUnavailable when it stays unavailable or `stop` is set.
    """
    waited = 0.0
    while True:
        try:
            return (first or DatabasePreparation(cfg, creates_account=creates_account)).wait()
        except ResourceUnavailable as error:
            if waited >= AWAY_MAX_S or stop():
                raise
            if waited == 0:
                _log.warning("database_unavailable", error=str(error), waiting_s=AWAY_MAX_S)
        first = None
        time.sleep(_AWAY_PAUSE_S)
        waited += _AWAY_PAUSE_S


def _prepare_in_child(cfg: Config, writing: int, creates_account: bool) -> int:
    reset_signals()
    set_title("database preparation", cfg.home)
    try:
        password = _upgrade_schema(cfg, creates_account)
        os.write(writing, (password or "").encode())
        return _READY
    except ResourceUnavailable as error:
        os.write(writing, str(error).encode()[:_MESSAGE_MAX])
        return _AWAY
    except GnomonError as error:
        os.write(writing, str(error).encode()[:_MESSAGE_MAX])
    except BaseException as error:
        traceback.print_exception(error)
        os.write(writing, f"preparing the database failed: {type(error).__name__}: {error}".encode()[:_MESSAGE_MAX])
    return _REFUSED


def _upgrade_schema(cfg: Config, creates_account: bool) -> str | None:
    """Create or upgrade the schema and bind the key; returns the password of the account that was created, or None."""
    from gnomon.storage.store import (  # only in the child
        DatabaseNotInitialised,
        SchemaTooOld,
        load_cipher,
        open_database,
    )

    cipher = load_cipher(cfg)
    try:
        database = open_database(cfg.database_url, cipher=cipher)
    except (DatabaseNotInitialised, SchemaTooOld):
        from gnomon.storage.store import migrations

        migrations.upgrade_schema(
            cfg.database_url, default_pool_slots=cfg.integer("core", "default_pool_task_slot_count")
        )
        database = open_database(cfg.database_url, cipher=cipher)
    try:
        database.bind_key()
        if not creates_account:
            return None
        from gnomon.queries.accounts.first_account import create_first_account

        return create_first_account(database, SystemClock().now())
    finally:
        database.close()
