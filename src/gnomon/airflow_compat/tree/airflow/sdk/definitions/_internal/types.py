"""`airflow.sdk.definitions._internal.types`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk import ArgNotSet, NOTSET
from gnomon.authoring.sdk.arguments.notset import SET_DURING_EXECUTION, is_given as is_arg_set

__all__ = ["ArgNotSet", "NOTSET", "SET_DURING_EXECUTION", "is_arg_set"]
__getattr__ = make_getattr(__name__)
