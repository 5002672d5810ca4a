# mypy: allow-untyped-defs, allow-untyped-decorators, allow-untyped-calls
"""Compiled loops over graphs: lists of edges, nested dissection, elimination trees.

All let other threads run (``nogil``). Vertices are numbered by their position in the order of
elimination, except where the matrix or graph itself is read. Arrays come from the caller, so that
loops need no reference counts (``VIEWS``), which take half of the time to compile.

In the dissection a graph is (starts, columns, joined, sizes): CSR arrays, how many original edges
an edge stands for, and how many original vertices a vertex stands for. ``side`` says where each
vertex lies: 0 and 1 are the halves, 2 is the separator between them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .runtime.compiling import njit

SHARE = 0.6  # of all vertices that one half may have: a little freedom finds smaller separators
PATIENCE = 200  # moves without improvement before a pass of refinement gives up
PASSES = 6
GAPS = (1750, 701, 301, 132, 57, 23, 10, 4, 1)  # of Shell's sort (Ciura 2001)
SHORT = 48  # edges of a row that are sorted by insertion: most come in order


@njit(cache=True, error_model="numpy", nogil=True)
def matched(graph, order, limit, pair):
    """Pair each vertex with the free one that it shares most edges with; return how many pairs.

    No pair may stand for more than ``limit`` vertices. The number of each one's pair comes as -1.
    """
    starts, columns, joined, sizes = graph
    count = 0
    for v in order:
        if pair[v] != -1:
            continue
        partner, most = -1, 0
        for edge in range(starts[v], starts[v + 1]):
            a = columns[edge]
            if pair[a] == -1 and joined[edge] > most and a != v and sizes[a] + sizes[v] <= limit:
                partner, most = a, joined[edge]
        pair[v] = count
        if partner != -1:
            pair[partner] = count
        count += 1
    return count


@njit(cache=True, error_model="numpy", nogil=True)
def contracted(graph, pair, coarser):
    """Fill the graph of the pairs, with room for all edges; return how many it has.

    Its starts and sizes come as 0.
    """
    starts, columns, joined, sizes = graph
    new_starts, new_columns, new_joined, new_sizes = coarser
    count = len(new_sizes)
    members = np.full((count, 2), -1, dtype=np.int32)
    for v in range(len(sizes)):
        members[pair[v], 0 if members[pair[v], 0] == -1 else 1] = v
        new_sizes[pair[v]] += sizes[v]
    slot = np.full(count, -1)  # of the edge to each pair, if it is not before this row
    end = 0
    for c in range(count):
        for v in members[c]:
            if v == -1:
                continue
            for edge in range(starts[v], starts[v + 1]):
                a = pair[columns[edge]]
                if a == c:
                    continue
                if slot[a] < new_starts[c]:
                    slot[a] = end
                    new_columns[end], new_joined[end] = a, 0
                    end += 1
                new_joined[slot[a]] += joined[edge]
        new_starts[c + 1] = end
    return end


@njit(cache=True, error_model="numpy", nogil=True)
def grown(graph, seed, side):
    """Mark half of the vertices around ``seed``, and the border to the rest, which come as 1."""
    starts, columns, _, sizes = graph
    n = len(sizes)
    queue = np.empty(n, dtype=np.int64)
    seen = np.zeros(n, dtype=np.bool_)
    head, tail, weight, total, fresh = 0, 0, 0, sizes.sum(), seed
    while 2 * weight < total:
        if head == tail:  # the seed, or a vertex of another component
            while seen[fresh]:
                fresh = (fresh + 1) % n
            queue[tail], seen[fresh] = fresh, True
            tail += 1
        v = queue[head]
        head += 1
        side[v] = 0
        weight += sizes[v]
        for edge in range(starts[v], starts[v + 1]):
            if not seen[columns[edge]]:
                queue[tail], seen[columns[edge]] = columns[edge], True
                tail += 1
    for k in range(head, tail):  # seen, but not taken
        side[queue[k]] = 2


@njit(cache=True, error_model="numpy", nogil=True)
def refined(graph, side, weight):
    """Make the separator smaller, in place; fill the weights of the halves and of the separator.

    Moves one vertex of the separator at a time to a side, the best first even where that is a loss,
    pulling in its neighbours from the other side; then goes back to the best state on the way
    (Fiduccia and Mattheyses 1982; Hendrickson and Rothberg 1998).
    """
    sizes = graph[3]
    n = len(sizes)
    weight[:] = 0
    for v in range(n):
        weight[side[v]] += sizes[v]
    border = np.empty(n, dtype=np.int64)
    beyond = np.zeros((n, 2), dtype=np.int64)
    moved = np.empty(n + 1, dtype=np.int64)
    pulled = np.empty(2 * n + 1, dtype=np.int64)  # once to be moved, once more after that
    pulled_before = np.empty(n + 2, dtype=np.int64)
    for _ in range(PASSES):
        state = side, weight, border, beyond, np.zeros(n, dtype=np.bool_)
        count = _border(graph, state)
        best, best_gap = weight[2], abs(weight[0] - weight[1])
        moves, kept, n_pulled = 0, 0, 0
        while moves < n and moves - kept < PATIENCE:
            slot, to = _best_move(sizes, state, count)
            if slot == -1:
                break
            v = border[slot]
            count -= 1
            border[slot] = border[count]
            moved[moves], pulled_before[moves] = v, n_pulled
            found = _move(graph, state, count, v, to)
            for k in range(count, found):
                pulled[n_pulled + k - count] = border[k]
            n_pulled, count, moves = n_pulled + found - count, found, moves + 1
            gap = abs(weight[0] - weight[1])
            if weight[2] < best or (weight[2] == best and gap < best_gap):
                best, best_gap, kept = weight[2], gap, moves
        pulled_before[moves] = n_pulled
        for k in range(moves - 1, kept - 1, -1):
            _undo(sizes, state, moved[k], pulled[pulled_before[k] : pulled_before[k + 1]])
        if kept == 0:
            break


@njit(cache=True, error_model="numpy", nogil=True)
def _border(graph, state):
    """List the separator, with the weight of each vertex's neighbours on both sides; count it."""
    side, _, border, beyond, _ = state
    count = 0
    for v in range(len(side)):
        if side[v] == 2:
            border[count] = v
            count += 1
            _look_around(graph, side, beyond, v)
    return count


