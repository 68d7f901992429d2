"""Where a service's log goes and how it looks."""

from __future__ import annotations

import logging
import sys
from typing import TextIO

from gnomon.log.formats import JsonLines, Readable


def configure(service: str, level: str = "INFO", style: str = "auto", stream: TextIO | None = None) -> None:
    """The root logger writes to `stream` (stderr), as JSON lines, or readable when `style` says so.

    `style`: json, text, or auto (text on a terminal). Calling it again replaces what was set before,
    so that a forked service names itself.
    """
    target = stream if stream is not None else sys.stderr
    readable = style == "text" or (style == "auto" and target.isatty())
    handler = logging.StreamHandler(target)
    handler.setFormatter(Readable(service) if readable else JsonLines(service))
    root = logging.getLogger()
    for old in list(root.handlers):
        root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(level)
