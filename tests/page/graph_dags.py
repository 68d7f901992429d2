"""A DAG with groups, a mapped task, labels, setup and teardown, and a task that fails, for the tests of its grid, graph and Gantt chart."""

GROUPED = """
from airflow.sdk import DAG, Asset, Label, TaskGroup, task

with DAG("folded", schedule=None, tags=["graph"]):

    @task(outlets=[Asset("grouped_table")])
    def store_the_result_of_all_transformations():
        print("stored")

    with TaskGroup("extract") as extract:

        @task
        def read(source):
            print("read", source)

        read.expand(source=["orders", "customers", "items"])

    with TaskGroup("transform") as transform:

        @task
        def clean():
            raise ValueError("a bad row")

        @task(trigger_rule="all_done")
        def merge():
            print("merged")

        cleaned = clean()
        with TaskGroup("join"):
            merged = merge()
        cleaned >> Label("valid rows") >> merged

    @task
    def open_session():
        print("opened")

    @task
    def close_session():
        print("closed")

    opened = open_session().as_setup()
    opened >> extract >> transform >> store_the_result_of_all_transformations() >> close_session().as_teardown(setups=opened)
"""
