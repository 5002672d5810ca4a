"""Items are run once a process, however many tests look at the result."""

from functools import cache

from unspool.textbook import items, run


@cache
def result_of(name):
    return run(items()[name])
