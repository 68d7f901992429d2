"""The schedule by partitions of assets, and its mappers as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from gnomon.authoring.sdk.arguments.code_location import find_author_location, format_location
from gnomon.authoring.sdk.assets.asset import BaseAsset
from gnomon.authoring.sdk.assets.asset_plain_data import to_condition, to_leaf
from gnomon.authoring.sdk.assets.asset_schedules import AssetTriggeredTimetable, iter_parts
from gnomon.authoring.sdk.assets.author_mappers import MapperRefused, build_rule
from gnomon.model.assets import AliasKey, AssetKey, AssetLeaf, AssetRefKey, PartitionRule
from gnomon.model.errors.authoring import AirflowTimetableInvalid
from gnomon.rules.assets.conditions import iter_leaves
from gnomon.rules.partitions.key_mappers import IdentityMapper, PartitionMapper

if TYPE_CHECKING:
    from gnomon.model.sentences import Sentence


class PartitionedAssetTimetable(AssetTriggeredTimetable):
    """Has no slots: asset events with partition keys create the runs, one for each key to which the mappers lead.

    `partition_mapper_config` gives an asset, a reference or a combination a mapper of its own; the others have `default_partition_mapper`.
    """

    partitioned = True

    def __init__(
        self,
        *,
        assets: Any,
        partition_mapper_config: Mapping[Any, PartitionMapper] | None = None,
        default_partition_mapper: PartitionMapper | None = None,
    ) -> None:
        super().__init__(assets)
        self._location = find_author_location()
        self.partition_mapper_config = dict(partition_mapper_config or {})
        self.default_partition_mapper = (
            default_partition_mapper if default_partition_mapper is not None else IdentityMapper()
        )
        for mapper in (self.default_partition_mapper, *self.partition_mapper_config.values()):
            if not isinstance(mapper, PartitionMapper):
                self._refuse(
                    f"takes a partition mapper, not {mapper!r} ({type(mapper).__name__}). Write for example StartOfDayMapper()."
                )
        self._by_name: dict[str, PartitionMapper] = {}
        self._by_uri: dict[str, PartitionMapper] = {}
        for asset, mapper in self.partition_mapper_config.items():
            self._configure(asset, mapper)

    def summarize(self) -> Sentence:
        from gnomon.model.sentences import say

        return say("partitioned_asset")

    def get_partition_mapper(self, *, name: str = "", uri: str = "") -> PartitionMapper:
        """Return the mapper of the asset with that name, or else that uri."""
        mapper = self._by_name.get(name) if name else None
        if mapper is None and uri:
            mapper = self._by_uri.get(uri)
        return self.default_partition_mapper if mapper is None else mapper

    def build_rules(self) -> tuple[PartitionRule, ...]:
        """Return the mapper of each part of the condition.

        Raises AirflowTimetableInvalid for an alias, and for a class of an author that other processes could not use.
        """
        rules = []
        for leaf in iter_leaves(to_condition(self.asset_condition)):
            if isinstance(leaf, AliasKey):
                self._refuse(
                    f"cannot wait for the alias {leaf.name!r}: events of an alias have no partition of their own. Name the assets."
                )
            try:
                rules.append(build_rule(leaf, self.get_partition_mapper(name=leaf.name or "", uri=leaf.uri or "")))
            except MapperRefused as refused:
                self._refuse(str(refused))
        return tuple(rules)

    def _configure(self, asset: Any, mapper: PartitionMapper) -> None:
        if not isinstance(asset, BaseAsset):
            self._refuse(f"takes assets as keys of partition_mapper_config, not {asset!r} ({type(asset).__name__}).")
        for part in iter_parts(asset):
            leaf: AssetLeaf | None = to_leaf(part)
            if isinstance(leaf, AssetKey | AssetRefKey):
                if leaf.name:
                    self._by_name[leaf.name] = mapper
                if leaf.uri:
                    self._by_uri[leaf.uri] = mapper

    def _refuse(self, why: str) -> NoReturn:
        raise AirflowTimetableInvalid(f"PartitionedAssetTimetable{format_location(self._location)} {why}")
