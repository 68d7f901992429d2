"""Params: values of a run that whoever triggers it may choose, with a default and a JSON schema."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any, Protocol

from gnomon.errors.authoring import AirflowException, ParamValidationError
from gnomon.sdk.arguments.notset import NOTSET, is_given
from gnomon.sdk.templating.resolvable import Resolvable

if TYPE_CHECKING:
    from gnomon.model.spec import DagSpec

class Param:
    """One param: a default (or none: then whoever triggers gives it) and what values it takes."""

    def __init__(self, default: Any = NOTSET, description: str | None = None, source: str | None = None,
                 **kwargs: Any) -> None:
        self.value = default
        self.description = description
        self.source = source
        self.schema: dict[str, Any] = kwargs.pop("schema") if "schema" in kwargs else kwargs

    def __copy__(self) -> Param:
        return Param(self.value, self.description, self.source, schema=self.schema)

    def __repr__(self) -> str:
        return f"Param({self.value!r})"

    @property
    def has_value(self) -> bool:
        """Whether there is a value."""
        return is_given(self.value)

    def resolve(self, value: Any = NOTSET, suppress_exception: bool = False) -> Any:
        """The value given, else the default, checked and kept; ParamValidationError when there is none or it is refused."""
        final = value if is_given(value) else self.value
        found = "no value was given and it has no default" if not is_given(final) else self._problem(final)
        if found is not None:
            if suppress_exception:
                return None
            raise ParamValidationError(f"Param: {found}.")
        self.value = final
        return final

    def _problem(self, value: Any) -> str | None:
        try:
            check_plain_json(value)
            if not self.schema:
                return None
            from gnomon.sdk.arguments.json_schema import find_schema_violation  # most params have no schema

            return find_schema_violation(value, self.schema)
        except (TypeError, ValueError) as error:
            return str(error)

    def dump(self) -> dict[str, Any]:
        """The param as plain data."""
        out: dict[str, Any] = {"__class": "gnomon.sdk.arguments.params.Param", "value": self.value if self.has_value else None}
        out.update(description=self.description, schema=self.schema, source=self.source)
        return out

    def serialize(self) -> dict[str, Any]:
        """The param as plain data, to be read by `deserialize`."""
        return {"value": self.value, "description": self.description, "schema": self.schema, "source": self.source}

    @staticmethod
    def deserialize(data: Mapping[str, Any], *_: Any) -> Param:
        """The param that `serialize` wrote."""
        return Param(data.get("value", NOTSET), data.get("description"), data.get("source"), schema=data["schema"])


class ParamsDict(MutableMapping[str, Any]):
    """Name to value; behind each stands a Param that checks what is assigned."""

    def __init__(self, dict_obj: Mapping[str, Any] | None = None, suppress_exception: bool = False) -> None:
        self.suppress_exception = suppress_exception
        source = dict_obj.items_as_params() if isinstance(dict_obj, ParamsDict) else (dict_obj or {}).items()
        self._params: dict[str, Param] = {name: to_param(value) for name, value in source}

    def items_as_params(self) -> Iterable[tuple[str, Param]]:
        """(name, a copy of its Param)."""
        return [(name, copy.copy(param)) for name, param in self._params.items()]

    def __getitem__(self, name: str) -> Any:
        return self._params[name].resolve(suppress_exception=self.suppress_exception)

    def __setitem__(self, name: str, value: Any) -> None:
        if isinstance(value, Param):
            self._params[name] = value
        elif name in self._params:
            self._resolve(name, value)
        else:
            self._params[name] = Param(value)

    def _resolve(self, name: str, value: Any = NOTSET) -> Any:
        try:
            return self._params[name].resolve(value, self.suppress_exception)
        except ParamValidationError as error:
            raise ParamValidationError(f"Param {name!r}{str(error).removeprefix('Param')}") from None

    def __delitem__(self, name: str) -> None:
        del self._params[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._params)

    def __len__(self) -> int:
        return len(self._params)

    def __contains__(self, name: object) -> bool:
        return name in self._params

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ParamsDict):
            return self.dump() == other.dump()
        return self.dump() == other if isinstance(other, dict) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __copy__(self) -> ParamsDict:
        return ParamsDict(self, self.suppress_exception)

    def __deepcopy__(self, memo: dict[int, Any]) -> ParamsDict:
        other = ParamsDict(None, self.suppress_exception)
        other._params = copy.deepcopy(self._params, memo)
        return other

    def __repr__(self) -> str:
        return repr(self.dump())

    def get_param(self, name: str) -> Param:
        """The Param behind a name."""
        return self._params[name]

    def update(self, other: Any = (), /, **kwargs: Any) -> None:
        """Each value is taken by its Param; Params replace."""
        if isinstance(other, ParamsDict):
            other = dict(other.items_as_params())
        super().update(other, **kwargs)

    def dump(self) -> dict[str, Any]:
        """Name to value, unchecked; None for one without a value."""
        return {name: param.value if param.has_value else None for name, param in self._params.items()}

    def validate(self) -> dict[str, Any]:
        """Name to value, each checked; ParamValidationError names the first that fails."""
        return {name: self._resolve(name) for name in self._params}


class HasParams(Protocol):
    """A DAG, by its params."""

    params: ParamsDict


class DagParam(Resolvable):
    """The value of a param in the run: `dag.param("name")`, and the arguments of a `@dag` function."""

    def __init__(self, current_dag: HasParams, name: str, default: Any = NOTSET) -> None:
        if is_given(default):
            current_dag.params[name] = default
        self._name = name
        self._default = default

    def iter_references(self) -> Iterable[tuple[Any, str]]:
        """None: it comes from the run, not from a task."""
        return ()

    def resolve(self, context: Mapping[str, Any]) -> Any:
        """From the run's conf, else the params, else the default."""
        conf = getattr(context["dag_run"], "conf", None) or {}
        if self._name in conf:
            return conf[self._name]
        if is_given(self._default):
            return self._default
        if self._name in context["params"]:
            return context["params"][self._name]
        raise AirflowException(f"No value for the param {self._name!r}: give it in conf, or a default in the DAG's params.")


def to_param(value: Any) -> Param:
    """A Param as it is; any other value as the default of one."""
    return value if isinstance(value, Param) else Param(value)


def check_plain_json(value: Any, path: str = "") -> None:
    """Passes when the value is plain JSON; TypeError says where it is not."""
    if value is None or isinstance(value, str | int | float | bool):
        return
    if isinstance(value, Mapping):
        for key, item in value.items():
            if not isinstance(key, str):
                raise TypeError(f"the key {key!r}{' at ' + path if path else ''} is not text; params are plain JSON")
            check_plain_json(item, f"{path}[{key!r}]")
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            check_plain_json(item, f"{path}[{index}]")
    else:
        raise TypeError(f"{value!r}{' at ' + path if path else ''} ({type(value).__name__}) is not plain JSON; "
                        "write dates as text")


def check_conf(spec: DagSpec, conf: Mapping[str, object]) -> None:
    """The conf fits the params of the DAG; ParamValidationError names the param that it does not fit."""
    params = ParamsDict({
        name: Param(schema=param.schema) if param.required else Param(param.default, schema=param.schema)
        for name, param in spec.params.items()
    })  # fmt: skip
    params.update({name: value for name, value in conf.items() if name in spec.params})
    params.validate()
