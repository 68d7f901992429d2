"""From the watchers of assets to the plain data of the spec."""

from __future__ import annotations

from collections.abc import Iterable

from gnomon.authoring.sdk.arguments.code_location import format_location
from gnomon.authoring.sdk.assets.asset import Asset, AssetWatcher, BaseAsset
from gnomon.authoring.sdk.deferral.deferral_checks import (
    LoadClass,
    check_importable,
    check_trigger_kwargs,
    encode_kwargs,
    load_trigger_class,
)
from gnomon.authoring.sdk.deferral.triggers import BaseEventTrigger
from gnomon.model.asset_watchers import WatcherSpec, compute_identity
from gnomon.model.assets import AssetKey
from gnomon.model.errors.authoring import DeferralRefused
from gnomon.model.errors.error_text import describe_error


def build_watchers(values: Iterable[object], load_class: LoadClass, file: str) -> tuple[WatcherSpec, ...]:
    """Return the watchers of all assets among these values, sorted; equal ones once.

    Raises DeferralRefused, with the watcher, the asset and its line, for a trigger that a triggerer could not run.
    """
    watchers: dict[tuple[str, str, str, str], WatcherSpec] = {}
    for value in values:
        for _, asset in value.iter_assets() if isinstance(value, BaseAsset) else ():
            for watcher in asset.watchers:
                spec = _build_watcher(asset, watcher, load_class, file)
                watchers.setdefault((asset.name, asset.uri, spec.name, spec.identity), spec)
    return tuple(watchers[key] for key in sorted(watchers))


def _build_watcher(asset: Asset, watcher: AssetWatcher, load_class: LoadClass, file: str) -> WatcherSpec:
    of = f"Watcher {watcher.name!r} of asset {asset.name!r}{format_location(asset._location)}"
    trigger = watcher.trigger
    try:
        classpath, kwargs = trigger.serialize()
    except Exception as error:
        raise DeferralRefused(
            f"{of}: serialize() of {type(trigger).__name__} raised {describe_error(error)}"
        ) from error
    check_importable(type(trigger), file, of)
    cls = load_trigger_class(classpath, load_class, of)
    if not isinstance(
        trigger, BaseEventTrigger
    ):  # the class that serialize() names may be another, such as that of a message queue
        raise DeferralRefused(
            f"{of}: {type(trigger).__name__} is not derived from BaseEventTrigger, so it cannot watch an asset."
        )
    check_trigger_kwargs(cls, kwargs, classpath, of)
    text = encode_kwargs(dict(sorted(kwargs.items())), "the arguments of its trigger", of)
    place = None if asset._location is None else str(asset._location)
    return WatcherSpec(
        asset=AssetKey(asset.name, asset.uri),
        name=watcher.name,
        classpath=classpath,
        kwargs=text,
        identity=compute_identity(classpath, text),
        place=place,
    )
