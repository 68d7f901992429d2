"""One question, answered in this process: the timetable is made again, the function is called, its answer is data."""

from __future__ import annotations

import typing
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from typing import Any

import msgspec

from gnomon.errors.product import GnomonError
from gnomon.errors.timetable import AirflowTimetableInvalid, PlanningError, TimetableNotBuilt
from gnomon.loading.timetable_loader import load_timetable_class, rebuild_timetable
from gnomon.timetable_host.protocol import TimetableRequest, TimetableResponse

_OWN_PACKAGE = "gnomon."


class TimetableCall:
    """A question on the way to its answer, in two steps that have limits of their own."""

    def __init__(self, question: TimetableRequest) -> None:
        self._request = question
        self._class_error: str | None = None
        """Why the class cannot be had."""

    def prepare(self) -> None:
        """The file in which the class stands is imported. Says what is wrong with it later, with the answer."""
        ref = self._request.timetable
        if ref is None or ref.builtin:
            return
        try:
            load_timetable_class(ref.path, self._request.file)
        except TimetableNotBuilt as error:
            self._class_error = str(error)

    def answer(self) -> TimetableResponse:
        """What the function returns, or why it does not. Raises nothing that is an Exception."""
        question = self._request
        if self._class_error is not None:
            return TimetableResponse(number=question.number, error=self._class_error)
        try:
            function, hints = _load_function(question.function)
            given: dict[str, Any] = msgspec.msgpack.decode(question.arguments)
            arguments = {name: msgspec.convert(value, hints.get(name, Any)) for name, value in given.items()}
            if question.timetable is not None:
                arguments["timetable"] = rebuild_timetable(question.timetable, question.file)
            value = function(**arguments)
            return TimetableResponse(number=question.number, value=msgspec.msgpack.encode(value))
        except (PlanningError, AirflowTimetableInvalid, GnomonError) as error:
            return TimetableResponse(number=question.number, error=str(error), is_process_ended=_is_out_of_memory(error))
        except MemoryError:
            what = f"{question.timetable_name()} needed more memory than it may take (dag_processor.parsing_memory_limit)"
            return TimetableResponse(number=question.number, error=what, is_process_ended=True)
        except Exception as error:
            what = f"{question.timetable_name()} raised {type(error).__name__}: {error}; see to its timetable, or report this"
            return TimetableResponse(number=question.number, error=what)


def run_request(question: TimetableRequest) -> TimetableResponse:
    """Both steps at once. Raises nothing that is an Exception."""
    asked = TimetableCall(question)
    asked.prepare()
    return asked.answer()


def _is_out_of_memory(error: BaseException | None) -> bool:
    """Whether the author's code ran out of memory: then this process is no good for another question."""
    while error is not None:
        if isinstance(error, MemoryError):
            return True
        error = error.__cause__
    return False


@lru_cache(maxsize=32)
def _load_function(path: str) -> tuple[Callable[..., Any], dict[str, Any]]:
    """The function of that path, and what its arguments are."""
    module, _, name = path.partition(":")
    if not module.startswith(_OWN_PACKAGE):
        raise TimetableNotBuilt(f"{path} is no function of Gnomon; author code is asked by ours alone")
    found: Callable[..., Any] = getattr(import_module(module), name)
    return found, typing.get_type_hints(found)


class InProcessTimetableHost:
    """A TimetableHost without a process: what is asked is answered with the next `collect`."""

    def __init__(self) -> None:
        self._requests: list[TimetableRequest] = []

    def ask(self, question: TimetableRequest) -> None:
        self._requests.append(question)

    def collect(self) -> list[TimetableResponse]:
        asked, self._requests = self._requests, []
        return [run_request(question) for question in asked]

    def wake_in_s(self) -> float | None:
        return 0.0 if self._requests else None

    def filenos(self) -> list[int]:
        return []

    def close(self) -> None:
        self._requests = []
