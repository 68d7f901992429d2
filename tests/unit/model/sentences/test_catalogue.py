"""Each code has words, each argument a kind; the source says each code, with exactly the arguments that its words name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import gnomon
from gnomon.model.sentences import say
from gnomon.model.sentences.catalogue import ARGUMENTS, TABLES, WORDS
from gnomon.model.sentences.templates import ArgumentKind, find_kind, find_template

PACKAGE = Path(gnomon.__file__).parent
CATALOGUE = PACKAGE / "model" / "sentences" / "catalogue"


def _trees() -> Iterator[tuple[str, ast.AST]]:
    for file in sorted(PACKAGE.rglob("*.py")):
        if CATALOGUE not in file.parents:
            text = file.read_text()
            if "gnomon.model.sentences" in text or "say_unchecked" in text:
                yield str(file.relative_to(PACKAGE)), ast.parse(text)


def _calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("say", "say_unchecked")
    )


def test_each_call_gives_the_arguments_that_the_words_name() -> None:
    faults = []
    for file, tree in _trees():
        for call in _calls(tree):
            code, given = call.args[0], {keyword.arg for keyword in call.keywords}
            if isinstance(code, ast.Constant) and None not in given:
                named = set(find_template(code.value).names) if code.value in WORDS else None
                faults += [f"{file}:{call.lineno} {code.value}"] if given != named else []
    assert faults == []


def test_each_code_is_said_somewhere() -> None:
    texts = {
        node.value
        for _, tree in _trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert set(WORDS) - texts == set()


def test_each_argument_has_one_kind_and_is_named() -> None:
    declared = [name for names in ARGUMENTS.values() for name in names]
    named = {name for code in WORDS for name in find_template(code).names}
    assert len(declared) == len(set(declared))
    assert set(declared) == named
    assert set(ARGUMENTS) == {kind.value for kind in ArgumentKind}
    assert find_kind("at") is ArgumentKind.INSTANT


def test_a_code_is_in_one_table() -> None:
    assert sum(map(len, TABLES)) == len(WORDS)


def test_two_codes_have_no_words_in_common() -> None:
    """A sentence that two modules say has one code. The words of an argument alone are those of somebody else."""
    by_words: dict[str, list[str]] = {}
    for code, words in WORDS.items():
        if isinstance(words, str) and any(part.literal for part in find_template(code).parts):
            by_words.setdefault(words, []).append(code)
    assert [codes for codes in by_words.values() if len(codes) > 1] == []


def test_a_sentence_without_words_or_with_other_arguments_cannot_be_made() -> None:
    with pytest.raises(KeyError):
        say("no_such_code")
    with pytest.raises(TypeError, match="dag_is_paused has the arguments dag, not pool"):
        say("dag_is_paused", pool="a")
