"""`airflow.sdk.bases.sensor`."""

from gnomon.airflow_compat.missing import missing
from gnomon.sdk import BaseSensorOperator, PokeReturnValue, poke_mode_only

__all__ = ["BaseSensorOperator", "PokeReturnValue", "poke_mode_only"]
__getattr__ = missing(__name__)
