"""Each number on the command line that is none, or is outside of its range, is refused with the name, the value and the range."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

from gnomon.entry.cli.commands import root
from gnomon.entry.cli.integer_range import IntegerRange

pytestmark = pytest.mark.pure


def list_parameters(command: click.Command, path: str) -> Iterator[tuple[str, click.Parameter]]:
    """All parameters of the command and of those below it, each with the path of its command."""
    yield from ((path, parameter) for parameter in command.params)
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from list_parameters(below, f"{path} {name}")


PARAMETERS = list(list_parameters(root, "gnomon"))
NUMBERS = [(path, parameter) for path, parameter in PARAMETERS if isinstance(parameter.type, IntegerRange)]


def test_every_number_has_a_range() -> None:
    assert len(NUMBERS) >= 25
    others = click.types.IntParamType, click.types.FloatParamType
    assert [
        (path, parameter.name)
        for path, parameter in PARAMETERS
        if isinstance(parameter.type, others) and not _has_range(parameter.type)
    ] == []


def _has_range(kind: click.ParamType) -> bool:
    is_share = isinstance(kind, click.FloatRange) and kind.min is not None and kind.max is not None
    return isinstance(kind, IntegerRange) or is_share


@pytest.mark.parametrize(
    ("path", "parameter"), NUMBERS, ids=[f"{path} {parameter.name}" for path, parameter in NUMBERS]
)
def test_what_is_no_such_number_is_refused_with_its_name_its_value_and_its_range(
    path: str, parameter: click.Parameter
) -> None:
    context, kind = click.Context(click.Command(path)), parameter.type
    assert isinstance(kind, IntegerRange) and isinstance(kind.min, int) and isinstance(kind.max, int)
    for value in ("x", "", "1.5", "1e3", str(kind.max + 1), str(kind.min - 1), "9" * 5000):
        with pytest.raises(click.BadParameter) as caught:
            parameter.type_cast_value(context, [value] if parameter.multiple or parameter.nargs != 1 else value)
        name = (
            parameter.opts[-1]
            if isinstance(parameter, click.Option)
            else parameter.make_metavar(context).rstrip(".").strip("[]{}")
        )
        message = caught.value.format_message()
        assert (
            f"{value!r} is not an integer from {kind.min} to {kind.max}" in message and name.split("...")[0] in message
        ), message
    for number in (kind.min, kind.max):
        assert kind.convert(str(number), parameter, context) == number
