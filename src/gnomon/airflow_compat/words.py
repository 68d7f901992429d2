"""Stand-ins for names whose feature Gnomon does not have: inert words, and refusals that raise when they are used."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NoReturn

TABLE = "docs/reference/airflow-coverage.md"
LIKE = {
    "DagRun": "gnomon.context.dag_run:DagRun",
    "TaskInstance": "gnomon.context.task_instance:TaskInstance",
}
"""Refusals of which a task holds real objects: isinstance says so."""
_known: dict[tuple[str, str, bool], Any] = {}


class NotSupported(AttributeError):
    """A name of Airflow was used that Gnomon only knows by name; the message says why and what to use instead."""


class Word:
    """Base of inert words: takes any arguments, keeps them, does nothing."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.args = args
        self.__dict__.update(kwargs)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


def word(name: str, why: str) -> Any:
    """The inert word of that name: a class, or for a lower-case name a function that gives its only argument back."""
    key = (name, why, True)
    if key not in _known:
        _known[key] = _inert_function(name, why) if name[:1].islower() else type(name, (Word,), {"__doc__": why})
    return _known[key]


def refusal(name: str, why: str) -> Any:
    """A class (for a lower-case name a function) that can be imported, annotated with, subclassed; using it raises."""
    key = (name, why, False)
    if key not in _known:
        _known[key] = _refusing_function(name, why) if name[:1].islower() else Refusing(name, (), {"_why": why})
    return _known[key]


class Refusing(type):
    """The class of classes that raise NotSupported when they, or classes derived from them, are called or asked."""

    _why: str

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        _refuse(cls.__name__, cls._why)

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        _refuse(f"{cls.__name__}.{name}", cls._why)

    def __instancecheck__(cls, instance: Any) -> bool:
        return cls.__subclasscheck__(type(instance))

    def __subclasscheck__(cls, subclass: type) -> bool:
        if super().__subclasscheck__(subclass):
            return True
        home, _, name = LIKE.get(cls.__name__, "").partition(":")
        return bool(home) and issubclass(subclass, getattr(import_module(home), name))


def _refuse(what: str, why: str) -> NoReturn:
    raise NotSupported(f"{what} cannot be used: {why}. See {TABLE}.")


def _refusing_function(name: str, why: str) -> Any:
    def refuse(*_args: Any, **_kwargs: Any) -> NoReturn:
        _refuse(f"{name}()", why)

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"Raises NotSupported: {why}."
    return refuse


def _inert_function(name: str, why: str) -> Any:
    def give_back(*args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and not kwargs and callable(args[0]):
            return args[0]
        return give_back

    give_back.__name__ = give_back.__qualname__ = name
    give_back.__doc__ = why
    return give_back
