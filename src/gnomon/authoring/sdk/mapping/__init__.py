"""Dynamic task mapping, as an author writes it: `partial`, `expand`, `expand_kwargs`, and mapped task groups.

`operator_partial` has `partial().expand()`: open it first. `mapped_operator` is the task that it makes, `mapped_task_group` the
group of `@task_group.expand()`. `expand_input` holds the mapped arguments and finds the elements of a map index. `expansion_spec` turns them
into lengths for the engine.
"""
