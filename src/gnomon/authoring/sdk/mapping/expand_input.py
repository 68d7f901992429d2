"""The mapped arguments of a task or a task group, and the element of each for one map index."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from gnomon.authoring.sdk.arguments.notset import is_given
from gnomon.authoring.sdk.arguments.resolvable import Resolvable
from gnomon.authoring.sdk.members.map_position import find_element_indexes, list_expansions
from gnomon.authoring.sdk.members.resolved_sequences import read_element
from gnomon.authoring.sdk.members.xcom_arg import XComArg, iter_xcom_references
from gnomon.model.xcom_keys import XCOM_RETURN_KEY


def is_mappable(value: Any) -> bool:
    """Return whether `expand` takes the value: a list, a dict, another sequence except text and bytes, or a result of a task."""
    return isinstance(value, MappedArgument | XComArg | Mapping | Sequence) and not isinstance(
        value, str | bytes | bytearray
    )


def is_mappable_value(value: Any) -> bool:
    """Return whether a mapped task can have an instance for each element of this value, which a task returned."""
    return isinstance(value, Sequence | dict) and not isinstance(value, str | bytes | bytearray)


class MappedArgument(Resolvable):
    """An argument of a mapped task group inside the group: each instance of the group gets one element."""

    def __init__(self, *, input: ExpandInput, key: str) -> None:
        self._input = input
        self._key = key

    def iter_references(self) -> Iterable[tuple[Any, str]]:
        """Yield the tasks from which the elements come."""
        return self._input.iter_references()

    def resolve(self, context: Mapping[str, Any]) -> Any:
        """Return the element for the instance of the group to which the task instance belongs."""
        if isinstance(self._input, DictOfListsExpandInput):
            return self._input.resolve_argument(self._key, context)
        values, _ = self._input.resolve(context)
        if self._key not in values:
            raise KeyError(
                f"the task group is mapped over dicts, and the dict of this instance has no {self._key!r}; it has {', '.join(map(repr, values))}"
            )
        return values[self._key]

    def __repr__(self) -> str:
        return f"MappedArgument({self._key!r})"


class DictOfListsExpandInput(Resolvable):
    """`expand(x=..., y=...)`: an instance for each combination of elements; those of the last argument vary fastest."""

    EXPAND_INPUT_TYPE = "dict-of-lists"

    def __init__(self, value: dict[str, Any]) -> None:
        self.value = value

    @property
    def factors(self) -> list[Any]:
        """The values whose lengths, multiplied, are the number of instances."""
        return list(self.value.values())

    def iter_references(self) -> Iterator[tuple[Any, str]]:
        """Yield the tasks and keys of every XCom in the arguments."""
        for value in self.value.values():
            yield from iter_xcom_references(value)

    def resolve(self, context: Mapping[str, Any]) -> tuple[dict[str, Any], set[int]]:
        """Return the arguments of the instance of `context`, and the ids of those that came from XComs."""
        elements: dict[str, Any] = {}
        pulled: set[int] = set()
        for (name, value), place in zip(self.value.items(), _find_places(self, context), strict=True):
            elements[name] = _read_place(value, context, place, partial(_check_values, name))
            if isinstance(value, Resolvable):
                pulled.add(id(elements[name]))
        return elements, pulled

    def resolve_argument(self, name: str, context: Mapping[str, Any]) -> Any:
        """Return one argument of the instance of `context`."""
        place = _find_places(self, context)[list(self.value).index(name)]
        return _read_place(self.value[name], context, place, partial(_check_values, name))

    def count_elements(self, context: Mapping[str, Any]) -> list[int]:
        """Return the length of each factor, from the values themselves."""
        return [len(self._resolve_values(name, context)) for name in self.value]

    def _resolve_values(self, name: str, context: Mapping[str, Any]) -> Any:
        value = self.value[name]
        return _check_values(name, value.resolve(context) if isinstance(value, Resolvable) else value)


def _check_values(name: str, values: Any) -> Any:
    if not is_mappable_value(values):
        raise ValueError(
            f"expand() expects a list or dict for {name!r}, not {_describe_type(values)}. Return a list or a dict from the task that gives it."
        )
    return values


_DICTS_REMEDY = "Return a list with a dict of arguments for each instance from the task that gives it."


class ListOfDictsExpandInput(Resolvable):
    """`expand_kwargs([...])`: an instance for each dict of arguments."""

    EXPAND_INPUT_TYPE = "list-of-dicts"

    def __init__(self, value: Any) -> None:
        self.value = value

    @property
    def factors(self) -> list[Any]:
        """The value whose length is the number of instances."""
        return [self.value]

    def iter_references(self) -> Iterator[tuple[Any, str]]:
        """Yield the tasks and keys of every XCom in the arguments."""
        yield from iter_xcom_references(self.value)

    def resolve(self, context: Mapping[str, Any]) -> tuple[dict[str, Any], set[int]]:
        """Return the arguments of the instance of `context`. As in Airflow, their texts are rendered as templates."""
        (place,) = _find_places(self, context)
        chosen = _read_place(self.value, context, place, _check_dicts)
        if isinstance(chosen, Resolvable):
            chosen = chosen.resolve(context)
        if not isinstance(chosen, Mapping):
            raise ValueError(
                f"expand_kwargs() expects a list[dict], not list[{_describe_type(chosen)}]: element {place.number} for task "
                f"{context['ti'].task.task_id!r} is no dict. {self._describe_remedy()}"
            )
        for name in chosen:
            if not isinstance(name, str):
                raise ValueError(
                    f"expand_kwargs() input dict keys must all be str, but {name!r} is of type {_describe_type(name)}. "
                    "The keys are the names of the arguments."
                )
        return dict(chosen), set()

    def _describe_remedy(self) -> str:
        sources = ", ".join(dict.fromkeys(repr(task.task_id) for task, _ in self.iter_references()))
        return (
            f"Return a list with a dict of arguments for each instance from task {sources}."
            if sources
            else _DICTS_REMEDY
        )

    def count_elements(self, context: Mapping[str, Any]) -> list[int]:
        """Return the number of dicts, from the value itself."""
        return [len(self._resolve_dicts(context))]

    def _resolve_dicts(self, context: Mapping[str, Any]) -> Sequence[Any]:
        return _check_dicts(self.value.resolve(context) if isinstance(self.value, Resolvable) else self.value)


def _check_dicts(dicts: Any) -> Sequence[Any]:
    if not isinstance(dicts, Sequence) or isinstance(dicts, str | bytes):
        raise ValueError(f"expand_kwargs() expects a list[dict], not {_describe_type(dicts)}. {_DICTS_REMEDY}")
    return dicts


ExpandInput = DictOfListsExpandInput | ListOfDictsExpandInput
EXPAND_INPUT_EMPTY = DictOfListsExpandInput({})
"""The mapped arguments of the operator of a mapped `@task`: what is mapped are arguments of its function."""


class ElementPlace(NamedTuple):
    """Which element of a factor an instance gets, and how many elements there are."""

    number: int
    total: int | None


def _read_place(value: Any, context: Mapping[str, Any], place: ElementPlace, check: Callable[[Any], Any]) -> Any:
    """Return the element of a mapped argument at this place. `check` raises for a value that cannot be mapped over."""
    if isinstance(value, XComArg):
        return value.resolve_element(context, check, place.number, place.total)
    return read_element(check(value.resolve(context) if isinstance(value, Resolvable) else value), place.number)


def _find_places(owned: ExpandInput, context: Mapping[str, Any]) -> list[ElementPlace]:
    """Return the place of the element of each factor. A context that does not have the lengths costs a look at the values."""
    ti = context["ti"]
    map_index = ti.map_index
    if map_index is None or map_index < 0:
        raise RuntimeError(
            "can't resolve task-mapping argument without expanding: it has a value only while an instance of the mapped task runs"
        )
    lengths = getattr(ti, "factor_lengths", None)
    if lengths and len(lengths) == 1:  # one expansion, and mostly one factor
        if len(lengths[0]) == 1:
            return [ElementPlace(map_index % lengths[0][0], lengths[0][0])]
        return list(map(ElementPlace, find_element_indexes(0, map_index, lengths), lengths[0]))
    expansions = list_expansions(ti.task)
    level = next((number for number, node in enumerate(expansions) if node.mapped_input is owned), 0)
    if not is_given(lengths) or not lengths:
        if len(expansions) > 1:
            raise RuntimeError(
                f"the lengths of the expansions of task {ti.task.task_id!r} are not known here, so map index {map_index} has no elements"
            )
        lengths = [owned.count_elements(context)]
    return list(map(ElementPlace, find_element_indexes(level, map_index, lengths), lengths[level]))


def check_return_values(value: Any) -> None:
    """Raise ValueError when a mapped argument refers to an XCom other than a return value, which has no length."""
    for task, key in iter_xcom_references(value):
        if key != XCOM_RETURN_KEY:
            raise ValueError(
                f"cannot map over XCom with custom key {key!r} from {task!r}: only the value that a task returns can be mapped over. "
                "Return it from a task of its own."
            )


def _describe_type(value: Any) -> str:
    return "None" if value is None else type(value).__name__
