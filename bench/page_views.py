"""The views that are measured, and what Airflow's issues say about the same views."""

from __future__ import annotations

from typing import NamedTuple

TASK = "/dags/{work}/runs/{run}/tasks/"
GRID_CELL = ".grid-frame .grid-cell"
TASK_LINE = ".task-list .task-line"
LOG_LINE = ".log-line .log-time"
CHOSEN = '.instance-title[href*="/tasks/task_0001"]'
CHOSEN_LOG_LINE = f".instance-instance:has({CHOSEN}) {LOG_LINE}"
SHEET_LOG_LINE = f".sheet-sheet {LOG_LINE}"
GRAPH_NODE = ".graph-frame svg .graph-node"
CALENDAR_DAY = ".calendar-day"


class View(NamedTuple):
    """A view: its address, what is in the document when it can be used, what scrolls, and Airflow's figures."""

    name: str
    path: str
    ready: str
    beside: str = ""
    beside_server: str = ""
    beside_bytes: str = ""
    beside_scroll: str = ""
    beside_memory: str = ""
    scrolled: str = ""
    is_wide: bool = False
    """Scrolled to the side, too."""
    layout: str = ""


class ViewChange(NamedTuple):
    """Changes of views within one tab: for each step the link, the address it leads to, what is then in the document."""

    name: str
    start: str
    ready: str
    steps: tuple[tuple[str, str, str], ...]
    beside: str


VIEWS = (
    View("home", "/", ".home-failure", beside_server="Airflow 2.9.3, 3,200 DAGs: 60 to 70 s (airflow#41851)"),
    View("home with its time line", "/", ".home-timeline tbody tr"),
    View(
        "DAG list",
        "/dags",
        ".dags-table tbody tr",
        "Airflow 3.0.5, 172 DAGs: 15 s (airflow#55071)",
        "Airflow 3.1.0: 51 s (airflow#56635)",
    ),
    View("runs", "/runs", ".cards-compact tbody tr"),
    View("tasks", "/tasks", ".cards-compact tbody tr"),
    View(
        "grid of 1,000 x 50",
        "/dags/{work}?runs=50",
        GRID_CELL,
        "Airflow 2.3.0, 900 x 25: 30 s (airflow#23772)",
        "Airflow 3.1.0, < 100 tasks: 30 s (airflow#56554)",
        beside_scroll="Airflow 3.2.2, 30 x 25: a click takes 3 to 4 s (airflow#69531)",
        scrolled=".grid-frame",
        is_wide=True,
    ),
    View(
        "grid of 5,000 x 365",
        "/dags/{large}?runs=365",
        GRID_CELL,
        "Airflow 2.3, 2,000 x 28: 36 to 40 s (airflow#23951)",
        "Airflow 3.1.0, 5,000 tasks: minutes (airflow#56968)",
        beside_scroll="Airflow 3.1.1, 180 x 30: does not respond (airflow#57776)",
        scrolled=".grid-frame",
        is_wide=True,
    ),
    View("run of 1,000 tasks", "/dags/{work}/runs/{run}", TASK_LINE, scrolled=".task-list"),
    View("Gantt chart of 1,000 tasks", "/dags/{work}/runs/{run}/gantt", ".gantt-line", scrolled=".gantt-chart"),
    View("task", TASK + "task_0001", LOG_LINE),
    View(
        "log of 1 GB",
        TASK + "task_0000",
        LOG_LINE,
        "Airflow 3.0.2, 8 MB: the tab does not respond (airflow#52772)",
        "Airflow 2.6: out of memory (airflow#31105)",
        scrolled=".log-frame",
    ),
    View(
        "graph of 1,000 tasks",
        "/dags/{work}/graph",
        GRAPH_NODE,
        "Airflow 2.4.2, 1,000 mapped instances: 2 to 3 min (airflow#27483)",
        layout=".graph-frame",
    ),
    View("calendar of 365 runs", "/dags/{large}/calendar", CALENDAR_DAY, "Airflow 2.3.0: too long (airflow#23602)"),
    View("dependencies of a day", "/dependencies?dag={waiting}", ".day-mark, .day-band"),
)

CHANGES = (
    ViewChange(
        "home and lists",
        "/",
        ".home-failure",
        (
            ('header nav a[href^="/dags"]', "/dags", ".dags-table tbody tr"),
            ('header nav a[href="/"]', "/", ".home-failure"),
        ),
        "Airflow 3.2.2, home to DAGs with cached answers: 2 s (airflow#69609)",
    ),
    ViewChange(
        "tabs of a DAG of 1,000 tasks",
        "/dags/{work}",
        GRID_CELL,
        (
            ('[data-tabs] a[href="/dags/{work}/graph"]', "/dags/{work}/graph", GRAPH_NODE),
            ('[data-tabs] a[href="/dags/{work}/calendar"]', "/dags/{work}/calendar", CALENDAR_DAY),
            ('[data-tabs] a[href="/dags/{work}/details"]', "/dags/{work}/details", ".details-page"),
            ('[data-tabs] a[href="/dags/{work}"]', "/dags/{work}", GRID_CELL),
        ),
        "Airflow 3.2.2: 3 to 4 s (airflow#69531)",
    ),
    ViewChange(
        "grid to task and back",
        "/dags/{work}",
        GRID_CELL,
        (
            # Of the second task in the newest run of 25: the first row has the bars, the first column the names.
            ('.grid-line[aria-rowindex="3"] .grid-cell[aria-colindex="26"]', "/dags/{work}", SHEET_LOG_LINE),
            ('.sheet-head a[href*="/tasks/task_0001"]', TASK + "task_0001", ".taskPage-page " + LOG_LINE),
            ('.pageHeader-path a[href="/dags/{work}"]', "/dags/{work}", GRID_CELL),
        ),
        "Airflow 2.3.0: 10 s (airflow#23772); 3.2.2: 3 to 4 s (airflow#69531)",
    ),
    ViewChange(
        "run to task and back",
        "/dags/{work}/runs/{run}",
        TASK_LINE,
        (
            (
                '.task-list a[href^="/dags/{work}/runs/{run}/tasks/task_0001"]',
                "/dags/{work}/runs/{run}",
                CHOSEN_LOG_LINE,
            ),
            (CHOSEN, TASK + "task_0001", ".taskPage-page " + LOG_LINE),
            ('.pageHeader-path a[href^="/dags/{work}/runs/{run}"]', "/dags/{work}/runs/{run}", TASK_LINE),
        ),
        "",
    ),
)
