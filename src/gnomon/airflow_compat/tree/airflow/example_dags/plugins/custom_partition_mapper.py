"""`airflow.example_dags.plugins.custom_partition_mapper`: keys without their prefix, in code of our own."""

from airflow.partition_mappers.base import PartitionMapper
from airflow.plugins_manager import AirflowPlugin

from gnomon.airflow_compat.missing_names import make_getattr

__all__ = ["PrefixStripMapper", "PrefixStripMapperPlugin"]


class PrefixStripMapper(PartitionMapper):
    """Removes `prefix` and `separator` from the front of a key; a key without them stays as it is."""

    def __init__(self, prefix, *, separator="::", max_downstream_keys=None):
        super().__init__(max_downstream_keys=max_downstream_keys)
        if not prefix:
            raise ValueError("PrefixStripMapper needs a prefix that is not empty")
        self.prefix = prefix
        self.separator = separator

    def to_downstream(self, key):
        """The key without the prefix."""
        return key.removeprefix(self.prefix + self.separator)

    def serialize(self):
        """The arguments."""
        arguments = {
            "prefix": self.prefix,
            "separator": self.separator,
            "max_downstream_keys": self.max_downstream_keys,
        }
        return {name: value for name, value in arguments.items() if value is not None}

    @classmethod
    def deserialize(cls, data):
        """The mapper with these arguments."""
        return cls(
            data["prefix"], separator=data.get("separator", "::"), max_downstream_keys=data.get("max_downstream_keys")
        )


class PrefixStripMapperPlugin(AirflowPlugin):
    """Registers the mapper."""

    name = "prefix_strip_mapper_plugin"
    partition_mappers = [PrefixStripMapper]


__getattr__ = make_getattr(__name__)
