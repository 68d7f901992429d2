"""The argument `depends_on`: its check, and its stored form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gnomon.model.after import After
    from gnomon.model.upstream_edges import DependencySpec


def as_dependencies(name: str, value: Any) -> tuple[After, ...]:
    """Return the dependencies, each once, with time zones by name. `value` is an After, a list of them, or None.

    Raises TypeError or ValueError, with what to write instead.
    """
    if value is None:
        return ()
    items = value if isinstance(value, list | tuple | set | frozenset) else (value,)
    return tuple(dict.fromkeys(_name_zone(_check_after(name, item)) for item in items))


def encode_dependencies(dependencies: tuple[After, ...]) -> tuple[DependencySpec, ...]:
    """Return the stored form of the dependencies, sorted, so that equal dependencies give the same version of the DAG.

    Of two dependencies that differ in `max_wait` alone, the one with the shorter wait comes first and is used.
    """
    if not dependencies:
        return ()
    import msgspec  # most DAGs and tasks wait for no other DAG

    from gnomon.model.upstream_edges import to_dependency_spec

    specs = [to_dependency_spec(after) for after in dependencies]
    return tuple(
        sorted(
            specs,
            key=lambda spec: (
                msgspec.json.encode(msgspec.structs.replace(spec, max_wait_s=None)),
                float("inf") if spec.max_wait_s is None else spec.max_wait_s,
            ),
        )
    )


def _check_after(name: str, value: Any) -> After:
    from gnomon.model.after import After  # loaded when a file names it, not with the first DAG

    if isinstance(value, After):
        return value
    remedy = f"After({value!r})" if isinstance(value, str) and value else "After('dag_id')"
    raise TypeError(
        f"{name} takes After(...) or a list of them, not {value!r} ({type(value).__name__}); "
        f"write {name}=[{remedy}], with `from gnomon import After`"
    )


def _name_zone(after: After) -> After:
    """Return the same dependency with the name of its time zone."""
    if after.zone is None:
        return after
    from dataclasses import replace  # few dependencies name a zone

    from gnomon.model.errors.timetable import AirflowTimetableInvalid
    from gnomon.rules.timetables.wall_clock.zones import encode_zone, zone_of

    try:
        zone = encode_zone(zone_of(after.zone))
    except AirflowTimetableInvalid as error:
        raise ValueError(f"After({after.dag_id!r}, zone={after.zone!r}): {error}") from None
    if not isinstance(zone, str):
        raise ValueError(
            f"After({after.dag_id!r}, zone={after.zone!r}): the time zone has no name; write one such as 'Europe/Berlin'"
        )
    return replace(after, zone=zone)
