"""Reads a secret that shall not be an argument of a command, where the list of processes and the history of the shell would show it."""

from __future__ import annotations

import sys

import click

from gnomon.model.errors.product import UserError
from gnomon.model.sentences import say


def read_secret(name: str, *, is_new: bool = False) -> str:
    """The secret: asked for without echo on a terminal, else the first line of standard input. Raises UserError when that is empty.

    `is_new`: a terminal asks twice, because a typing mistake would not be seen.
    """
    if sys.stdin.isatty():
        return str(click.prompt(name, hide_input=True, confirmation_prompt=is_new, err=True))
    text = sys.stdin.readline().rstrip("\r\n")
    if not text:
        raise UserError(say("secret_is_not_given", name=name if name.isupper() else name.lower()))
    return text
