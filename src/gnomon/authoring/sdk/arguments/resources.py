"""The argument `resources` of a task, and the classes of `airflow.sdk.definitions.operator_resources`.

Gnomon places no task by its resources: the argument is checked, and the DAG gets a warning.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gnomon.authoring.sdk.arguments import option_defaults

MB = 1
GB = 1024 * MB
TB = 1024 * GB
PB = 1024 * TB
EB = 1024 * PB


class Resource:
    """An amount `qty` of one resource, 0 or more; `units_str` is its unit. Raises ValueError for a negative amount."""

    def __init__(self, name: str, units_str: str, qty: float) -> None:
        if qty < 0:
            raise ValueError(f"the resource {name} must have an amount of 0 or more, not {qty}")
        self.name = name
        self.units_str = units_str
        self.qty = qty

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.name, self.qty, self.units_str))

    def __repr__(self) -> str:
        return f"{self.qty} {self.units_str}"

    def to_dict(self) -> dict[str, Any]:
        """Return name, qty and units_str."""
        return {"name": self.name, "qty": self.qty, "units_str": self.units_str}


class CpuResource(Resource):
    """An amount of processors."""

    def __init__(self, qty: float) -> None:
        super().__init__("CPU", "core(s)", qty)


class RamResource(Resource):
    """An amount of memory, in megabytes."""

    def __init__(self, qty: float) -> None:
        super().__init__("RAM", "MB", qty)


class DiskResource(Resource):
    """An amount of disk space, in megabytes."""

    def __init__(self, qty: float) -> None:
        super().__init__("Disk", "MB", qty)


class GpuResource(Resource):
    """An amount of graphics processors."""

    def __init__(self, qty: float) -> None:
        super().__init__("GPU", "gpu(s)", qty)


class Resources:
    """The resources of a task; an amount that is not given is that of `[operators] default_cpus`, `default_ram`, ..."""

    def __init__(
        self, cpus: float | None = None, ram: float | None = None, disk: float | None = None, gpus: float | None = None
    ) -> None:
        self.cpus = CpuResource(_amount(cpus, "default_cpus"))
        self.ram = RamResource(_amount(ram, "default_ram"))
        self.disk = DiskResource(_amount(disk, "default_disk"))
        self.gpus = GpuResource(_amount(gpus, "default_gpus"))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Resources) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash(tuple(self.__dict__.values()))

    def __repr__(self) -> str:
        return f"Resources({', '.join(f'{name}={value!r}' for name, value in self.__dict__.items())})"

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Return the resources by argument name, each as `Resource.to_dict`."""
        return {name: value.to_dict() for name, value in self.__dict__.items()}

    @classmethod
    def from_dict(cls, resources_dict: Mapping[str, Mapping[str, Any]]) -> Resources:
        """Return the resources that `to_dict` wrote."""
        return cls(**{name: resources_dict[name]["qty"] for name in ("cpus", "ram", "disk", "gpus")})


def as_resources(name: str, value: Any) -> Resources | None:
    """Return the resources of a dict such as {"cpus": 2}. Raises TypeError for another value and for an unknown resource."""
    if value is None or isinstance(value, Resources):
        return value
    if not isinstance(value, Mapping) or set(value) - {"cpus", "ram", "disk", "gpus"}:
        raise TypeError(f"{name} must be a dict with some of cpus, ram, disk and gpus, not {value!r}")
    return Resources(**value)


def _amount(amount: float | None, option: str) -> float:
    return option_defaults.read_number("operators", option) if amount is None else amount
