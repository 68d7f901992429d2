"""`Operator.partial(...)`, and its `expand` and `expand_kwargs`, which make the mapped task."""

from __future__ import annotations

import contextlib
import warnings
import weakref
from typing import Any

from gnomon.authoring.sdk.arguments.code_location import find_author_location, format_location
from gnomon.authoring.sdk.arguments.converters import check_id
from gnomon.authoring.sdk.mapping.expand_input import DictOfListsExpandInput, ExpandInput, ListOfDictsExpandInput
from gnomon.authoring.sdk.mapping.map_kwargs import (
    check_arguments,
    check_dicts,
    check_mapped_values,
    check_names,
    list_parameters,
    prevent_duplicates,
)
from gnomon.authoring.sdk.mapping.mapped_operator import UNMAPPABLE, MappedOperator, keep_fields
from gnomon.authoring.sdk.members.operator_meta import take_shared
from gnomon.authoring.sdk.members.xcom_arg import XComArg
from gnomon.model.unchecked_sentences import say_unchecked


class PartialMethod:
    """The attribute `partial` of operator classes. On a task it raises TypeError."""

    def __get__(self, task: Any, operator_class: type[Any]) -> Any:
        def partial(**kwargs: Any) -> OperatorPartial:
            if task is not None:
                raise TypeError(
                    f"partial can only be called on Operator classes, not Tasks themselves: write {operator_class.__name__}.partial(task_id="
                    f"{task.task_id!r}, ...).expand(...)"
                )
            return OperatorPartial(operator_class, kwargs)

        return partial


class UnexpandedPartial:
    """Warns, in Python and on the DAG, about a `partial` that nothing expanded."""

    def __init__(self, subject: str, dag: Any) -> None:
        self.subject = subject
        self.is_expanded = False
        self._dag = dag
        if dag is not None:
            dag.__dict__.setdefault("_partials", []).append(weakref.ref(self))

    def warn_unexpanded(self) -> None:
        """Add a warning to the DAG, unless `expand` was called."""
        if not self.is_expanded and self._dag is not None:
            self._dag.warn(say_unchecked("partial_was_never_mapped", subject_text=self.subject))

    def __del__(self) -> None:
        if self.is_expanded:
            return
        self.warn_unexpanded()
        with contextlib.suppress(TypeError):  # at the end of the interpreter, modules are gone
            warnings.warn(f"{self.subject.partition(' (')[0]} was never mapped!", UserWarning, stacklevel=2)


def warn_about_partials(dag: Any) -> None:
    """Add a warning to the DAG for each `partial` that is still waiting for its `expand`."""
    for reference in dag.__dict__.get("_partials", ()):
        partial = reference()
        if partial is not None:
            partial.warn_unexpanded()


class OperatorPartial:
    """The arguments that all instances of a mapped task share. `expand` or `expand_kwargs` makes the task.

    Raises TypeError, with the line, for an argument that the class does not take.
    """

    def __init__(self, operator_class: type[Any], kwargs: dict[str, Any]) -> None:
        self.operator_class = operator_class
        self._location = find_author_location()
        self._where = format_location(self._location)
        name = operator_class.__name__
        if "task_id" not in kwargs:
            raise TypeError(f"{name}.partial() needs task_id={self._where}")
        self._names = list_parameters(operator_class)
        check_names(kwargs, self._names, f"{name}.partial", self._where)
        arguments = dict(kwargs)
        check_id("task_id", arguments["task_id"], self._where)
        check_arguments(operator_class, arguments, arguments["task_id"], self._where)
        dag, self._group, self._defaults, self.params = take_shared(arguments, self._where)
        self._dag = dag or (self._group.dag if self._group is not None else None)
        self._task_id = arguments.pop("task_id")
        self.kwargs = arguments
        self._watch = UnexpandedPartial(f"Task {self._task_id!r}{self._where}", self._dag)

    def __repr__(self) -> str:
        arguments = {"task_id": self._task_id, **self.kwargs}
        return f"{self.operator_class.__name__}.partial({', '.join(f'{name}={value!r}' for name, value in arguments.items())})"

    def expand(self, **mapped_kwargs: Any) -> MappedOperator:
        """Make a task with an instance for each combination of the elements of the arguments: lists, dicts, results of tasks.

        Raises TypeError for an argument that the class does not take, that `partial` has too, or that all instances share, and
        ValueError for a value that cannot be mapped over.
        """
        call = f"{self.operator_class.__name__}.expand"
        self._watch.is_expanded = True
        if not mapped_kwargs:
            raise TypeError(
                f"no arguments to expand against: {call}() of task {self._task_id!r}{self._where} needs a list or a dict for an argument"
            )
        check_names(mapped_kwargs, self._names, call, self._where)
        check_mapped_values(mapped_kwargs, call, self._where)
        for name, value in mapped_kwargs.items():
            for element in value if isinstance(value, list | tuple) else ():
                check_arguments(self.operator_class, {name: element}, self._task_id, self._where)
        self._prevent_duplicates(mapped_kwargs)
        return self._expand(DictOfListsExpandInput(mapped_kwargs), strict=False)

    def expand_kwargs(self, kwargs: Any, *, strict: bool = True) -> MappedOperator:
        """Make a task with an instance for each dict of arguments in a list, or in the result of a task.

        With `strict`, an argument that `partial` has too is an error; else that of the dict is used. Raises TypeError for another value.
        """
        call = f"{self.operator_class.__name__}.expand_kwargs"
        self._watch.is_expanded = True
        check_dicts(kwargs, call, self._where)
        for item in kwargs if not isinstance(kwargs, XComArg) else ():
            if not isinstance(item, XComArg):
                check_names(item, self._names, call, self._where)
                if strict:
                    self._prevent_duplicates(item)
                check_arguments(self.operator_class, item, self._task_id, self._where)
        return self._expand(ListOfDictsExpandInput(kwargs), strict=strict)

    def _prevent_duplicates(self, mapped: Any) -> None:
        shared = {name: None for name in mapped if name in UNMAPPABLE}
        where = f"; task {self._task_id!r}{self._where}: what partial() has, and what the scheduler reads, is the same for all instances"
        prevent_duplicates({**self.kwargs, **shared}, mapped, "unmappable or already specified", where)

    def _expand(self, expand_input: ExpandInput, *, strict: bool) -> MappedOperator:
        task_id = self._task_id if self._group is None else self._group.child_id(self._task_id)
        return MappedOperator(
            operator_class=self.operator_class,
            task_id=task_id,
            partial_kwargs={**keep_fields(self._defaults), **self.kwargs},
            expand_input=expand_input,
            dag=self._dag,
            task_group=self._group,
            defaults=self._defaults,
            params=self.params,
            strict=strict,
            location=self._location,
        )
