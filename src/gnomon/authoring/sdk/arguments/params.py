"""Params: values of a run that a user may choose when triggering the run, each with a default and a JSON Schema."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any, Protocol

from gnomon.authoring.sdk.arguments.airflow_dialects import AIRFLOW_2, read_dialect
from gnomon.authoring.sdk.arguments.converters import describe_value
from gnomon.authoring.sdk.arguments.notset import NOTSET, is_given
from gnomon.authoring.sdk.arguments.resolvable import Resolvable
from gnomon.model.errors.authoring import AirflowException, ParamValidationError
from gnomon.model.json_value import find_json_fault
from gnomon.model.storable_text import escape_unstorable

if TYPE_CHECKING:
    from gnomon.model.spec import DagSpec


class Param:
    """One param: a default value and the JSON Schema of its values. Without a default, the user must give a value.

    Raises ParamValidationError for a default that JSON cannot hold, as in Airflow; the schema is checked with the DAG. As in Airflow 2, with
    `[core] airflow_dialect = 2` such a default is accepted, for the params of tasks: the file makes the object wherever it is loaded.
    """

    def __init__(
        self, default: Any = NOTSET, description: str | None = None, source: str | None = None, **kwargs: Any
    ) -> None:
        if (
            is_given(default)
            and (fault := find_param_fault(default, "the default")) is not None
            and not _may_hold_objects()
        ):
            raise ParamValidationError(f"Param: {fault}.")
        if not isinstance(description, str | None):
            raise ParamValidationError(f"Param: the description must be text, not {describe_value(description)}.")
        self.value = default
        self.description = description
        self.source = source
        self.schema: dict[str, Any] = kwargs.pop("schema") if "schema" in kwargs else kwargs

    def __copy__(self) -> Param:
        other = Param.__new__(Param)  # without the check, which each task would make for each param of its DAG
        other.value, other.description, other.source, other.schema = (
            self.value,
            self.description,
            self.source,
            self.schema,
        )
        return other

    def __repr__(self) -> str:
        return f"Param({self.value!r})"

    @property
    def has_value(self) -> bool:
        """Whether the param has a value."""
        return is_given(self.value)

    def resolve(self, value: Any = NOTSET, suppress_exception: bool = False) -> Any:
        """Check `value`, or the default when it is not given; store and return it.

        Raises ParamValidationError when there is no value or the schema does not allow it; with `suppress_exception` returns
        None instead.
        """
        final = value if is_given(value) else self.value
        problem = "no value was given and it has no default" if not is_given(final) else self._problem(final)
        if problem is not None:
            if suppress_exception:
                return None
            raise ParamValidationError(f"Param: {problem}.")
        self.value = final
        return final

    def _problem(self, value: Any) -> str | None:
        fault = find_param_fault(value)
        if fault is not None and value is self.value and _may_hold_objects():
            return None
        if fault is not None or not self.schema:
            return fault
        from gnomon.authoring.sdk.arguments.json_schema import find_schema_violation  # most params have no schema

        try:
            return find_schema_violation(value, self.schema)
        except (TypeError, ValueError) as error:
            return str(error)

    def find_schema_fault(self) -> str | None:
        """Why the schema is not valid, whatever the value is; None: it is valid."""
        if not self.schema:
            return None
        from gnomon.authoring.sdk.arguments.json_schema import InvalidSchemaError, check_schema  # as above

        try:
            check_schema(self.schema)
        except InvalidSchemaError as error:
            return str(error)
        return None

    def find_default_fault(self) -> str | None:
        """Why the default is not valid; None: it is, or there is none."""
        return self._problem(self.value) if self.has_value else None

    def dump(self) -> dict[str, Any]:
        """Return the param as plain data, in Airflow's form."""
        out: dict[str, Any] = {
            "__class": "gnomon.authoring.sdk.arguments.params.Param",
            "value": self.value if self.has_value else None,
        }
        out.update(description=self.description, schema=self.schema, source=self.source)
        return out

    def serialize(self) -> dict[str, Any]:
        """Return the param as plain data for `deserialize`."""
        return {"value": self.value, "description": self.description, "schema": self.schema, "source": self.source}

    @staticmethod
    def deserialize(data: Mapping[str, Any], *_: Any) -> Param:
        """Return the param that `serialize` wrote."""
        return Param(data.get("value", NOTSET), data.get("description"), data.get("source"), schema=data["schema"])


