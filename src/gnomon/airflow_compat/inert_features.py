"""Features of Airflow without effect: lineage (nothing is collected) and operator links (not shown)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple


class HookLineage(NamedTuple):
    """The collected lineage of a task's hooks: always empty."""

    inputs: tuple[Any, ...] = ()
    outputs: tuple[Any, ...] = ()
    extra: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class AssetLineageInfo:
    """An asset and the number of times that a hook reported it."""

    asset: Any
    count: int
    context: Any


class HookLineageCollector:
    """Accepts the assets that hooks read and write, and keeps none of them."""

    _extra: ClassVar[dict[str, Any]] = {}  # provider packages for older releases of Airflow look for this attribute

    def create_asset(self, *args: Any, **kwargs: Any) -> None:
        """No effect."""

    def add_input_asset(self, *args: Any, **kwargs: Any) -> None:
        """No effect."""

    add_output_asset = add_extra = add_input_asset
    create_dataset, add_input_dataset, add_output_dataset = create_asset, add_input_asset, add_input_asset

    @property
    def collected_assets(self) -> HookLineage:
        """Always empty."""
        return HookLineage()

    collected_datasets = collected_assets

    @property
    def has_collected(self) -> bool:
        """Always False."""
        return False


class HookLineageReader:
    """Base class of lineage readers."""

    def __init__(self) -> None:
        self.lineage_collector = get_hook_lineage_collector()


_collector = HookLineageCollector()


def get_hook_lineage_collector() -> HookLineageCollector:
    """The collector of this process."""
    return _collector


class BaseOperatorLink:
    """Base class of operator links: a name and the URL for a task instance."""

    name: ClassVar[str] = ""
    operators: ClassVar[list[type]] = []

    @property
    def xcom_key(self) -> str:
        """The key of the XCom with the URL."""
        return f"_link_{type(self).__name__}"

    def get_link(self, operator: Any, *, ti_key: Any) -> str:
        """The URL for a task instance; subclasses override this method."""
        return ""

