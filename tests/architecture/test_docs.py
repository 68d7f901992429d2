"""The generated pages and pictures are up to date, and docs/check.py finds the mistakes of a page."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def _script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", [
    "reference/options.md", "reference/cli.md", "reference/python-api.md", "reference/database.md",
    "how-to/pictures/hourly-on-discrete-hours.svg", "how-to/pictures/daily-on-hourly.svg",
])  # fmt: skip
def test_a_generated_page_is_up_to_date(page: str) -> None:
    assert (DOCS / page).read_text() == _script("generate").PAGES[page](), "run `python docs/generate.py`"


def test_the_check_finds_what_is_wrong(tmp_path: Path) -> None:
    check = _script("check")
    page = tmp_path / "page.md"
    page.write_text(
        "# Here\n[gone](gone.md) [there](page.md#here) [no heading](page.md#elsewhere) [far](https://example.org)\n"
        "```python\nfrom gnomon import DAG\n```\n```python\nimport no_such_module\n```\n```python\nx = = 1\n```\n"
        "```sh\ngnomon dags shwo x\n```\n```sh\ngnomon dags show\n```\n```sh\nmake coffee\n```\n```toml\n[core]\nparalelism = 1\n```\n```perl\n```\n"
        "`gnomon wroker`\n"
    )
    texts = [problem.text for problem in (*check.broken_links(page), *check.broken_code(page))]
    assert texts[0] == "the link gone.md names a file that does not exist"
    assert texts[1] == "the link page.md#elsewhere names a heading that does not exist"
    assert "No module named 'no_such_module'" in texts[2]
    assert texts[3].startswith("a block of python fails: SyntaxError")
    assert "there is no command `gnomon dags shwo x`" in texts[4]
    assert "Missing argument" in texts[5]
    assert "make has no target coffee" in texts[6]
    assert "Did you mean [core] parallelism?" in texts[7]
    assert texts[8] == "there is no check for a block of perl"
    assert "there is no command `gnomon wroker`" in texts[9]
    assert len(texts) == 10


def test_how_to_pages_can_be_tried_in_one_home_because_no_two_define_the_same_dag() -> None:
    found = [(dag_id, page.name) for page in sorted((DOCS / "how-to").glob("*.md")) for dag_id in re.findall(r'^with DAG\("(\w+)"', page.read_text(), re.MULTILINE)]
    pages: dict[str, set[str]] = {}
    for dag_id, page in found:
        pages.setdefault(dag_id, set()).add(page)
    assert len(found) > 20 and {dag_id: names for dag_id, names in pages.items() if len(names) > 1} == {}
