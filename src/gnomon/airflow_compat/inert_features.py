"""Lineage: words with which hooks tell what they read and wrote. Nothing is collected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple


class HookLineage(NamedTuple):
    """What was told of the hooks of a task: nothing."""

    inputs: tuple[Any, ...] = ()
    outputs: tuple[Any, ...] = ()
    extra: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class AssetLineageInfo:
    """How often a hook told of an asset."""

    asset: Any
    count: int
    context: Any


class HookLineageCollector:
    """Hooks tell it what they read and wrote; it keeps nothing."""

    _extra: ClassVar[dict[str, Any]] = {}  # packages that carry the method `add_extra` for older releases look for it

    def create_asset(self, *args: Any, **kwargs: Any) -> None:
        """No asset is made."""

    def add_input_asset(self, *args: Any, **kwargs: Any) -> None:
        """It is not kept."""

    add_output_asset = add_extra = add_input_asset
    create_dataset, add_input_dataset, add_output_dataset = create_asset, add_input_asset, add_input_asset

    @property
    def collected_assets(self) -> HookLineage:
        """Nothing."""
        return HookLineage()

    collected_datasets = collected_assets

    @property
    def has_collected(self) -> bool:
        """False."""
        return False


class HookLineageReader:
    """Base of those who would read what was collected."""

    def __init__(self) -> None:
        self.lineage_collector = get_hook_lineage_collector()


_collector = HookLineageCollector()


def get_hook_lineage_collector() -> HookLineageCollector:
    """The one that hooks tell."""
    return _collector


class BaseOperatorLink:
    """Base of operator links: a name and where it leads."""

    name: ClassVar[str] = ""
    operators: ClassVar[list[type]] = []

    @property
    def xcom_key(self) -> str:
        """The key under which a task pushes the address."""
        return f"_link_{type(self).__name__}"

    def get_link(self, operator: Any, *, ti_key: Any) -> str:
        """The address for one task instance; subclasses write it."""
        return ""


SENSITIVE = (
    "access_token", "api_key", "apikey", "authorization", "passphrase", "passwd", "password", "private_key", "secret", "token",
)
HIDDEN = "***"


def mask_secret(secret: Any, name: str | None = None) -> None:
    """Nothing happens yet: logs show what tasks print."""


def redact(value: Any, name: str | None = None) -> Any:
    """The value with whatever stands under a sensitive name replaced by ***, at any depth."""
    if name is not None and value and any(word in name.lower() for word in SENSITIVE):
        return HIDDEN
    if isinstance(value, Mapping):
        return {key: redact(item, str(key)) for key, item in value.items()}
    if isinstance(value, list | tuple | set):
        return type(value)(redact(item) for item in value)
    return value
