"""Where the lines of a log end and its groups begin, block by block. As a script: the same for the file that is the standard input (`log_scan_process.py`).

It imports little, because a process starts it for each long log.
"""

from __future__ import annotations

import json
import os
import sys

CHUNK_BYTES = 65_536
"""The index has the number of line ends before each chunk: 16 bytes for each 64 KiB of a log."""
BLOCK_CHUNKS = 16
"""Chunks that are read at once."""
MESSAGE_BLOCKS = 8
"""Blocks of one message of the script."""
GROUPS_MAX = 5_000
"""The most groups of a log that are kept."""
TITLE_BYTES = 200
TAIL_BYTES = 512
"""Of a line that goes on in the next block, the beginning is kept: a mark and its title."""
_BEGIN, _END = b"::group::", b"::endgroup::"
_NICE = 10
GroupMark = tuple[int, str | None]
"""A line and the title of the group that begins there; None: a group ends there."""


class LogScanner:
    """Counts the line ends of blocks that follow one another. `size`: bytes of all blocks. `tail`: the beginning of their last line while it has not ended.

    `line_start`: the byte at which that line begins.
    """

    def __init__(
        self,
        chunk_bytes: int,
        size: int = 0,
        line_ends: int = 0,
        groups: int = 0,
        line_start: int = 0,
        tail: bytes = b"",
    ) -> None:
        self.chunk_bytes = chunk_bytes
        self.size = size
        self.line_ends = line_ends
        self.groups = groups
        self.line_start = line_start
        self.tail = tail

    @property
    def block_bytes(self) -> int:
        """The length of the next block: it ends with a chunk."""
        return BLOCK_CHUNKS * self.chunk_bytes - self.size % self.chunk_bytes

    def add(self, block: bytes) -> tuple[list[int], list[GroupMark]]:
        """The line ends before the end of each chunk that ends in the block, and the marks in it."""
        marks = self._find_marks(block)
        ends: list[int] = []
        position = 0
        while position < len(block):
            room = self.chunk_bytes - (self.size + position) % self.chunk_bytes
            end = min(position + room, len(block))
            self.line_ends += block.count(b"\n", position, end)
            if end - position == room:
                ends.append(self.line_ends)
            position = end
        last = block.rfind(b"\n") + 1
        if last:
            self.line_start = self.size + last
        self.size += len(block)
        self.tail = (block[last:] if last else self.tail + block[:TAIL_BYTES])[:TAIL_BYTES]
        return ends, marks

    def _find_marks(self, block: bytes) -> list[GroupMark]:
        """The marks of groups in the lines that end in the block."""
        text = self.tail + block[: block.rfind(b"\n") + 1]
        marks: list[GroupMark] = []
        if len(text) == len(self.tail):
            return marks
        line, counted = self.line_ends, 0
        position = 0
        while self.groups < GROUPS_MAX:
            begin, end = text.find(_BEGIN, position), text.find(_END, position)
            mark_at = min((at for at in (begin, end) if at >= 0), default=-1)
            if mark_at < 0:
                break
            mark = _BEGIN if mark_at == begin else _END
            position = mark_at + len(mark)
            line += text.count(b"\n", counted, mark_at)
            counted = mark_at
            if not _begins_line(text, mark_at):
                continue
            if mark == _BEGIN:
                self.groups += 1
                marks.append(
                    (line, text[position : position + TITLE_BYTES].split(b"\n", 1)[0].decode(errors="replace").strip())
                )
            else:
                marks.append((line, None))
        return marks


def _begins_line(text: bytes, at: int) -> bool:
    """Whether only a time and a level stand before the mark in its line: a mark within a sentence is text."""
    begin = text.rfind(b"\n", 0, at) + 1
    before = text[begin:at].split()
    return at - begin <= 64 and (not before or (len(before) == 2 and before[1].isupper()))


def main(arguments: list[str]) -> None:
    """Scan standard input from a byte to another one, and write messages: a line of JSON each, as `read_message` in `log_scan_process.py` expects."""
    chunk_bytes, start, until, line_ends, groups, line_start = map(int, arguments)
    os.nice(_NICE)
    with open(0, "rb", buffering=0, closefd=False) as file:
        file.seek(line_start)
        scanner = LogScanner(
            chunk_bytes, start, line_ends, groups, line_start, file.read(min(start - line_start, TAIL_BYTES))
        )
        file.seek(start)
        while scanner.size < until:
            ends: list[int] = []
            marks: list[GroupMark] = []
            for _ in range(MESSAGE_BLOCKS):
                block = file.read(min(scanner.block_bytes, until - scanner.size))
                if not block:
                    until = scanner.size
                    break
                new_ends, new_marks = scanner.add(block)
                ends += new_ends
                marks += new_marks
            sys.stdout.write(
                json.dumps([scanner.size, scanner.line_ends, scanner.line_start, scanner.tail.hex(), ends, marks])
                + "\n"
            )
            sys.stdout.flush()


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except BrokenPipeError:  # the api-server has ended
        os._exit(0)
