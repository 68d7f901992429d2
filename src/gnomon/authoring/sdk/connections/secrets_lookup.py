"""Looks secrets up in the backend of `[secrets] backend`, before the environment and the database.

The backend runs in the process that reads the secret: a task, a trigger, or the import of a DAG file. A backend that cannot be made, that raises
or that hangs is logged with the name of its option, and the next place is asked, as in Airflow.
"""

from __future__ import annotations

import contextvars
import functools
import json
import logging
import os
import threading
from collections.abc import Callable
from typing import Any

from gnomon.authoring.sdk.connections import channel
from gnomon.authoring.sdk.connections.provider_packages import import_attribute
from gnomon.authoring.sdk.connections.secret_masking import mask_secret
from gnomon.ground.clock import SystemClock
from gnomon.ground.config import current_config
from gnomon.ground.config.option import OptionKey
from gnomon.ground.log.secret_masks import hide
from gnomon.model.errors.error_text import describe_error, error_text
from gnomon.model.errors.product import UserError
from gnomon.model.sentences import Sentence, render, say
from gnomon.model.task_api_requests import GetCachedSecret, SetCachedSecret

AGAIN_AFTER_S = 60.0
"""A backend that has not answered in time is not asked again for so many seconds: each lookup would wait."""
_SECTION = OptionKey("secrets", "backend")
_WORKERS = OptionKey("workers", "secrets_backend")

log = logging.getLogger("gnomon.task")


class _BackendSlot:
    """The backend of this process, made at the first lookup."""

    def __init__(self) -> None:
        self.option: OptionKey | None = None
        self.backend: Any = None
        self.ask_again_at_s = 0.0
        """The monotonic time until which the backend is not asked."""


_slot = _BackendSlot()
_runs_tasks = False


def prefer_worker_options() -> None:
    """From now on `[workers] secrets_backend`, where it is set, is used in this process and its forks: it runs tasks or triggers."""
    global _runs_tasks
    _runs_tasks = True


def forget_backend() -> None:
    """Make the backend again at the next lookup. A fork does so too: its connections to servers are those of its parent."""
    global _slot
    _slot = _BackendSlot()


@functools.cache
def _forget_in_forks() -> None:
    """Called by the first lookup: a hook costs every child process that is forked."""
    os.register_at_fork(after_in_child=forget_backend)


def find_connection(conn_id: str) -> Any:
    """The connection that the backend has: an object with Airflow's attributes, or a text (URI or JSON); None when there is none or no backend."""
    return _look_up(
        "connection",
        conn_id,
        lambda backend: backend.get_connection(conn_id=conn_id),
        lambda connection: str(connection.as_json()),
    )


def find_variable(key: str) -> str | None:
    """The Variable that the backend has; None when there is none, or no backend."""
    value = _look_up("variable", key, lambda backend: backend.get_variable(key=key), str)
    return None if value is None else str(value)


def find_config_value(key: str) -> str | None:
    """The value of an option that the backend has; None when there is none. Raises UserError when there is no usable backend, or it fails."""
    option = _find_option()
    if option is None:
        raise UserError(say("no_secrets_backend"))
    try:
        value = _make_backend(option).get_config(key)
    except UserError:
        raise
    except Exception as error:
        raise UserError(_say_failure(option, say("backend_raised", error=_describe(error)))) from None
    return None if value is None else str(value)


def _look_up(kind: str, name: str, ask: Callable[[Any], Any], to_text: Callable[[Any], str]) -> Any:
    option = _find_option()
    if option is None:
        return None
    cfg = current_config()
    is_cached = cfg.boolean("secrets", "use_cache") and not _runs_tasks and channel.has_channel()
    if is_cached:
        answer: Any = channel.ask(GetCachedSecret(kind=kind, name=name))
        if answer is not None:
            return answer["text"]
    try:
        value = _ask_backend(option, ask)
    except _NoAnswer:
        return None
    if is_cached:
        text = None if value is None else to_text(value)
        channel.ask(SetCachedSecret(kind=kind, name=name, text=text, ttl_s=cfg.number("secrets", "cache_ttl_seconds")))
    return value


class _NoAnswer(Exception):
    """The backend failed; the log has the reason."""


def _ask_backend(option: OptionKey, ask: Callable[[Any], Any]) -> Any:
    """What the backend answers within `[secrets] backend_timeout`. Raises _NoAnswer."""
    _forget_in_forks()
    slot, clock = _slot, SystemClock()
    if clock.monotonic() < slot.ask_again_at_s:
        raise _NoAnswer
    outcome: list[tuple[Any, BaseException | None]] = []

    def run() -> None:
        try:
            if slot.backend is None or slot.option != option:
                slot.backend, slot.option = _make_backend(option), option
            outcome.append((ask(slot.backend), None))
        except BaseException as error:  # code of another package
            outcome.append((None, error))

    limit_s = current_config().number("secrets", "backend_timeout")
    thread = threading.Thread(target=contextvars.copy_context().run, args=(run,), name="secrets-backend", daemon=True)
    thread.start()
    thread.join(limit_s)
    if not outcome:
        slot.ask_again_at_s = clock.monotonic() + AGAIN_AFTER_S
        log.warning("%s", render(_say_failure(option, say("backend_did_not_answer", duration=limit_s))))
        raise _NoAnswer
    answer, error = outcome[0]
    if isinstance(error, UserError):
        log.warning("%s", hide(error_text(error)))
        raise _NoAnswer
    if error is not None:
        log.warning("%s", render(_say_failure(option, say("backend_raised", error=_describe(error)))))
        raise _NoAnswer
    return answer


def _find_option() -> OptionKey | None:
    """The option that names the backend of this process; None when none does."""
    cfg = current_config()
    for option in (_WORKERS, _SECTION) if _runs_tasks else (_SECTION,):
        if cfg.text(*option).strip():
            return option
    return None


def _make_backend(option: OptionKey) -> Any:
    """The backend with its arguments. Raises UserError, which names the option and where it is set."""
    cfg = current_config()
    path = cfg.text(*option).strip()
    kwargs_option = OptionKey(option.section, f"{option.name}_kwargs")
    text = cfg.text(*kwargs_option).strip()
    try:
        kwargs = json.loads(text) if text else {}
    except ValueError as error:
        raise UserError(
            say(
                "backend_arguments_are_no_json",
                option=str(kwargs_option),
                source=cfg.source(*kwargs_option),
                error=str(error),
            )
        ) from None
    if not isinstance(kwargs, dict):
        raise UserError(
            say(
                "backend_arguments_are_no_object",
                option=str(kwargs_option),
                source=cfg.source(*kwargs_option),
                thing=type(kwargs).__name__,
            )
        )
    mask_secret(kwargs)
    try:
        return import_attribute(path)(**kwargs)
    except (ImportError, AttributeError, ValueError) as error:
        raise UserError(
            _say_failure(option, say("backend_cannot_be_used", error=_describe(error), option=str(kwargs_option)))
        ) from None
    except Exception as error:
        raise UserError(
            _say_failure(option, say("backend_cannot_be_made", error=_describe(error), option=str(kwargs_option)))
        ) from None


def _describe(error: BaseException) -> str:
    return hide(f"{describe_error(error)}".strip().rstrip(":"))


def _say_failure(option: OptionKey, why: Sentence) -> Sentence:
    cfg = current_config()
    return say("backend_fails", option=str(option), source=cfg.source(*option), name=cfg.text(*option), why=why)
