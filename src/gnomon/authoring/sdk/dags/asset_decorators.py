"""`@asset` and `@asset.multi`: a function becomes a DAG with one task that writes assets."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from gnomon.authoring.sdk.arguments.code_location import find_author_location, format_location
from gnomon.authoring.sdk.assets.asset import Asset, AssetAll, BaseAsset
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.tasks.decorated_operators import FunctionOperator

_SPECIAL = ("self", "context", "outlet_events")
"""Parameters of the function that are no assets."""


class AssetFunctionOperator(FunctionOperator):
    """The task of `@asset`: a parameter without a default gets the asset of that name; `self` and `context` are special."""

    custom_operator_name = "@asset"

    def __init__(self, *, definition: Any, python_callable: Callable[..., Any], **kwargs: Any) -> None:
        self.python_callable = python_callable
        self.op_args: Any = ()
        self.op_kwargs: Any = {}
        super().__init__(**kwargs)
        self.definition = definition

    def call(self, context: Any) -> Any:
        """Call the function with its assets and return its result. Raises LookupError for an asset that does not exist."""
        self.op_kwargs = dict(self._iter_arguments(context))
        return super().call(context)

    def _iter_arguments(self, context: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        for name, parameter in inspect.signature(self.python_callable).parameters.items():
            if parameter.default is not parameter.empty:
                yield name, parameter.default
            elif name == "self":
                yield name, self.definition
            elif name == "context":
                yield name, context
            elif name == "outlet_events":
                yield name, context["outlet_events"]
            else:
                yield name, _find_asset(name)


def _find_asset(name: str) -> Asset:
    from gnomon.authoring.sdk.connections import channel
    from gnomon.model.task_api_requests import GetAsset  # needs msgspec, which a DAG file does not

    asset: Any = channel.ask(GetAsset(name=name))
    if asset is None:
        raise LookupError(
            f"the parameter {name!r} names an asset that no file defines; rename it, or give it a default. `gnomon assets list` shows all assets"
        )
    return Asset(name=asset["name"], uri=asset["uri"], group=asset["group"], extra=asset["extra"])


class AssetDefinition(Asset):
    """The asset that `@asset` makes of a function."""

    dag: DAG
    """The DAG whose task writes it."""

    def __init__(self, function: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._function = function


class MultiAssetDefinition(AssetAll):
    """What `@asset.multi` makes of a function: all of its outlets, as a schedule or as inlets of other tasks."""

    dag: DAG
    """The DAG whose task writes them."""

    def __init__(self, name: str, function: Any, outlets: Collection[BaseAsset]) -> None:
        super().__init__(*outlets)
        self.name = name
        self._function = function


class _DagArguments:
    """The arguments of the DAG that a decorator makes."""

    def __init__(
        self, *, schedule: Any, dag_id: str | None = None, dag_display_name: str | None = None, **kwargs: Any
    ) -> None:
        unknown = sorted(kwargs.keys() - _DAG_ARGUMENTS)
        if unknown:
            raise TypeError(
                f"@asset{format_location(find_author_location())} has no argument {unknown[0]!r}. It takes name, uri, group, extra, watchers, "
                f"schedule, dag_id, dag_display_name, {', '.join(sorted(_DAG_ARGUMENTS))}."
            )
        self._dag_id = dag_id
        self._arguments = {"schedule": schedule, "catchup": False, "dag_display_name": dag_display_name, **kwargs}

    def make_dag(self, default_dag_id: str, function: Any, outlets: list[BaseAsset], definition: Any) -> DAG:
        """Make the DAG with its task, and return it."""
        arguments = {key: value for key, value in self._arguments.items() if value is not None or key == "schedule"}
        with DAG(self._dag_id or default_dag_id, **arguments) as new_dag:
            _make_task(function, outlets, definition)
        return new_dag


_DAG_ARGUMENTS = frozenset(
    {
        "is_paused_upon_creation",
        "description",
        "params",
        "on_success_callback",
        "on_failure_callback",
        "access_control",
        "owner_links",
        "tags",
    }
)


def _make_task(function: Any, outlets: list[BaseAsset], definition: Any) -> None:
    kwargs = getattr(function, "kwargs", None)
    if kwargs is not None and hasattr(function, "operator_class"):
        if "outlets" in kwargs:
            raise TypeError(
                f"@task under @asset{format_location(find_author_location())} cannot have outlets: the asset is its outlet. Leave outlets= out."
            )
        function.override(outlets=outlets)()
        return
    parameters = inspect.signature(function).parameters
    for name, parameter in parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise TypeError(
                f"the function of @asset{format_location(find_author_location())} cannot have *{name}: each parameter names an asset. "
                "Write a parameter for each asset, or give the assets to inlets=."
            )
        if parameter.kind is parameter.POSITIONAL_ONLY and parameter.default is parameter.empty:
            raise TypeError(
                f"the parameter {name!r} of the function of @asset{format_location(find_author_location())} cannot be positional only. "
                "Remove the / behind it."
            )
    inlets = [
        Asset.ref(name=name)
        for name, parameter in parameters.items()
        if name not in _SPECIAL and parameter.default is parameter.empty
    ]
    AssetFunctionOperator(
        definition=definition, task_id=function.__name__, python_callable=function, inlets=inlets, outlets=outlets
    )


def _check_function(function: Any) -> None:
    if function.__name__ != function.__qualname__:
        raise ValueError(
            f"@asset{format_location(find_author_location())} cannot decorate the nested function {function.__qualname__}; move it to the top of the file."
        )


class AssetMultiDecorator(_DagArguments):
    """`@asset.multi(outlets=[...], schedule=...)`: a DAG with one task that writes several assets."""

    def __init__(self, *, outlets: Collection[BaseAsset], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._outlets = list(outlets)

    def __call__(self, function: Callable[..., Any]) -> MultiAssetDefinition:
        _check_function(function)
        if not self._outlets:
            raise ValueError(f"@asset.multi{format_location(find_author_location())} needs at least one outlet.")
        definition = MultiAssetDefinition(function.__name__, function, self._outlets)
        definition.dag = self.make_dag(function.__name__, function, self._outlets, definition)
        return definition


class AssetDecorator(_DagArguments):
    """`@asset(schedule=...)`: a DAG with one task that writes one asset. The names default to the name of the function."""

    multi = AssetMultiDecorator

    def __init__(
        self,
        *,
        name: str | None = None,
        uri: Any = None,
        group: str | None = None,
        extra: dict[str, Any] | None = None,
        watchers: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._name = name
        self._asset = {"uri": uri, "group": group, "extra": extra, "watchers": watchers}

    def __call__(self, function: Callable[..., Any]) -> AssetDefinition:
        _check_function(function)
        name = self._name or function.__name__
        definition = AssetDefinition(function, name=name, **self._asset)
        definition.dag = self.make_dag(name, function, [definition], definition)
        return definition


asset = AssetDecorator