class ParamsDict(MutableMapping[str, Any]):
    """A mapping of names to values. Each name has a Param, which checks the values that are assigned."""

    def __init__(self, dict_obj: Mapping[str, Any] | None = None, suppress_exception: bool = False) -> None:
        self.suppress_exception = suppress_exception
        source = dict_obj.items_as_params() if isinstance(dict_obj, ParamsDict) else (dict_obj or {}).items()
        self._params: dict[str, Param] = {name: to_param(name, value) for name, value in source}

    @staticmethod
    def filter_params_by_source(params: ParamsDict, source: str) -> ParamsDict:
        """Return the params that were given to a `dag`, or to a `task`."""
        return ParamsDict({name: param for name, param in params.items_as_params() if param.source == source})

    def _fill_missing_param_source(self, source: str | None = None) -> None:
        """Set the source of each param that has none."""
        for param in self._params.values():
            param.source = param.source or source

    def set_source(self, source: str, names: Iterable[str]) -> None:
        """Set the source of the params of these names to `dag` or `task`."""
        for name in names:
            self._params[name] = copy.copy(self._params[name])
            self._params[name].source = source

    def items_as_params(self) -> Iterable[tuple[str, Param]]:
        """Return (name, copy of the Param) for each param."""
        return [(name, copy.copy(param)) for name, param in self._params.items()]

    def __getitem__(self, name: str) -> Any:
        return self._params[name].resolve(suppress_exception=self.suppress_exception)

    def __setitem__(self, name: str, value: Any) -> None:
        if isinstance(value, Param):
            self._params[name] = value
        elif name in self._params:
            self._resolve(name, value)
        else:
            self._params[name] = to_param(name, value)

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
        """Return the Param of a name. Raises KeyError when there is none."""
        return self._params[name]

    def update(self, other: Any = (), /, **kwargs: Any) -> None:
        """Assign each value to its Param; a Param replaces the Param of that name."""
        if isinstance(other, ParamsDict):
            other = dict(other.items_as_params())
        super().update(other, **kwargs)

    def dump(self) -> dict[str, Any]:
        """Return name to value without checks; None for a param without a value."""
        return {name: param.value if param.has_value else None for name, param in self._params.items()}

    def validate(self) -> dict[str, Any]:
        """Check all values and return name to value. Raises ParamValidationError for the first value that is not valid."""
        return {name: self._resolve(name) for name in self._params}


class HasParams(Protocol):
    """The part of a DAG that DagParam needs."""

    params: ParamsDict


class DagParam(Resolvable):
    """A reference to the value of a param in the run: `dag.param("name")`, and each argument of a `@dag` function."""

    def __init__(self, current_dag: HasParams, name: str, default: Any = NOTSET) -> None:
        if is_given(default):
            current_dag.params[name] = default
        self._name = name
        self._default = default

    def iter_references(self) -> Iterable[tuple[Any, str]]:
        """Return nothing: the value comes from the run and not from a task."""
        return ()

    def resolve(self, context: Mapping[str, Any]) -> Any:
        """Return the value from the conf of the run, else the default of this reference, else the params of the context.

        Raises AirflowException when none of them has a value.
        """
        conf = getattr(context["dag_run"], "conf", None) or {}
        if self._name in conf:
            return conf[self._name]
        if is_given(self._default):
            return self._default
        if self._name in context["params"]:
            return context["params"][self._name]
        raise AirflowException(
            f"The param {self._name!r} has no value. Give it in conf, or give it a default in the params of the DAG."
        )


def to_param(name: str, value: Any) -> Param:
    """Return a Param unchanged; any other value becomes the default of a new Param. Raises ParamValidationError, with the name."""
    if isinstance(value, Param):
        return value
    try:
        return Param(value)
    except ParamValidationError as error:
        raise ParamValidationError(f"Param {name!r}{str(error).removeprefix('Param')}") from None


def merge_params(*sources: Mapping[str, Any] | None) -> ParamsDict:
    """Return the params of all sources; of several of one name, that of the last. Raises ParamValidationError."""
    merged = ParamsDict()
    for source in sources:
        merged.update(source or {})
    return merged


def _may_hold_objects() -> bool:
    return read_dialect().number == AIRFLOW_2


def find_param_fault(value: Any, place: str = "") -> str | None:
    """Why the value cannot be that of a param, with the remedy; None: it can."""
    fault = find_json_fault(value, place)
    return (
        None
        if fault is None
        else f"{escape_unstorable(fault)}; params are plain JSON: write dates as text, and sets as lists"
    )


def check_conf(spec: DagSpec, conf: Mapping[str, object]) -> None:
    """Check the conf of a run against the params of the DAG. Raises ParamValidationError, with the param or the place, when it does not fit or is not JSON."""
    if (fault := find_json_fault(conf, "conf")) is not None:
        raise ParamValidationError(f"the conf is not JSON: {escape_unstorable(fault)}")
    params = ParamsDict(
        {
            name: Param(schema=param.schema) if param.required else Param(param.default, schema=param.schema)
            for name, param in spec.params.items()
        }
    )
    params.update({name: value for name, value in conf.items() if name in spec.params})
    params.validate()
