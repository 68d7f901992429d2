"""Imports author code into this process: DAG files, plugins, classes by path, expressions.

`dagfile` imports DAG files: open it first. `dialect` makes `import airflow` import Gnomon's package, `class_loader` loads classes
by their stored paths, `plugins` lists plugins, and `expression` evaluates a schedule that is given on the command line.
"""
