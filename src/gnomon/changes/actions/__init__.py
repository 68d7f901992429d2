"""What commands and the API do for a user: create runs by hand, ask the owner of a DAG, ask the timetables of authors.

An action gets an `Actor` (`actor.py`): the options, the clock and the user. Open `owner_requests.py` first.
"""