@njit(cache=True, error_model="numpy", nogil=True)
def _look_around(graph, side, beyond, v):
    starts, columns, _, sizes = graph
    beyond[v, 0] = beyond[v, 1] = 0
    for edge in range(starts[v], starts[v + 1]):
        a = columns[edge]
        if side[a] != 2:
            beyond[v, side[a]] += sizes[a]


@njit(cache=True, error_model="numpy", nogil=True)
def _best_move(sizes, state, count):
    """Return the slot of the vertex whose move shrinks the separator most, and to which side."""
    _, weight, border, beyond, locked = state
    limit = SHARE * weight.sum()
    slot, to, most = -1, 0, -(1 << 60)
    for k in range(count):
        v = border[k]
        if locked[v]:
            continue
        for s in range(2):
            gain = sizes[v] - beyond[v, 1 - s]
            fits = weight[s] + sizes[v] <= limit or weight[s] < weight[1 - s]
            if fits and (gain > most or (gain == most and weight[s] < weight[to])):
                slot, to, most = k, s, gain
    return slot, to


@njit(cache=True, error_model="numpy", nogil=True)
def _move(graph, state, count, v, to):
    """Move v from the separator to a side, its neighbours on the other into the separator."""
    starts, columns, _, sizes = graph
    side, weight, border, beyond, locked = state
    locked[v], side[v] = True, to
    weight[2] -= sizes[v]
    weight[to] += sizes[v]
    for edge in range(starts[v], starts[v + 1]):
        a = columns[edge]
        if side[a] == 2:
            beyond[a, to] += sizes[v]
        elif side[a] == 1 - to:
            side[a], border[count] = 2, a
            count += 1
            weight[1 - to] -= sizes[a]
            weight[2] += sizes[a]
            _look_around(graph, side, beyond, a)
            for near in range(starts[a], starts[a + 1]):
                if side[columns[near]] == 2:
                    beyond[columns[near], 1 - to] -= sizes[a]
    return count


@njit(cache=True, error_model="numpy", nogil=True)
def _undo(sizes, state, v, pulled):
    """Take a move back."""
    side, weight, _, _, _ = state
    to = side[v]
    for a in pulled:
        side[a] = 1 - to
        weight[2] -= sizes[a]
        weight[1 - to] += sizes[a]
    side[v] = 2
    weight[to] -= sizes[v]
    weight[2] += sizes[v]


@njit(cache=True, error_model="numpy", nogil=True)
def induced(starts, columns, members, number, new_starts, new_columns):
    """Fill the graph among ``members``, with room for all their edges; return how many it has.

    ``number`` is -1 everywhere, and so again at the end; the first start comes as 0.
    """
    n = len(members)
    for i in range(n):
        number[members[i]] = i
    end = 0
    for i in range(n):
        for edge in range(starts[members[i]], starts[members[i] + 1]):
            a = number[columns[edge]]
            if a != -1 and a != i:
                new_columns[end] = a
                end += 1
        new_starts[i + 1] = end
    for v in members:
        number[v] = -1
    return end


