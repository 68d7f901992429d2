"""`airflow.sdk.definitions.asset.metadata`."""

from gnomon.airflow_compat.missing import missing
from gnomon.sdk import Metadata

__all__ = ["Metadata"]
__getattr__ = missing(__name__)
