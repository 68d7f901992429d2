"""`airflow.api_fastapi.auth.managers.models.resource_details`: what the package common.compat imports for its assets."""

from dataclasses import dataclass

from gnomon.airflow_compat.missing_names import make_getattr

__all__ = ["AssetAliasDetails", "AssetDetails"]


@dataclass
class AssetDetails:
    """The id of an asset whose permission is asked for."""

    id: str | None = None


@dataclass
class AssetAliasDetails:
    """The id of an asset alias whose permission is asked for."""

    id: str | None = None


__getattr__ = make_getattr(__name__)
