"""`airflow.utils.yaml`: the safe functions of PyYAML."""

from yaml import YAMLError, safe_load

from gnomon.airflow_compat.missing_names import make_getattr

__all__ = ["YAMLError", "dump", "safe_load"]


def dump(data, **kwargs):
    """The data as YAML text."""
    from yaml import safe_dump  # slow to import

    return safe_dump(data, **kwargs)


__getattr__ = make_getattr(__name__)
