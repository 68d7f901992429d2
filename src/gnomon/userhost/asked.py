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
from gnomon.loading.timetables import class_of, made_again
from gnomon.userhost.interface import Answer, Question

_OURS = "gnomon."


class Asked:
    """A question on the way to its answer, in two steps that have limits of their own."""

    def __init__(self, question: Question) -> None:
        self._question = question
        self._wrong: str | None = None
        """Why the class cannot be had."""

    def prepare(self) -> None:
        """The file in which the class stands is imported. Says what is wrong with it later, with the answer."""
        ref = self._question.timetable
        if ref is None or ref.builtin:
            return
        try:
            class_of(ref.path, self._question.file)
        except TimetableNotBuilt as error:
            self._wrong = str(error)

    def answer(self) -> Answer:
        """What the function returns, or why it does not. Raises nothing that is an Exception."""
        question = self._question
        if self._wrong is not None:
            return Answer(number=question.number, error=self._wrong)
        try:
            function, hints = _function(question.function)
            given: dict[str, Any] = msgspec.msgpack.decode(question.arguments)
            arguments = {name: msgspec.convert(value, hints.get(name, Any)) for name, value in given.items()}
            if question.timetable is not None:
                arguments["timetable"] = made_again(question.timetable, question.file)
            value = function(**arguments)
            return Answer(number=question.number, value=msgspec.msgpack.encode(value))
        except (PlanningError, AirflowTimetableInvalid, GnomonError) as error:
            return Answer(number=question.number, error=str(error), ended=_was_memory(error))
        except MemoryError:
            what = f"{question.named()} needed more memory than it may take (dag_processor.parsing_memory_limit)"
            return Answer(number=question.number, error=what, ended=True)
        except Exception as error:
            what = f"{question.named()} raised {type(error).__name__}: {error}; see to its timetable, or report this"
            return Answer(number=question.number, error=what)


def answer(question: Question) -> Answer:
    """Both steps at once. Raises nothing that is an Exception."""
    asked = Asked(question)
    asked.prepare()
    return asked.answer()


def _was_memory(error: BaseException | None) -> bool:
    """Whether the author's code ran out of memory: then this process is no good for another question."""
    while error is not None:
        if isinstance(error, MemoryError):
            return True
        error = error.__cause__
    return False


@lru_cache(maxsize=32)
def _function(path: str) -> tuple[Callable[..., Any], dict[str, Any]]:
    """The function of that path, and what its arguments are."""
    module, _, name = path.partition(":")
    if not module.startswith(_OURS):
        raise TimetableNotBuilt(f"{path} is no function of Gnomon; author code is asked by ours alone")
    found: Callable[..., Any] = getattr(import_module(module), name)
    return found, typing.get_type_hints(found)
