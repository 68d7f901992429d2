"""What `depends_on=` takes, and how it is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gnomon.model.after import After
    from gnomon.model.upstream_edges import AfterSpec


def as_dependencies(name: str, value: Any) -> tuple[After, ...]:
    """One After, or a list of them: each once, time zones by name. TypeError or ValueError says what to write instead."""
    if value is None:
        return ()
    several = value if isinstance(value, list | tuple | set | frozenset) else (value,)
    return tuple(dict.fromkeys(_name_zone(_check_after(name, one)) for one in several))


def encode_dependencies(several: tuple[After, ...]) -> tuple[AfterSpec, ...]:
    """The dependencies as they are stored, in an order of their own: the same ones give the same version of the DAG.

    Of two that differ in `max_wait` alone the shorter wait comes first, and counts.
    """
    if not several:
        return ()
    import msgspec  # most DAGs and tasks wait for no other DAG

    from gnomon.model.upstream_edges import to_after_spec

    specs = [to_after_spec(after) for after in several]
    return tuple(sorted(specs, key=lambda spec: (
        msgspec.json.encode(msgspec.structs.replace(spec, max_wait_s=None)),
        float("inf") if spec.max_wait_s is None else spec.max_wait_s,
    )))


def _check_after(name: str, one: Any) -> After:
    from gnomon.model.after import After  # loaded when a file names it, not with the first DAG

    if isinstance(one, After):
        return one
    remedy = f"After({one!r})" if isinstance(one, str) and one else "After('dag_id')"
    raise TypeError(
        f"{name} takes After(...) or a list of them, not {one!r} ({type(one).__name__}); "
        f"write {name}=[{remedy}], with `from gnomon import After`"
    )


def _name_zone(after: After) -> After:
    """The same dependency with its time zone by name."""
    if after.zone is None:
        return after
    from dataclasses import replace  # few dependencies name a zone

    from gnomon.errors.timetable import AirflowTimetableInvalid
    from gnomon.timetables.wall_clock.zones import encode_zone, zone_of

    try:
        zone = encode_zone(zone_of(after.zone))
    except AirflowTimetableInvalid as error:
        raise ValueError(f"After({after.dag_id!r}, zone={after.zone!r}): {error}") from None
    if not isinstance(zone, str):
        raise ValueError(
            f"After({after.dag_id!r}, zone={after.zone!r}): the time zone has no name; write one such as 'Europe/Berlin'"
        )
    return replace(after, zone=zone)
