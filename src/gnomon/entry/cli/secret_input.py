"""Reads a secret that shall not be an argument of a command, where the list of processes and the history of the shell would show it."""

from __future__ import annotations

import sys

import click

from gnomon.model.errors.product import UserError


def read_secret(name: str, *, is_new: bool = False) -> str:
    """The secret: asked for without echo on a terminal, else the first line of standard input. Raises UserError when that is empty.

    `is_new`: a terminal asks twice, because a typing mistake would not be seen.
    """
    if sys.stdin.isatty():
        return str(click.prompt(name, hide_input=True, confirmation_prompt=is_new, err=True))
    text = sys.stdin.readline().rstrip("\r\n")
    if not text:
        raise UserError(
            f"standard input has no line with the {name if name.isupper() else name.lower()}; write it there, or give it as an argument"
        )
    return text
