"""Stand-ins for names whose feature Gnomon does not have: inert ones without effect, and refusing ones that raise when used."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NoReturn

TABLE = "docs/reference/airflow-coverage.md"
REAL_CLASSES = {
    "DagRun": "gnomon.author_code.context.runtime_dag_run:RuntimeDagRun",
}
"""Refusing stand-ins whose real objects author code gets: `isinstance` is true for those objects, and static methods of their class are answered.

TaskInstance is not among them: as in Airflow 3, `ti` in a task is no row of the database, and packages tell the two apart by `isinstance`.
"""
_made_stand_ins: dict[tuple[str, str, bool], Any] = {}


class NotSupported(AttributeError):
    """A name of Airflow that has no implementation was used; the message says why and what to use instead."""


class InertMeta(type):
    """The metaclass of inert stand-ins: any public attribute of the class can be called, and used in `with`, without effect (`Stats.incr`)."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return _do_nothing


class InertStandIn(metaclass=InertMeta):
    """Base class of inert stand-ins: keeps any arguments as attributes, without effect."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.args = args
        self.__dict__.update(kwargs)

    def __enter__(self) -> InertStandIn:
        return self

    def __exit__(self, *exc: object) -> None:
        return None

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


def _do_nothing(*_args: Any, **_kwargs: Any) -> InertStandIn:
    return InertStandIn()


def make_inert(name: str, why: str) -> Any:
    """The inert stand-in of that name: a class, or for a lower-case name a function that returns its argument (a decorator)."""
    key = (name, why, True)
    if key not in _made_stand_ins:
        _made_stand_ins[key] = (
            _make_inert_function(name, why)
            if name[:1].islower()
            else InertMeta(name, (InertStandIn,), {"__doc__": why})
        )
    return _made_stand_ins[key]


def make_refusing(name: str, why: str) -> Any:
    """A class (for a lower-case name a function) that can be imported, named in annotations and subclassed; using it raises."""
    key = (name, why, False)
    if key not in _made_stand_ins:
        _made_stand_ins[key] = (
            _make_refusing_function(name, why) if name[:1].islower() else RefusingMeta(name, (), {"_why": why})
        )
    return _made_stand_ins[key]


class RefusingMeta(type):
    """The metaclass of classes that raise NotSupported when they or their subclasses are called or an attribute is read."""

    _why: str

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        _raise_not_supported(cls.__name__, cls._why)

    def __getattr__(cls, name: str) -> Any:
        if not name.startswith("_"):
            _raise_not_supported(f"{cls.__name__}.{name}", cls._why)
        return cls._find_static(name)

    def _find_static(cls, name: str) -> Any:
        """A static method of the real class, for packages that call it on the class. Raises AttributeError when there is none."""
        real = cls._load_real()
        if isinstance(vars(real).get(name) if real is not None else None, staticmethod):
            return getattr(real, name)
        raise AttributeError(name)

    def _load_real(cls) -> Any:
        home, _, name = REAL_CLASSES.get(cls.__name__, "").partition(":")
        return getattr(import_module(home), name) if home else None

    def __instancecheck__(cls, instance: Any) -> bool:
        return cls.__subclasscheck__(type(instance))

    def __subclasscheck__(cls, subclass: type) -> bool:
        if super().__subclasscheck__(subclass):
            return True
        real = cls._load_real()
        return real is not None and issubclass(subclass, real)


def _raise_not_supported(name: str, why: str) -> NoReturn:
    raise NotSupported(f"{name} cannot be used: {why}. See {TABLE}.")


def _make_refusing_function(name: str, why: str) -> Any:
    def refuse(*_args: Any, **_kwargs: Any) -> NoReturn:
        _raise_not_supported(f"{name}()", why)

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"Raises NotSupported: {why}."
    return refuse


def _make_inert_function(name: str, why: str) -> Any:
    def give_back(*args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and not kwargs and callable(args[0]):
            return args[0]
        return give_back

    give_back.__name__ = give_back.__qualname__ = name
    give_back.__doc__ = why
    return give_back
