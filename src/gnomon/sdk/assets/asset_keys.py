"""What identifies an asset or an alias: the keys of `iter_assets`, and of what hooks and listeners report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from gnomon.sdk.assets.asset import Asset, AssetAlias


class AssetUniqueKey(NamedTuple):
    """The name and the URI of an asset."""

    name: str
    uri: str

    @classmethod
    def from_asset(cls, asset: Asset) -> AssetUniqueKey:
        """Return the key of the asset."""
        return cls(asset.name, asset.uri)

    def to_asset(self) -> Asset:
        """Return an asset with that name and URI."""
        from gnomon.sdk.assets.asset import Asset  # that module imports this one

        return Asset(name=self.name, uri=self.uri)

    @staticmethod
    def from_profile(profile: Any) -> AssetUniqueKey:
        """Return the key of an object with `name` and `uri`, of which one may be empty. Raises ValueError when both are."""
        name, uri = profile.name or profile.uri, profile.uri or profile.name
        if not name:
            raise ValueError("name and uri cannot both be empty: give the asset a name or a uri")
        return AssetUniqueKey(name, uri)


class AssetAliasUniqueKey(NamedTuple):
    """The name of an alias."""

    name: str

    @classmethod
    def from_asset_alias(cls, asset_alias: AssetAlias) -> AssetAliasUniqueKey:
        """Return the key of the alias."""
        return cls(asset_alias.name)

    def to_asset_alias(self) -> AssetAlias:
        """Return an alias with that name."""
        from gnomon.sdk.assets.asset import AssetAlias

        return AssetAlias(self.name)
