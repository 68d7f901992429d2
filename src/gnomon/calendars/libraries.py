"""Which libraries a stored calendar is worked out with: another release of one may know other days."""

from __future__ import annotations


def libraries(data: object) -> dict[str, str]:
    """Package to release, for what `Calendar.encode` gave; empty where the days themselves are stored."""
    if isinstance(data, list):
        return {name: release for part in data for name, release in libraries(part).items()}
    if not isinstance(data, dict):
        return {}
    if data.get("kind") == "country":
        from gnomon.calendars.country import library_version

        return {"holidays": library_version()}
    return {name: release for key in ("of", "less") for name, release in libraries(data.get(key)).items()}
