"""`airflow.sensors.base`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk import BaseSensorOperator, PokeReturnValue, poke_mode_only

__all__ = ["BaseSensorOperator", "PokeReturnValue", "poke_mode_only"]
__getattr__ = make_getattr(__name__)
