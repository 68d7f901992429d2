"""Records the terminal pictures of `command-line.md` and other pages from real runs: `python docs/how-to/record_terminal_pictures.py HOME [NAME...]`.

HOME is the home of a running `gnomon standalone` with a DAG `nightly_load` that has runs, one of them failed, connections, and a rule of alerts. Each command runs on a
pseudo terminal of 80 columns, some on one of 200 too (`NAME.wide`); its last screen becomes an SVG file in `pictures` for a dark page and one for a light page.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))  # terminal_picture is in docs

import terminal_picture

PICTURES = Path(__file__).parent / "pictures"
HEIGHT = 30
NARROW, WIDE = 80, 200


class Recording(NamedTuple):
    """A command, the keys that are pressed after some seconds, and what of its output is shown. RUN, FAILED and DAGS in the words are replaced."""

    words: str
    keys: str = ""
    lines: int = HEIGHT
    """The most lines of the picture."""
    is_wide: bool = False
    """It also has a picture of 200 columns."""


COMMANDS = {
    "runs-list": Recording("runs list --since today --limit 8", is_wide=True),
    "grid": Recording("grid nightly_load"),
    "top": Recording("top", keys="q", is_wide=True),
    "tasks-logs": Recording("tasks logs nightly_load FAILED --follow", lines=22),
    "explain": Recording("explain nightly_load FAILED report"),
    "dags-list": Recording("dags list", is_wide=True),
    "migrate-check": Recording("migrate check DAGS --notes"),
    "connections-list": Recording("connections list"),
    "xcom-list": Recording("xcom list nightly_load RUN"),
    "alerts-list": Recording("alerts list --limit 5"),
    "doctor": Recording("doctor", lines=40),
}
"""By file name."""
THEMES = {"light": terminal_picture.LIGHT, "dark": terminal_picture.DARK}
_RUN_S = 20.0
_LIVE_S = 6.0
_MOVES = re.compile(r"\x1b\[(?:\?\d+[hl]|[HJK]|\d*;?\d*H)")


def main(home: str, names: list[str]) -> None:
    """Record the pictures, or those with these names."""
    values = {"FAILED": _find_run(home, "failed"), "RUN": _find_run(home, "success"), "DAGS": str(Path(home) / "dags")}
    for name, recording in COMMANDS.items():
        if names and name not in names:
            continue
        words = ["gnomon", *(values.get(word, word) for word in recording.words.split())]
        shown = " ".join(os.path.basename(word) if word == values["DAGS"] else word for word in words)
        for width, suffix in ((NARROW, ""), (WIDE, ".wide")) if recording.is_wide else ((NARROW, ""),):
            text = (
                _run_on_terminal(words, home, width, recording.keys)
                .replace(f"{Path(home)}/", "/srv/gnomon/")
                .replace(str(Path(home)), "/srv/gnomon")
            )
            screen = text.rpartition("\x1b[H")[2] if recording.keys else text
            output = "\n".join(_MOVES.sub("", screen).replace("\r", "").rstrip("\n").split("\n")[: recording.lines])
            for theme_name, theme in THEMES.items():
                picture = terminal_picture.picture(
                    shown, terminal_picture.command_lines(shown, output, width), theme, width
                )
                (PICTURES / f"{name}{suffix}.{theme_name}.svg").write_text(picture)


def _find_run(home: str, state: str) -> str:
    text = _run_on_terminal(
        ["gnomon", "runs", "list", "nightly_load", "--state", state, "--limit", "1", "-o", "json"], home, WIDE, ""
    )
    found = re.search(r'"run_id": "([^"]+)"', text)
    if found is None:
        raise SystemExit(f"DAG nightly_load has no run in state {state} yet; wait for one")
    return found[1]


def _run_on_terminal(words: list[str], home: str, width: int, keys: str) -> str:
    """What the terminal received."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvpe(
            words[0],
            words,
            {**os.environ, "GNOMON_HOME": home, "TERM": "xterm-256color", "COLUMNS": str(width), "LINES": str(HEIGHT)},
        )
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", HEIGHT, width, 0, 0))
    received, until = b"", time.monotonic() + (_LIVE_S if keys else _RUN_S)
    while True:
        ready, _, _ = select.select([terminal], [], [], 0.2)
        try:
            data = os.read(terminal, 65536) if ready else None
        except OSError:
            break  # the command has ended
        received += data or b""
        if data == b"":
            break
        if time.monotonic() > until:
            if not keys:
                break
            os.write(terminal, keys.encode())
            keys, until = "", until + _RUN_S
    os.waitpid(pid, 0)
    return received.decode().partition("\x1b[?1049l")[0].replace("\x1b[?25h", "")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
