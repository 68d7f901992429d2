"""Lineage that hooks report: the assets that they read and write, for listeners of plugins that read it in the process of the task.

As in Airflow, it is collected only where a plugin has `hook_lineage_readers`. Source: Airflow's documentation, "Hook Lineage".
"""

from __future__ import annotations

import functools
import hashlib
import json
import logging
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from gnomon.author_code.loading import plugin_finder, plugins
from gnomon.author_code.loading.unrecorded_reads import unrecorded_reads
from gnomon.authoring.sdk.assets import Asset
from gnomon.authoring.sdk.connections import provider_packages
from gnomon.ground.config import current_config

log = logging.getLogger("airflow.lineage")


@dataclass(slots=True)
class AssetLineageInfo:
    """An asset, how often a hook reported it, and the hook (`context`)."""

    asset: Any
    count: int
    context: Any


@dataclass(slots=True)
class ExtraLineageInfo:
    """Another value that a hook reported, how often, and the hook (`context`)."""

    key: str
    value: Any
    count: int
    context: Any


@dataclass(slots=True)
class HookLineage:
    """What the hooks of a task have reported, in that order."""

    inputs: list[AssetLineageInfo] = field(default_factory=list)
    outputs: list[AssetLineageInfo] = field(default_factory=list)
    extra: list[ExtraLineageInfo] = field(default_factory=list)


class HookLineageCollector:
    """Collects what hooks report: each asset once for each hook and `extra`, with the number of reports."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._inputs: dict[str, tuple[Any, Any]] = {}
        self._outputs: dict[str, tuple[Any, Any]] = {}
        self._extra: dict[str, tuple[str, Any, Any]] = {}
        self._input_counts: dict[str, int] = {}
        self._output_counts: dict[str, int] = {}
        self._extra_counts: dict[str, int] = {}
        self._asset_factories: dict[str, Callable[..., Any]] = load_asset_factories()
        self._most_assets = current_config().integer("lineage", "max_assets_per_collector")
        self._most_extras = current_config().integer("lineage", "max_extras_per_collector")

    def create_asset(
        self,
        *,
        scheme: str | None = None,
        uri: str | None = None,
        name: str | None = None,
        group: str | None = None,
        asset_kwargs: dict[str, Any] | None = None,
        asset_extra: dict[str, Any] | None = None,
    ) -> Any:
        """Return the asset of that URI or name; else what the provider of `scheme` makes of `asset_kwargs`; None if there is neither."""
        if uri or name:
            arguments = {"uri": uri, "name": name, "group": group, "extra": asset_extra}
            return Asset(**{key: value for key, value in arguments.items() if value})  # type: ignore[arg-type]
        factory = self._asset_factories.get(scheme or "")
        if factory is None:
            log.debug(
                "an asset without URI and name is not collected: no provider makes assets of the scheme %r", scheme
            )
            return None
        try:
            return factory(**(asset_kwargs or {}), extra=asset_extra)
        except Exception as error:  # the edge of a provider package
            log.debug("an asset of the scheme %r is not collected: %s: %s", scheme, type(error).__name__, error)
            return None

    def add_input_asset(self, context: Any, *args: Any, **asset: Any) -> None:
        """Add the asset that the hook `context` reads. Arguments: see `create_asset`."""
        self._add_asset("inputs", self._inputs, self._input_counts, context, _name_arguments(args, asset))

    def add_output_asset(self, context: Any, *args: Any, **asset: Any) -> None:
        """Add the asset that the hook `context` writes. Arguments: see `create_asset`."""
        self._add_asset("outputs", self._outputs, self._output_counts, context, _name_arguments(args, asset))

    def add_extra(self, context: Any, key: str, value: Any) -> None:
        """Add another value that the hook `context` reports. An empty key or value is ignored."""
        if not key or not value or len(self._extra) >= self._most_extras:
            return
        entry = self._generate_extra_entry_id(key, value, context)
        self._extra.setdefault(entry, (key, value, context))
        self._count("extras", self._extra, self._extra_counts, entry, self._most_extras)

    create_dataset, add_input_dataset, add_output_dataset = create_asset, add_input_asset, add_output_asset

    @property
    def collected_assets(self) -> HookLineage:
        """What was reported so far."""
        return HookLineage(
            [
                AssetLineageInfo(asset, self._input_counts[entry], context)
                for entry, (asset, context) in self._inputs.items()
            ],
            [
                AssetLineageInfo(asset, self._output_counts[entry], context)
                for entry, (asset, context) in self._outputs.items()
            ],
            [
                ExtraLineageInfo(key, value, self._extra_counts[entry], context)
                for entry, (key, value, context) in self._extra.items()
            ],
        )

    @property
    def collected_datasets(self) -> HookLineage:
        """`collected_assets`, by its name of Airflow 2."""
        return self.collected_assets

    @property
    def has_collected(self) -> bool:
        """Whether anything was reported."""
        return bool(self._inputs or self._outputs or self._extra)

    def _add_asset(
        self,
        what: str,
        assets: dict[str, tuple[Any, Any]],
        counts: dict[str, int],
        context: Any,
        arguments: dict[str, Any],
    ) -> None:
        if len(assets) >= self._most_assets:
            return
        asset = self.create_asset(**arguments)
        if asset is not None:
            entry = self._generate_asset_entry_id(asset, context)
            assets.setdefault(entry, (asset, context))
            self._count(what, assets, counts, entry, self._most_assets)

    def _count(self, what: str, assets: dict[str, Any], counts: dict[str, int], entry: str, most: int) -> None:
        counts[entry] = counts.get(entry, 0) + 1
        if counts[entry] == 1 and len(assets) == most:
            log.warning(
                "The hooks of this task have reported %d %s; further ones are not collected ([lineage] max_..._per_collector).",
                most,
                what,
            )

    def _generate_asset_entry_id(self, asset: Any, context: Any) -> str:
        return f"{asset.uri}_{self._generate_hash(asset.extra)}_{id(context)}"

    def _generate_extra_entry_id(self, key: str, value: Any, context: Any) -> str:
        return f"{key}_{self._generate_hash(value)}_{id(context)}"

    @staticmethod
    def _generate_hash(value: Any) -> str:
        """A digest of the value as JSON; values that JSON has not count as their text."""
        return hashlib.md5(json.dumps(value, sort_keys=True, default=str).encode(), usedforsecurity=False).hexdigest()


class NoOpCollector(HookLineageCollector):
    """Collects nothing: no plugin reads lineage."""

    def add_input_asset(self, *_: Any, **__: Any) -> None:
        """No effect."""

    add_output_asset = add_extra = add_input_dataset = add_output_dataset = add_input_asset


class HookLineageReader:
    """Reads what the hooks of the task have reported; a plugin that lists it (`hook_lineage_readers`) has lineage collected."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.lineage_collector = get_hook_lineage_collector()

    def retrieve_hook_lineage(self) -> HookLineage:
        """What was reported so far."""
        return self.lineage_collector.collected_assets


