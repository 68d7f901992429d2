"""Each refusal for users is a sentence of the catalogue: its words stand there and not where it is raised."""

from __future__ import annotations

import ast
import gc
from pathlib import Path

import pytest

import gnomon

pytestmark = pytest.mark.pure
PACKAGE = Path(gnomon.__file__).parent
BASES = {"GnomonError", "Refusal", "AccessRefused", "NoPlace"}
"""The roots of the classes of refusals: of commands and services, and of the API."""
API = PACKAGE / "api"
ANSWERS = {"HTTPException", "JSONResponse"}
"""Classes with which a module of the API could answer an error without a sentence."""
MAKERS_OF_ANSWERS = {"refusals.py": ANSWERS, "app.py": {"JSONResponse"}, "openapi_document.py": {"JSONResponse"}}
"""By file: those that it makes: the answer of an error, the health, and the document."""
OTHERS = {"InternalError": "says what to report to the authors of Gnomon"}
"""Classes whose texts the catalogue does not have, each with the reason. The list may only become shorter."""
SIMULATION = PACKAGE / "entry" / "simulate"
"""Its errors are read by tests only."""


Nodes = list[tuple[Path, list[ast.ClassDef | ast.Call]]]
"""By file."""


def _trees(folder: Path) -> list[tuple[Path, ast.Module]]:
    """Those of its files. The collection of garbage, which looks at all of them again and again, takes twice as long as the rest."""
    gc.disable()
    try:
        return [
            (file, ast.parse(file.read_text()))
            for file in sorted(folder.rglob("*.py"))
            if SIMULATION not in file.parents
        ]
    finally:
        gc.enable()


def _find_nodes(trees: list[tuple[Path, ast.Module]]) -> Nodes:
    """The classes and calls of the files; all else of them is looked at once."""
    return [
        (file, [node for node in ast.walk(tree) if isinstance(node, (ast.ClassDef, ast.Call))]) for file, tree in trees
    ]


def _list_refusals(nodes: Nodes) -> set[str]:
    """The names of the classes of refusals: those below BASES."""
    bases = {
        node.name: {base.id for base in node.bases if isinstance(base, ast.Name)}
        for _, of_file in nodes
        for node in of_file
        if isinstance(node, ast.ClassDef)
    }
    found: set[str] = set(BASES)
    while grown := {name for name, of in bases.items() if of & found} - found:
        found |= grown
    return found


def _has_words(message: ast.expr) -> bool:
    """Whether the expression makes a text of words here."""
    if isinstance(message, ast.Constant):
        return isinstance(message.value, str) and " " in message.value
    if isinstance(message, ast.IfExp):
        return _has_words(message.body) or _has_words(message.orelse)
    if isinstance(message, ast.BinOp):
        return _has_words(message.left) or _has_words(message.right)
    if isinstance(message, ast.Call):
        called = message.func
        is_made_of_text = isinstance(called, ast.Attribute) and called.attr in ("format", "join") and _is_text(called)
        is_quoted = isinstance(called, ast.Name) and called.id == "quote"
        return is_made_of_text or (is_quoted and any(map(_has_words, message.args)))
    return isinstance(message, ast.JoinedStr)


def _is_text(called: ast.Attribute) -> bool:
    return isinstance(called.value, ast.Constant | ast.JoinedStr)


def list_faults(nodes: Nodes) -> list[str]:
    """file:line of each refusal whose words stand where it is made."""
    refusals = _list_refusals(nodes) - set(OTHERS)
    return [
        f"{file.name}:{node.lineno} {node.func.id}"
        for file, of_file in nodes
        for node in of_file
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in refusals
        if any(map(_has_words, node.args))
    ]


def test_no_refusal_has_its_words_where_it_is_raised() -> None:
    nodes = _find_nodes(_trees(PACKAGE))
    assert {"UserError", "ConfigurationError", "ResourceUnavailable", "OptionError", "NotFound"} <= _list_refusals(
        nodes
    )
    assert list_faults(nodes) == [], "write raise UserError(say(CODE, ...)), with the words of CODE in the catalogue"


@pytest.mark.parametrize(
    ("text", "is_refused"),
    [
        ('"a pool has no slots"', True),
        ('f"pool {name}"', True),
        ('"pool {}".format(name)', True),
        ('"no " + name', True),
        ('say("a") if name else "no name"', True),
        ('quote(f"no {name}")', True),
        ('"\\n".join(names)', True),
        ('say("pool_is_full", pool=name)', False),
        ("quote(str(error))", False),
        ("sentence", False),
    ],
)
def test_words_are_found(text: str, is_refused: bool) -> None:
    tree = ast.parse(f"class GnomonError(Exception): ...\nclass UserError(GnomonError): ...\nraise UserError({text})")
    assert bool(list_faults(_find_nodes([(Path("a.py"), tree)]))) is is_refused


def test_only_one_module_of_the_api_answers_errors() -> None:
    """A refusal that is no `Refusal` would have no code and no arguments."""
    faults = [
        f"{file.name}:{node.lineno} {node.func.id}"
        for file, tree in _trees(API)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        if node.func.id in ANSWERS - MAKERS_OF_ANSWERS.get(file.name, set())
    ]
    assert faults == [], "write raise Refusal(STATUS, say(CODE, ...))"
