"""Compiled: ranks of rows of distances, what a map keeps of them, and counts of nearer points."""

from __future__ import annotations

import numpy as np

from ..runtime.compiling import njit

SUMS = {"reassoc", "contract"}  # in several lanes, alike for every pair


@njit(cache=True, nogil=True, fastmath=SUMS, forceinline=True)
def squared_distance(points, i, j):  # type: ignore[no-untyped-def]
    """Return the squared distance of two rows, by differences."""
    one, other, total = points[i], points[j], 0.0
    for at in range(len(one)):
        step = one[at] - other[at]
        total += step * step
    return total


UNIT = 2.0**-24  # rounding of single precision
RUN = 512  # products looked at together: they stay in the first cache


@njit(cache=True, nogil=True)
def count_beyond(products, rows, near, points, bounds, beyond):  # type: ignore[no-untyped-def]
    """Add up by how much the ranks of ``near`` points exceed their number, row by row.

    ``products`` are inner products of centred points in single precision, and ``bounds`` their
    squared norms, the square of their scale, and the slack: as a share of a pair's squared norms,
    and of all alike. What lies within it of a limit is decided by differences in double precision,
    and ties by index.
    """
    norms, unit, share, slack = bounds
    n, k = products.shape[1], near.shape[1]
    limits, low, high = np.empty(k), np.empty(k, np.float32), np.empty(k, np.float32)
    nearer, most = np.empty(k, np.int64), np.empty(n, np.float32)
    less, more = np.float32(1.0 - share), np.float32(1.0 + share)
    for i in range(len(rows)):
        row, least = rows[i], products[i]
        for other in range(n):
            twice = np.float32(2.0) * least[other]
            least[other], most[other] = less * norms[other] - twice, more * norms[other] - twice
        least[row], most[row] = np.inf, np.inf  # nobody is nearer to itself
        for m in range(k):
            limits[m] = squared_distance(points, row, near[i, m])
            middle = unit * limits[m] - np.float64(norms[row])
            off = slack + share * norms[row] + UNIT * 4.0 * abs(middle)
            low[m], high[m] = np.float32(middle - off), np.float32(middle + off)
            nearer[m] = 0
        for first in range(0, n, RUN):
            run = least[first : first + RUN], most[first : first + RUN]
            for m in range(k):
                below, reached = count_run(*run, low[m], high[m])
                nearer[m] += below
                if reached > below:
                    window, rival = (low[m], high[m]), (near[i, m], limits[m])
                    nearer[m] += settle_run(run, first, window, points, row, rival)
        total = 0
        for m in range(k):
            total += max(nearer[m] + 1 - k, 0)
        beyond[i] = total


@njit(cache=True, nogil=True, forceinline=True)
def count_run(least, most, low, high):  # type: ignore[no-untyped-def]
    """Return how many are at most below ``low``, and how many at least do not exceed ``high``."""
    below, reached = np.int32(0), np.int32(0)
    for at in range(len(least)):
        below += np.int32(1) if most[at] < low else np.int32(0)
        reached += np.int32(1) if least[at] <= high else np.int32(0)
    return below, reached


@njit(cache=True, nogil=True, forceinline=True)
def settle_run(run, first, window, points, row, rival):  # type: ignore[no-untyped-def]
    """Return how many points of a run within the window are nearer to ``row`` than its rival."""
    (least, most), (low, high), (who, limit), nearer = run, window, rival, 0
    for at in range(len(least)):
        other = first + at
        if least[at] <= high and not most[at] < low and other != who:
            length = squared_distance(points, row, other)
            nearer += length < limit or (length == limit and other < who)
    return nearer


DIGIT = 11  # bits that a pass sorts by
SHORT = 24  # numbers that are sorted by insertion
INDEX = np.uint64(0xFFFFFFFF)  # the half of an entry that says where it stood


