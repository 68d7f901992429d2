"""`airflow.utils.strings`."""

import random as _random
import string as _string

from gnomon.airflow_compat.missing_names import make_getattr

__all__ = ["get_random_string", "to_boolean"]


def get_random_string(length=8, choices=_string.ascii_letters + _string.digits):
    """So many random characters."""
    return "".join(_random.choices(choices, k=length))


def to_boolean(astring):
    """Whether the text means yes."""
    return astring is not None and astring.strip().lower() in ("true", "t", "1", "yes", "y", "on")


__getattr__ = make_getattr(__name__)