@functools.cache
def get_hook_lineage_collector() -> HookLineageCollector:
    """The collector of this process: one that collects nothing where no plugin has `hook_lineage_readers`."""
    return HookLineageCollector() if any(_iterate_readers()) else NoOpCollector()


def forget_lineage() -> None:
    """Let the next call of `get_hook_lineage_collector` return a new collector: the next task starts in this process."""
    get_hook_lineage_collector.cache_clear()


def load_asset_factories() -> dict[str, Callable[..., Any]]:
    """By scheme of a URI: the function of an installed provider package that makes such an asset."""
    factories = {}
    for _, item in provider_packages.iter_provided("asset-uris"):
        path = item.get("factory")
        try:
            factories.update({scheme: provider_packages.import_attribute(path) for scheme in item["schemes"] if path})
        except Exception as error:  # the edge of a provider package
            log.info("%s is left out, because it cannot be imported: %s: %s", path, type(error).__name__, error)
    return factories


def _iterate_readers() -> Iterator[Any]:
    folder = os.path.abspath(current_config().plugins_folder)
    with unrecorded_reads():
        may_have = any(
            plugin_finder.is_plugin_file(file, b"hook_lineage_readers")
            for file in plugin_finder.list_python_files(folder)
        )
        if may_have or plugins.has_installed_plugins():
            for _, plugin in plugins.find_plugins():
                yield from getattr(plugin, "hook_lineage_readers", None) or ()


def _name_arguments(args: tuple[Any, ...], asset: dict[str, Any]) -> dict[str, Any]:
    names = ("scheme", "uri", "name", "group", "asset_kwargs", "asset_extra")
    for old, new in (("dataset_kwargs", "asset_kwargs"), ("dataset_extra", "asset_extra")):
        if old in asset:
            asset[new] = asset.pop(old)
    return {**dict(zip(names, args, strict=False)), **asset}
