"""`airflow.sdk.definitions._internal.expandinput`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.mapping.expand_input import (
    EXPAND_INPUT_EMPTY,
    DictOfListsExpandInput,
    ExpandInput,
    ListOfDictsExpandInput,
    MappedArgument,
    is_mappable,
)
from gnomon.authoring.sdk.mapping.mapped_operator import NotFullyPopulated as _NotFullyPopulated

__all__ = [
    "EXPAND_INPUT_EMPTY",
    "DictOfListsExpandInput",
    "ExpandInput",
    "ListOfDictsExpandInput",
    "MappedArgument",
    "is_mappable",
]
__getattr__ = make_getattr(__name__)
