"""The generated pages and pictures are up to date, docs/check.py finds the mistakes of a page, and each page has its place in the site."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).parents[2] / "docs"
USERS_WORDS = 84_000


def _script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "page",
    [
        "reference/options.md",
        "reference/cli.md",
        "reference/python-api.md",
        "contributing/database.md",
        "how-to/pictures/hourly-on-discrete-hours.svg",
        "how-to/pictures/daily-on-hourly.svg",
        "tutorial/pictures/custom-timetable-preview.svg",
    ],
)
def test_a_generated_page_is_up_to_date(page: str) -> None:
    assert (DOCS / page).read_text() == _script("generate").PAGES[page](), "run `python docs/generate.py`"


@pytest.mark.parametrize("page", ["failing-task", "waits-between-dags"])
def test_each_command_of_a_page_of_the_tutorial_succeeds_and_its_pictures_are_up_to_date(page: str) -> None:
    check_pictures(page, _script("tutorial_session").pictures_of(page))


def check_pictures(page: str, made: dict[str, str]) -> None:
    written = {
        f"pictures/{file.name}": file.read_text() for file in (DOCS / "tutorial" / "pictures").glob(f"{page}-*.svg")
    }
    assert written == made, "run `python docs/generate.py tutorial/pictures`"
    assert len(made) == len(_script("generate").TUTORIAL_PICTURES[page])


def test_all_pages_of_the_tutorial_can_be_followed_in_one_home_in_the_order_of_their_links() -> None:
    session = _script("tutorial_session")
    names = session.pages_in_order()
    assert sorted(names) == sorted(page.stem for page in (DOCS / "tutorial").glob("*.md"))
    made = session.pictures_of(*names)
    assert made
    first = session.FIRST_PAGE  # it begins with a new home, as it does alone
    check_pictures(first, {path: picture for path, picture in made.items() if path.startswith(f"pictures/{first}-")})


def test_what_users_read_is_at_most_eighty_four_thousand_words() -> None:
    """All pages below `docs` but those for contributors and the decisions. A bar of a table is no word."""
    pages = [
        page for page in DOCS.rglob("*.md") if page.relative_to(DOCS).parts[0] not in {"contributing", "decisions"}
    ]
    words = {page.relative_to(DOCS).as_posix(): _count_words(page.read_text()) for page in pages}
    longest = sorted(words, key=words.__getitem__, reverse=True)[:5]
    assert sum(words.values()) <= USERS_WORDS, f"{sum(words.values())} words; the longest pages: {', '.join(longest)}"


def _count_words(text: str) -> int:
    return sum(any(map(str.isalnum, word)) for word in text.split())


def test_the_files_that_pages_for_contributors_name_exist() -> None:
    check = _script("check")
    pages = [DOCS.parent / "CONTRIBUTING.md", *sorted((DOCS / "contributing").glob("*.md"))]
    assert [str(problem) for page in pages for problem in check.broken_links(page)] == []


def test_every_page_is_in_the_navigation_once() -> None:
    assert list(_script("check").misplaced_pages()) == []


def test_a_page_that_is_missing_or_twice_in_the_navigation_is_found() -> None:
    navigation = _script("navigation")
    index = "# Home\n[intro](a.md)\n\n## One\n\n1. [A](a.md): first, then [b](b.md).\n- [A again](a.md)\n\n## Two\n\n- [Changes](../CHANGELOG.md)\n- [Contributing](../CONTRIBUTING.md)\n"
    assert [(section.title, section.pages) for section in navigation.sections(index)] == [
        ("One", [("A", "a.md"), ("A again", "a.md")]),
        ("Two", [("Changes", "../CHANGELOG.md"), ("Contributing", "../CONTRIBUTING.md")]),
    ]
    assert navigation.mistakes(index, {"a.md", "b.md"}) == [
        "the page b.md is in no list of this page",
        "the page a.md is in the lists of this page more than once",
    ]


def test_a_picture_of_a_terminal_keeps_colours_wraps_long_lines_and_leaves_out_other_escapes() -> None:
    terminal = _script("terminal_picture")
    lines = terminal.command_lines("gnomon x", "\x1b[?25l\x1b[1;31mno\x1b[0m & yes\n" + "y" * 121)
    red = terminal.parse_ansi("\x1b[31mx")[0][0].colour
    assert lines[1] == [terminal.Span("no", red, bold=True), terminal.Span(" & yes")]
    assert [[len(span.text) for span in line] for line in lines[2:]] == [[120], [1]]
    svg = terminal.picture("a <title>", lines)
    assert "a &lt;title&gt;" in svg and "&amp;\u00a0yes" in svg and "\x1b" not in svg
    assert "http" not in svg.replace('xmlns="http://www.w3.org/2000/svg"', "")


def test_a_picture_has_the_colours_of_its_page_and_no_text_that_begins_with_a_space() -> None:
    terminal = _script("terminal_picture")
    lines = terminal.command_lines("gnomon x", "\x1b[31mno\x1b[0m   yes", 20)
    light, dark = (terminal.picture("t", lines, theme, 20) for theme in (terminal.LIGHT, terminal.DARK))
    assert terminal.LIGHT.background in light and terminal.DARK.background in dark and light != dark
    assert f'fill="{terminal.LIGHT.ansi[1]}">no<' in light
    assert ">yes<" in light and ">\u00a0" not in light


def test_the_site_has_a_light_picture_on_light_pages_and_a_dark_one_on_dark_pages() -> None:
    site = _script("build_site")
    shown = site._LIGHT_PICTURE.sub(site._both_pictures, "a\n\n![gnomon top](pictures/top.light.svg)\n")
    assert shown == (
        "a\n\n```{image} pictures/top.light.svg\n:alt: gnomon top\n:class: only-light\n```\n\n"
        "```{image} pictures/top.dark.svg\n:alt: gnomon top\n:class: only-dark\n```\n"
    )


def test_the_check_finds_what_is_wrong(tmp_path: Path) -> None:
    check = _script("check")
    page = tmp_path / "page.md"
    page.write_text(
        "# Here\n[gone](gone.md) [there](page.md#here) [no heading](page.md#elsewhere) [far](https://example.org) ![no picture](gone.svg)\n"
        "```python\nfrom gnomon import DAG\n```\n```python\nimport no_such_module\n```\n```python\nx = = 1\n```\n"
        "```sh\ngnomon dags shwo x\n```\n```sh\ngnomon dags show\n```\n```sh\nmake coffee\n```\n```toml\n[core]\nparalelism = 1\n```\n```perl\n```\n"
        "`gnomon wroker`\n"
    )
    texts = [problem.text for problem in (*check.broken_links(page), *check.broken_code(page))]
    assert texts[0] == "the link gone.md names a file that does not exist"
    assert texts[1] == "the link page.md#elsewhere names a heading that does not exist"
    assert texts.pop(2) == "the link gone.svg names a file that does not exist"
    assert "No module named 'no_such_module'" in texts[2]
    assert texts[3].startswith("a block of python fails: SyntaxError")
    assert "there is no command `gnomon dags shwo x`" in texts[4]
    assert "Missing argument" in texts[5]
    assert "make has no target coffee" in texts[6]
    assert "Did you mean [core] parallelism?" in texts[7]
    assert texts[8] == "there is no check for a block of perl"
    assert "there is no command `gnomon wroker`" in texts[9]
    assert len(texts) == 10


def test_a_block_may_write_a_part_of_a_file_anew() -> None:
    files: dict[str, str] = {}
    page_files = _script("page_files")
    page_files.save(
        '# dags/a.py\nfrom gnomon import DAG, task\n\nwith DAG("a"):\n\n    @task\n    def old():\n        return 1\n\n    old()\n',
        files,
    )
    page_files.save("# dags/a.py, old anew\n@task(retries=1)\ndef old():\n    return 2\n", files)
    assert files["dags/a.py"] == (
        '# dags/a.py\nfrom gnomon import DAG, task\n\nwith DAG("a"):\n\n    @task(retries=1)\n    def old():\n        return 2\n\n    old()\n'
    )
    page_files.save('# dags/a.py, a anew\nwith DAG("a"):\n    pass\n', files)
    assert files["dags/a.py"] == '# dags/a.py\nfrom gnomon import DAG, task\n\nwith DAG("a"):\n    pass\n'
    with pytest.raises(page_files.NoSuchPart, match=r"dags/a\.py has no gone"):
        page_files.save("# dags/a.py, gone anew\nx = 1\n", files)
    page_files.save("print('not saved')\n", files)
    assert set(files) == {"dags/a.py"}


def test_how_to_pages_can_be_tried_in_one_home_because_no_two_define_the_same_dag() -> None:
    found = [
        (dag_id, page.name)
        for page in sorted((DOCS / "how-to").glob("*.md"))
        for dag_id in re.findall(r'^with DAG\("(\w+)"', page.read_text(), re.MULTILINE)
    ]
    pages: dict[str, set[str]] = {}
    for dag_id, page in found:
        pages.setdefault(dag_id, set()).add(page)
    assert len(found) > 20 and {dag_id: names for dag_id, names in pages.items() if len(names) > 1} == {}