VIEWS: Any = {"_nrt": False}  # no array is created here, so none has to be counted


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def elimination_tree(starts, columns, position, vertex_at, ancestor, parent):
    """Fill, by position, the first later vertex that each one meets, -1 for the last of all.

    Path compression as in Liu (1990): almost one step per entry of the matrix. Both come as -1.
    """
    for k in range(len(vertex_at)):
        v = vertex_at[k]
        for slot in range(starts[v], starts[v + 1]):
            i = position[columns[slot]]
            while i != -1 and i < k:
                following = ancestor[i]
                ancestor[i] = k
                if following == -1:
                    parent[i] = k
                i = following


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def postorder(parent, first_child, sibling, path, order):
    """Fill the vertices of a forest so that each subtree is contiguous and ends in its root.

    First children and siblings come as -1; they and ``path`` hold one more, the root of all.
    """
    n = len(parent)
    for k in range(n - 1, -1, -1):
        above = parent[k] if parent[k] != -1 else n
        sibling[k] = first_child[above]
        first_child[above] = k
    path[0] = n
    depth, done = 1, 0
    while depth > 0:
        k = path[depth - 1]
        child = first_child[k]
        if child != -1:
            first_child[k] = sibling[child]
            path[depth] = child
            depth += 1
        else:
            depth -= 1
            if k < n:
                order[done] = k
                done += 1


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def column_counts(starts, columns, position, vertex_at, parent, seen, row, counts):
    """Count the later vertices that each vertex meets when it is eliminated (by position)."""
    for k in range(len(vertex_at)):
        size = _row_of_factor(starts, columns, position, vertex_at, parent, seen, row, k)
        for t in range(size):
            counts[row[t]] += 1


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def later_vertices(starts, columns, position, vertex_at, parent, seen, row, end, later):
    """List the later vertices that each vertex meets, ascending.

    Row k of the factor is written to the lists of all that meet k, and k ascends. ``end`` comes as
    where each list starts.
    """
    for k in range(len(vertex_at)):
        size = _row_of_factor(starts, columns, position, vertex_at, parent, seen, row, k)
        for t in range(size):
            later[end[row[t]]] = k
            end[row[t]] += 1


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def _row_of_factor(starts, columns, position, vertex_at, parent, seen, row, k):
    """Fill ``row`` with the earlier vertices that meet vertex k, and return how many these are.

    They are a subtree of the elimination tree, walked up from each entry of row k of the matrix:
    one step per entry of the factor (Liu 1990). ``seen`` comes as -1.
    """
    size = 0
    seen[k] = k
    v = vertex_at[k]
    for slot in range(starts[v], starts[v + 1]):
        i = position[columns[slot]]
        if i > k:
            continue
        while seen[i] != k:
            row[size] = i
            size += 1
            seen[i] = k
            i = parent[i]
    return size


# Lists of edges, gathered by rows, sorted, repeated ones dropped. Of two million edges NumPy took
# 0.16 s, most of it to sort rows of one length together, twice.


@njit(cache=True, error_model="numpy", nogil=True)
def gather_rows(rows, columns, distances, starts, ends, lengths):
    """Write the edges row by row; ``starts`` has a row's first place, and afterwards its end."""
    for edge in range(len(rows)):
        slot = starts[rows[edge]]
        starts[rows[edge]] = slot + 1
        ends[slot], lengths[slot] = columns[edge], distances[edge]


@njit(cache=True, error_model="numpy", nogil=True, forceinline=True)
def _sort_pairs(first, second, begin, end):
    """Sort begin:end by the first numbers, equal ones by the second."""
    for gap in GAPS:
        if gap > 1 and end - begin <= SHORT:
            continue
        for slot in range(begin + gap, end):
            key, other, place = first[slot], second[slot], slot
            while place - gap >= begin and (
                first[place - gap] > key
                or (first[place - gap] == key and second[place - gap] > other)
            ):
                first[place], second[place] = first[place - gap], second[place - gap]
                place -= gap
            first[place], second[place] = key, other


@njit(cache=True, error_model="numpy", nogil=True, forceinline=True)
def _drop_repeated(ends, lengths, first, last):
    """Keep the first of edges with one end, whatever their order; return where those kept end."""
    kept = first
    for slot in range(first, last):
        end, again = ends[slot], False
        for other in range(first, kept):
            again |= ends[other] == end
        if not again:
            ends[kept], lengths[kept] = end, lengths[slot]
            kept += 1
    return kept


@njit(cache=True, error_model="numpy", nogil=True, forceinline=True)
def _drop_neighbors(ends, lengths, first, last):
    """Keep the first of edges with one end, which stand side by side; return where they end."""
    kept = first
    for slot in range(first, last):
        if slot == first or ends[slot] != ends[kept - 1]:
            ends[kept], lengths[kept] = ends[slot], lengths[slot]
            kept += 1
    return kept


@njit(cache=True, error_model="numpy", nogil=True)
def sort_rows(starts, ends, lengths, counts, begin, end):
    """Sort each of the rows begin:end by length, then by end; of repeated ends the shortest stays.

    What stays of a row stands at its begin, and ``counts`` tells how many edges that are.
    """
    for row in range(begin, end):
        first, last = starts[row], starts[row + 1]
        if last - first <= SHORT:  # to compare all ends takes less than to sort by them
            _sort_pairs(lengths, ends, first, last)
            kept = _drop_repeated(ends, lengths, first, last)
        else:
            _sort_pairs(ends, lengths, first, last)
            kept = _drop_neighbors(ends, lengths, first, last)
            _sort_pairs(lengths, ends, first, kept)
        counts[row] = kept - first


@njit(cache=True, error_model="numpy", nogil=True)
def close_up(starts, counts, new_starts, ends, lengths):
    """Move what stays of the rows together."""
    for row in range(len(counts)):
        first, there = starts[row], new_starts[row]
        for place in range(counts[row]):
            ends[there + place] = ends[first + place]
            lengths[there + place] = lengths[first + place]
