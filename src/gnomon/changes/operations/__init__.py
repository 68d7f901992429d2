"""What the command line asks of a deployment: one function for each question or change, called on the home's store or over the API.

`operation.py` says what an operation is, `catalogue.py` lists all of them, and the other modules have them by noun. A command never
reads the store itself when it also works over the API: it performs operations, and prints their records. `gnomon.api.own.operation_routes` makes a
route of each (docs/decisions/0021-command-line-over-the-api.md).
"""
