"""`airflow.models.expandinput`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.mapping.expand_input import (
    EXPAND_INPUT_EMPTY,
    DictOfListsExpandInput,
    ExpandInput,
    ListOfDictsExpandInput,
    MappedArgument,
    is_mappable,
)
from gnomon.authoring.sdk.mapping.mapped_operator import NotFullyPopulated

__all__ = [
    "EXPAND_INPUT_EMPTY",
    "DictOfListsExpandInput",
    "ExpandInput",
    "ListOfDictsExpandInput",
    "MappedArgument",
    "NotFullyPopulated",
    "is_mappable",
]
__getattr__ = make_getattr(__name__)
