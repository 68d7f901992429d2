"""Answers requests in this process: rebuilds the timetable, calls the function, encodes its result."""

from __future__ import annotations

import typing
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from typing import Any

import msgspec

from gnomon.author_code.loading.author_class_loader import load_author_class
from gnomon.author_code.loading.cluster_policies import load_policies
from gnomon.author_code.loading.timetable_loader import rebuild_timetable
from gnomon.author_code.timetable_host.protocol import MUTATE_INSTANCES, TimetableRequest, TimetableResponse
from gnomon.model.errors.authoring import AirflowClusterPolicyError
from gnomon.model.errors.error_text import describe_error, error_text
from gnomon.model.errors.product import GnomonError
from gnomon.model.errors.timetable import AirflowTimetableInvalid, PlanningError, TimetableNotBuilt
from gnomon.model.sentences import render

_OWN_PACKAGE = "gnomon."


class TimetableCall:
    """One request, answered in two steps so that each step has a time limit of its own."""

    def __init__(self, question: TimetableRequest) -> None:
        self._request = question
        self._class_error: str | None = None
        """Why a class could not be loaded."""

    def prepare(self) -> None:
        """Import the files of the author's classes, and the cluster policies for a request to them. An error is kept for the response."""
        ref = self._request.timetable
        try:
            if self._request.function == MUTATE_INSTANCES:
                _load_function(MUTATE_INSTANCES)  # its imports take longer than a call may
                load_policies()
            for path in (*self._request.author_classes, *(() if ref is None or ref.builtin else (ref.path,))):
                load_author_class(path, self._request.file)
        except (TimetableNotBuilt, AirflowClusterPolicyError) as error:
            self._class_error = error_text(error)

    def answer(self) -> TimetableResponse:
        """Call the function; the response holds its result or the error. Never raises an Exception."""
        question = self._request
        if self._class_error is not None:
            return TimetableResponse(number=question.number, error=self._class_error)
        try:
            function, hints = _load_function(question.function)
            values: dict[str, Any] = msgspec.msgpack.decode(question.arguments)
            arguments = {name: msgspec.convert(value, hints.get(name, Any)) for name, value in values.items()}
            if question.timetable is not None:
                arguments["timetable"] = rebuild_timetable(question.timetable, question.file)
            value = function(**arguments)
            is_process_ended = bool(getattr(value, "ends_process", False))
            return TimetableResponse(
                number=question.number, value=msgspec.msgpack.encode(value), is_process_ended=is_process_ended
            )
        except (PlanningError, AirflowTimetableInvalid, GnomonError) as error:
            return TimetableResponse(
                number=question.number, error=error_text(error), is_process_ended=_is_out_of_memory(error)
            )
        except MemoryError:
            what = f"{question.author_name()} needed more memory than the limit (dag_processor.parsing_memory_limit)"
            return TimetableResponse(number=question.number, error=what, is_process_ended=True)
        except Exception as error:
            what = (
                f"{question.author_name()} raised {describe_error(error)}; {render(question.advice())}, or report this"
            )
            return TimetableResponse(number=question.number, error=what)


def run_request(question: TimetableRequest) -> TimetableResponse:
    """Run both steps. Never raises an Exception."""
    call = TimetableCall(question)
    call.prepare()
    return call.answer()


def _is_out_of_memory(error: BaseException | None) -> bool:
    """Whether author code ran out of memory: then this process must not answer another request."""
    while error is not None:
        if isinstance(error, MemoryError):
            return True
        error = error.__cause__
    return False


@lru_cache(maxsize=32)
def _load_function(path: str) -> tuple[Callable[..., Any], dict[str, Any]]:
    """The function of that path, and the type hints of its arguments."""
    module, _, name = path.partition(":")
    if not module.startswith(_OWN_PACKAGE):
        raise TimetableNotBuilt(f"{path} is not a function of Gnomon; only functions of Gnomon can be requested")
    function: Callable[..., Any] = getattr(import_module(module), name)
    return function, typing.get_type_hints(function)


class InProcessTimetableHost:
    """A TimetableHost without a process: each request is answered by the next `collect`."""

    def __init__(self) -> None:
        self._requests: list[TimetableRequest] = []

    def ask(self, question: TimetableRequest) -> None:
        self._requests.append(question)

    def collect(self) -> list[TimetableResponse]:
        requests, self._requests = self._requests, []
        return [run_request(request) for request in requests]

    def wake_in_s(self) -> float | None:
        return 0.0 if self._requests else None

    def filenos(self) -> list[int]:
        return []

    def close(self) -> None:
        self._requests = []
