"""Where modules have gone whose paths were stored: a deferred task keeps the path of its trigger's class until it continues.

A package is listed when objects of its classes are stored by path and it has moved. Only paths of modules are translated: a name of a public
module, such as `gnomon.timetables.Daily`, is found where it was.
"""

from __future__ import annotations

_MOVED = {
    "operators": "authoring.operators",
    "sdk": "authoring.sdk",
    "timetables": "rules.timetables",
    "calendars": "rules.calendars",
    "partitions": "rules.partitions",
    "errors": "model.errors",
}


def find_present_path(path: str) -> str:
    """The path under which a class is found now; paths that are not of a module that has moved stay as they are."""
    root, *names = path.split(".")
    if root != "gnomon" or len(names) < 3 or not names[1].islower():
        return path
    return ".".join((root, _MOVED.get(names[0], names[0]), *names[1:]))
