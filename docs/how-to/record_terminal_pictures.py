"""Records the terminal pictures of `command-line.md` from real runs: `python docs/how-to/record_terminal_pictures.py HOME`.

HOME is the home of a running `gnomon standalone` with a DAG `nightly_load` that has runs, one of them failed. Each command runs on a pseudo terminal of
`WIDTH` columns; its last screen becomes an SVG file in `pictures`.
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

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

PICTURES = Path(__file__).parent / "pictures"
HEIGHT = 30
COMMANDS = {
    "top": (["top"], 100, "q", HEIGHT),
    "runs-list": (["runs", "list", "--since", "today", "--limit", "8"], 100, "", HEIGHT),
    "grid": (["grid", "nightly_load"], 100, "", HEIGHT),
    "tasks-logs": (["tasks", "logs", "nightly_load"], 100, "", 20),
}
"""File name to the words, the width, the keys that are pressed after some seconds, and the most lines. `tasks logs` gets the newest failed run."""
_RUN_S = 20.0
_LIVE_S = 6.0
_MOVES = re.compile(r"\x1b\[(?:\?\d+[hl]|[HJK]|\d*;?\d*H)")
_FONTS = re.compile(r"\n    @font-face \{.*?\n    \}", re.DOTALL)
"""Fonts that rich would have the reader's browser load from another host."""


def main(home: str) -> None:
    """Record every picture."""
    for name, (words, width, keys, height) in COMMANDS.items():
        extra = [_find_failed_run(home)] if name == "tasks-logs" else []
        text = _run_on_terminal(["gnomon", *words, *extra], home, width, keys)
        screen = text.rpartition("\x1b[H")[2] if keys else text
        lines = _MOVES.sub("", screen).replace("\r", "").rstrip("\n").split("\n")[:height]
        console = Console(record=True, width=width, file=open(os.devnull, "w"), force_terminal=True, color_system="standard")  # noqa: SIM115
        console.print(Text.from_ansi("\n".join(lines)))
        picture = console.export_svg(title=" ".join(["gnomon", *words]), theme=MONOKAI)
        (PICTURES / f"{name}.svg").write_text(_FONTS.sub("", picture))


def _find_failed_run(home: str) -> str:
    text = _run_on_terminal(["gnomon", "runs", "list", "nightly_load", "--state", "failed", "--limit", "1", "-o", "json"], home, 200, "")
    found = re.search(r'"run_id": "([^"]+)"', text)
    if found is None:
        raise SystemExit("DAG nightly_load has no failed run yet; wait for one")
    return found[1]


def _run_on_terminal(words: list[str], home: str, width: int, keys: str) -> str:
    """What the terminal received."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvpe(words[0], words, {**os.environ, "GNOMON_HOME": home, "TERM": "xterm-256color", "COLUMNS": str(width), "LINES": str(HEIGHT)})
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
    main(sys.argv[1])
