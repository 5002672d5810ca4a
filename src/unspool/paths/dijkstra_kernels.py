# mypy: allow-untyped-defs, allow-untyped-decorators, allow-untyped-calls
"""Compiled loops of the search for shortest paths.

A length is a minimum of sums along paths, added up from the source: it does not depend on the order
of the search, or on the thread. All kernels let other threads run (``nogil``). They create no
array and do without reference counts (``VIEWS``), which halves the time to compile them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..runtime.compiling import njit

VIEWS: Any = {"_nrt": False}  # no array is created here, so none has to be counted


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def search(graph, position, sources, rows, width, workspace, out):
    """Write the lengths of the shortest paths from each source to ``out[row]`` (Dijkstra 1959).

    ``graph`` is renumbered by ``position``, as are the sources. ``width`` is that of a bucket.
    """
    lengths, keys, members, place, vertices, following, tops = workspace
    even = True  # enough for buckets
    for i in range(len(sources)):
        if even:
            even = _by_buckets(graph, sources[i], width, lengths, keys, vertices, following, tops)
        if not even:
            _by_heap(graph, sources[i], lengths, keys, members, place)
        line = out[rows[i]]
        for v in range(len(line)):
            line[v] = lengths[position[v]]


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def search_together(graph, sources, width, lengths, keys, news, _, vertices, following, tops):
    """Fill ``lengths``, a row per vertex, a column per source; tell whether the tickets sufficed.

    As ``_by_buckets``, for sources near each other: an edge is read once for all of them, and their
    waves meet a vertex at nearly the same time, so that it is settled once or twice. A ticket holds
    the shortest length that it may stand for; ``news`` marks vertices with lengths to pass on.
    """
    starts, neighbors, distances = graph
    lengths[:], news[:], tops[:] = np.inf, 0, -1
    issued, waiting, now, per_width = 0, 0, np.int64(0), 1.0 / width
    ring = np.int64(len(tops) - 1)  # a power of two less one
    for j in range(len(sources)):
        lengths[sources[j], j] = keys[issued] = 0.0
        vertices[issued], following[issued], tops[0] = sources[j], tops[0], issued
        news[sources[j]] = 1
        issued += 1
        waiting += 1
    while waiting > 0:
        ticket, now = _next_ticket(tops, following, now, ring)
        waiting -= 1
        v, length = vertices[ticket], keys[ticket]
        if news[v] == 0:
            continue
        if issued + starts[v + 1] - starts[v] > len(keys):
            return False
        news[v] = 0
        for edge in range(starts[v], starts[v + 1]):
            a = neighbors[edge]
            if _pass_on(lengths[v], distances[edge], lengths[a]):
                nearest = length + distances[edge]
                target = np.int64(nearest * per_width) & ring
                vertices[issued], following[issued], tops[target] = a, tops[target], issued
                keys[issued], news[a] = nearest, 1
                issued += 1
                waiting += 1
    return True


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def _next_ticket(tops, following, now, ring):
    """Take the top ticket of the first bucket from ``now`` on that has one."""
    while tops[now] == -1:
        now = (now + 1) & ring
    ticket = tops[now]
    tops[now] = following[ticket]
    return ticket, now


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def _pass_on(row, distance, other):
    """Shorten a neighbour's lengths by the ways along one edge; return how many became shorter."""
    shorter = np.int32(0)
    for j in range(len(row)):
        new, old = row[j] + distance, other[j]
        shorter += np.int32(new < old)
        other[j] = new if new < old else old
    return shorter


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def _by_buckets(graph, source, width, lengths, keys, vertices, following, tops):
    """Settle vertices bucket by bucket; give up when the tickets for it have run out.

    A vertex that becomes nearer gets a ticket with its new length, on top of the bucket that the
    length falls into; a ticket with an outdated length is void. A vertex that becomes nearer after
    it was settled is settled again, so that the lengths are exact whatever the width; with buckets
    no wider than most edges that is rare (Dial 1969, Meyer and Sanders 2003). Buckets form a ring.
    """
    starts, neighbors, distances = graph
    lengths[:], tops[:] = np.inf, -1
    lengths[source] = keys[0] = 0.0
    vertices[0], following[0], tops[0] = source, -1, 0
    issued, waiting, now, per_width = 1, 1, np.int64(0), 1.0 / width
    ring = np.int64(len(tops) - 1)  # a power of two less one
    while waiting > 0:
        ticket, now = _next_ticket(tops, following, now, ring)
        waiting -= 1
        v, length = vertices[ticket], keys[ticket]
        if length > lengths[v]:
            continue
        if issued + starts[v + 1] - starts[v] > len(keys):
            return False
        for edge in range(starts[v], starts[v + 1]):
            a, new = neighbors[edge], length + distances[edge]
            if new < lengths[a]:
                target = np.int64(new * per_width) & ring
                lengths[a] = keys[issued] = new
                vertices[issued], following[issued], tops[target] = a, tops[target], issued
                issued += 1
                waiting += 1
    return True


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def _by_heap(graph, source, lengths, keys, members, place):
    """Settle vertices in the order of their lengths: no more than log n steps each.

    The heap has four children per node: half as deep as a binary one, and the four keys share a
    cache line. Behind its end keys are infinite, so that a node always has four.
    """
    starts, neighbors, distances = graph
    lengths[:], keys[:], place[:] = np.inf, np.inf, -1
    lengths[source] = keys[0] = 0.0
    members[0], place[source], size = source, 0, 1
    while size > 0:
        v, length = members[0], keys[0]
        size -= 1
        _sink(keys, members, place, size)
        for edge in range(starts[v], starts[v + 1]):
            a, new = neighbors[edge], length + distances[edge]
            if new < lengths[a]:
                lengths[a] = new
                if place[a] == -1:
                    place[a] = size
                    size += 1
                _lift(keys, members, place, a, new)


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def search_between(graph, first, second, limits, workspace, out):
    """Write the shortest path from each first end to its second, unless it exceeds its limit.

    As ``_by_heap``, given up at the goal or the limit. Lengths and keys come as infinity and places
    as -1, and are so again for the next pair: only what was touched is cleared.
    """
    starts, neighbors, distances = graph
    lengths, keys, members, place, touched = workspace
    for pair in range(len(first)):
        source, goal, limit = first[pair], second[pair], limits[pair]
        lengths[source] = keys[0] = 0.0
        members[0], place[source], size = source, 0, 1
        touched[0], n_touched = source, 1
        while size > 0:
            v, length = members[0], keys[0]
            if v == goal:
                out[pair] = length
                break
            size -= 1
            _sink(keys, members, place, size)
            for edge in range(starts[v], starts[v + 1]):
                a, new = neighbors[edge], length + distances[edge]
                if new <= limit and new < lengths[a]:
                    lengths[a] = new
                    if place[a] == -1:
                        touched[n_touched], place[a] = a, size
                        n_touched, size = n_touched + 1, size + 1
                    _lift(keys, members, place, a, new)
        keys[:size] = np.inf
        for k in range(n_touched):
            lengths[touched[k]], place[touched[k]] = np.inf, -1


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def _sink(keys, members, place, size):
    """Let the last member of the heap, at ``size``, take the place of the first."""
    member, key, hole = members[size], keys[size], 0
    keys[size] = np.inf
    while 4 * hole + 1 < size:
        low = 4 * hole + 1  # sums of comparisons rather than branches that cannot be predicted
        high = low + 2 + (keys[low + 3] < keys[low + 2])
        low += keys[low + 1] < keys[low]
        child = high if keys[high] < keys[low] else low
        if keys[child] >= key:
            break
        members[hole], keys[hole], place[members[child]] = members[child], keys[child], hole
        hole = child
    if size > 0:
        members[hole], keys[hole], place[member] = member, key, hole


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def _lift(keys, members, place, member, key):
    """Move a member of the heap up to where its new, smaller key belongs."""
    hole = place[member]
    while hole > 0:
        above = (hole - 1) // 4
        if keys[above] <= key:
            break
        members[hole], keys[hole], place[members[above]] = members[above], keys[above], hole
        hole = above
    members[hole], keys[hole], place[member] = member, key, hole
