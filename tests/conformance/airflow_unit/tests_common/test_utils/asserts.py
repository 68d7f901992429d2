"""Comparisons of texts."""


def assert_equal_ignore_multiple_spaces(first: str, second: str, msg: str | None = None) -> None:
    """The texts have the same words."""
    assert first.split() == second.split(), msg