@njit(cache=True, nogil=True)
def rank_rows(distances, own, ranks):  # type: ignore[no-untyped-def]
    """Fill the rank of every column in each row; ``own`` has rank 0, equal ones go by index.

    The bits of a positive number, read as a whole number, are in its order. What single precision
    has of them between the least and the largest of a row is cut to two digits and sorted in two
    passes that keep what is equal in order; the few that digits cannot tell apart are then sorted
    in double precision.
    """
    n = distances.shape[1]
    one, other = np.empty(n, np.uint64), np.empty(n, np.uint64)
    single = np.empty(n, np.float32)
    bits = single.view(np.uint32)
    counts = np.empty((2, 1 << DIGIT), np.int32)
    for i in range(len(own)):
        row, me = distances[i], own[i]
        for j in range(n):
            single[j] = np.float32(row[j] + 0.0)  # of -0.0 the bits are those of the largest
        single[me] = single[me - 1] if me > 0 else single[n - 1]
        least, most = bits[0], bits[0]
        for j in range(n):
            least, most = min(least, bits[j]), max(most, bits[j])
        shift = np.uint32(0)
        while (most - least) >> shift >= np.uint32(1 << (2 * DIGIT)):
            shift += np.uint32(1)
        used = make_entries(bits, me, (least, shift), one, counts)
        scatter(one, other, used, counts[0], 32)
        scatter(other, one, used, counts[1], 32 + DIGIT)
        settle(one, used, row)
        for place in range(used):
            ranks[i, one[place] & INDEX] = place + 1
        ranks[i, me] = 0


@njit(cache=True, nogil=True)
def make_entries(bits, me, cut, entries, counts):  # type: ignore[no-untyped-def]
    """Fill the entries, key and index, of all but one; return their number.

    ``counts`` get where the entries of each digit begin.
    """
    (least, shift), used = cut, 0
    low = np.uint32((1 << DIGIT) - 1)
    counts[:] = 0
    for j in range(len(bits)):
        if j != me:
            key = (bits[j] - least) >> shift
            counts[0, key & low] += 1
            counts[1, key >> np.uint32(DIGIT)] += 1
            entries[used] = (np.uint64(key) << np.uint64(32)) | np.uint64(j)
            used += 1
    for digit in range(2):
        start = np.int32(0)
        for cell in range(1 << DIGIT):
            count = counts[digit, cell]
            counts[digit, cell] = start
            start += count
    return used


@njit(cache=True, nogil=True)
def scatter(given, sorted_ones, used, starts, first):  # type: ignore[no-untyped-def]
    """Put entries in the order of a digit that begins at bit ``first``, equal ones as they come."""
    shift, mask = np.uint64(first), np.uint64((1 << DIGIT) - 1)
    for place in range(used):
        entry = given[place]
        digit = (entry >> shift) & mask
        sorted_ones[starts[digit]] = entry
        starts[digit] += 1


@njit(cache=True, nogil=True)
def settle(entries, used, row):  # type: ignore[no-untyped-def]
    """Sort runs of entries with equal keys by their numbers in double precision."""
    first = 0
    while first < used:
        last = first + 1
        key = entries[first] >> np.uint64(32)
        while last < used and entries[last] >> np.uint64(32) == key:
            last += 1
        if last - first > SHORT:
            run = entries[first:last].copy()
            numbers = np.empty(last - first)
            for at in range(last - first):
                numbers[at] = row[run[at] & INDEX]
            order = np.argsort(numbers, kind="mergesort")  # which keeps equal ones in order
            for at in range(last - first):
                entries[first + at] = run[order[at]]
        elif last - first > 1:
            for at in range(first + 1, last):
                entry, slot = entries[at], at
                number = row[entry & INDEX]
                while slot > first and row[entries[slot - 1] & INDEX] > number:
                    entries[slot] = entries[slot - 1]
                    slot -= 1
                entries[slot] = entry
        first = last


@njit(cache=True, nogil=True, fastmath=SUMS)
def tally_ranks(before, after, k, weights, tallies, counts, squares):  # type: ignore[no-untyped-def]
    """Fill what each row tells: excess ranks of intruders, of those torn away, the kept, the area.

    With c(K) the number of points among both K nearest, ``counts`` and ``squares`` get the sums of
    c and c^2 over the rows, and the area is the sum of ``weights`` times c.
    """
    n = before.shape[1]
    reached = np.empty(n, np.int64)
    for i in range(len(before)):
        one, other = before[i], after[i]
        reached[:] = 0
        for j in range(n):
            reached[max(one[j], other[j])] += 1
        intruding, torn = 0, 0
        for j in range(n):
            intruding += max(one[j] - k, 0) if other[j] <= k else 0
            torn += max(other[j] - k, 0) if one[j] <= k else 0
        reached[0] = 0  # the point itself
        for at in range(1, n):
            reached[at] += reached[at - 1]
        area = 0.0
        for at in range(n):
            area += weights[at] * reached[at]
        for at in range(n):
            counts[at] += reached[at]
            squares[at] += reached[at] * reached[at]
        tallies[0, i], tallies[1, i], tallies[2, i] = intruding, torn, reached[k]
        tallies[3, i] = area
