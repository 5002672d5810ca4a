# mypy: allow-untyped-defs, allow-untyped-decorators, allow-untyped-calls
"""Compiled loops of multidimensional scaling: stress, its gradient, ordinal fits, other distances.

One pass over the table computes loss and gradient together: at n = 2,000 it takes 5 ms (float32:
2 ms) on one core, where NumPy needs 120 ms and six tables. Sums are taken, and adjacent violators
pooled, in chunks whose number does not depend on the machine, so that the same seed gives the same
map on any number of threads. A call does the chunks ``begin`` to ``end``, and Python's own threads
share the calls out: numba's hang in a process that is forked after them.
"""

from __future__ import annotations

import numpy as np

from ..runtime.compiling import njit

# Sums may be vectorised; NaN keeps its meaning (unknown). What is called from another kernel must
# be inlined then: the process that compiles runs its own copy of it, a later one that of the
# caller, and the two may add in another order.
SUMS = {"reassoc", "contract", "nsz"}
RUN = 256  # pairs whose distances or pulls are computed in vectors before they are handed out
GROUP = 32  # neighboring values that monotone regression first takes together
FEW = 16  # ties that are sorted by insertion
STEEPEST = 1e-3  # cosine of half an angle: nearer to opposite points the gradient is cut off


@njit(cache=True, error_model="numpy", nogil=True, fastmath=SUMS)
def table_gradient(table, weights, coordinates, gradients, losses, begin, end):
    """Fill gradients (chunks, d, n) and losses (chunks, n) of the pairs above a table's diagonal.

    ``coordinates`` (d, n) has one row per coordinate. ``weights`` may be empty; NaN entries of the
    table do not count. Chunks add up; the loops run from zero, or they would not be vectorised.
    """
    width, n = coordinates.shape
    weighted = weights.shape[0] > 0
    zero = coordinates.dtype.type(0)
    chunks = len(gradients)
    buffer = np.empty(n, coordinates.dtype)
    for c in range(begin, end):
        gradients[c], losses[c] = zero, zero
        for i in range(c, n - 1, chunks):
            rest = n - 1 - i
            pull, share, targets = buffer[:rest], losses[c, i + 1 :], table[i, i + 1 :]
            pull[:] = zero
            for k in range(width):
                here, x = coordinates[k, i], coordinates[k, i + 1 :]
                for j in range(rest):
                    step = here - x[j]
                    pull[j] += step * step
            loss = zero
            if weighted:
                weight = weights[i, i + 1 :]
                for j in range(rest):
                    distance = np.sqrt(pull[j])
                    miss = distance - targets[j]
                    known = miss == miss
                    cost = weight[j] * miss * miss if known else zero
                    loss += cost
                    share[j] += cost
                    pull[j] = weight[j] * miss / distance if known and distance > zero else zero
            else:
                for j in range(rest):
                    distance = np.sqrt(pull[j])
                    miss = distance - targets[j]
                    known = miss == miss
                    cost = miss * miss if known else zero
                    loss += cost
                    share[j] += cost
                    pull[j] = miss / distance if known and distance > zero else zero
            losses[c, i] += loss
            for k in range(width):
                here, x = coordinates[k, i], coordinates[k, i + 1 :]
                others = gradients[c, k, i + 1 :]
                total = zero
                for j in range(rest):
                    force = pull[j] * (here - x[j])
                    total += force
                    others[j] -= force
                gradients[c, k, i] += total


@njit(cache=True, error_model="numpy", nogil=True, fastmath=SUMS)
def plane_gradient(dissimilarities, starts, coordinates, gradients, losses, begin, end):
    """Fill gradients (chunks, 2, n) and losses (chunks) of equally weighted pairs in the plane.

    Those of point i and the points after it are the ``dissimilarities`` from starts[i] on. One loop
    for all of a pair takes less than half the time of ``table_gradient``. It has no loss of each
    point: with a third array to write to, the compiler would not vectorise it.
    """
    n, zero = coordinates.shape[1], coordinates.dtype.type(0)
    for c in range(begin, end):
        gradients[c], losses[c] = zero, 0.0
        for i in range(c, n - 1, len(gradients)):
            targets = dissimilarities[starts[i] : starts[i] + n - 1 - i]
            here, there = coordinates[0, i], coordinates[1, i]
            x, y = coordinates[0, i + 1 :], coordinates[1, i + 1 :]
            others_x, others_y = gradients[c, 0, i + 1 :], gradients[c, 1, i + 1 :]
            loss = total_x = total_y = zero
            for j in range(n - 1 - i):
                step_x, step_y = here - x[j], there - y[j]
                distance = np.sqrt(step_x * step_x + step_y * step_y)
                miss = distance - targets[j]
                miss = miss if miss == miss else zero  # NaN is not known
                loss += miss * miss
                pull = miss / distance if distance > zero else zero
                force_x, force_y = pull * step_x, pull * step_y
                total_x += force_x
                total_y += force_y
                others_x[j] -= force_x
                others_y[j] -= force_y
            losses[c] += np.float64(loss)
            gradients[c, 0, i] += total_x
            gradients[c, 1, i] += total_y


@njit(cache=True, error_model="numpy", nogil=True)
def pair_distances(first, second, points, distances, begin, end):
    """Fill the distances of pairs begin:end on the map, whose ``points`` are rows.

    In the plane one loop for both coordinates, which share a line of the cache, takes two thirds of
    the time, and so does that of the gradient.
    """
    if points.shape[1] == 2:
        for p in range(begin, end):
            i, j = first[p], second[p]
            across, up = points[i, 0] - points[j, 0], points[i, 1] - points[j, 1]
            distances[p] = np.sqrt(across * across + up * up)
        return
    for start in range(begin, end, RUN):
        stop = min(start + RUN, end)
        one, other, answer = first[start:stop], second[start:stop], distances[start:stop]
        answer[:] = 0.0
        for k in range(points.shape[1]):
            for p in range(len(one)):
                step = points[one[p], k] - points[other[p], k]
                answer[p] += step * step
        for p in range(len(one)):
            answer[p] = np.sqrt(answer[p])


@njit(cache=True, error_model="numpy", nogil=True)
def pair_gradient(ends, distances, targets, weights, points, shrink, gradients, begin, end):
    """Fill the gradient of sum w (d^2 (1 - shrink) / 2 - d targets) over a list of pairs.

    ``ends`` are the first and the second points. ``gradients`` (chunks, n, d): each chunk of pairs
    has its own, because pairs share points.
    """
    first, second = ends
    n_pairs, chunks = len(first), len(gradients)
    weighted, pulls = len(weights) > 0, np.empty(RUN)
    for c in range(begin, end):
        gradient = gradients[c]
        gradient[:] = 0.0
        last = n_pairs * (c + 1) // chunks
        for start in range(n_pairs * c // chunks, last, RUN):
            stop = min(start + RUN, last)
            one, other = first[start:stop], second[start:stop]
            there, goal = distances[start:stop], targets[start:stop]
            for p in range(len(one)):
                pulls[p] = 1.0 - shrink - goal[p] / there[p] if there[p] > 0.0 else 0.0
            if weighted:
                weight = weights[start:stop]
                for p in range(len(one)):
                    pulls[p] *= weight[p]
            if points.shape[1] == 2:
                for p in range(len(one)):
                    i, j = one[p], other[p]
                    across = pulls[p] * (points[i, 0] - points[j, 0])
                    up = pulls[p] * (points[i, 1] - points[j, 1])
                    gradient[i, 0] += across
                    gradient[i, 1] += up
                    gradient[j, 0] -= across
                    gradient[j, 1] -= up
                continue
            for k in range(points.shape[1]):
                for p in range(len(one)):
                    step = pulls[p] * (points[one[p], k] - points[other[p], k])
                    gradient[one[p], k] += step
                    gradient[other[p], k] -= step


@njit(cache=True, error_model="numpy", nogil=True, fastmath=SUMS)
def misfit(distances, targets, weights, sums, begin, end):
    """Fill, for each chunk of the pairs (chunks, 2), sum w d^2 and sum w (d - targets)^2."""
    n_pairs, chunks = len(distances), len(sums)
    weighted = len(weights) > 0
    for c in range(begin, end):
        start, stop = n_pairs * c // chunks, n_pairs * (c + 1) // chunks
        there, goal = distances[start:stop], targets[start:stop]
        size, miss = 0.0, 0.0
        if weighted:
            weight = weights[start:stop]
            for p in range(len(there)):
                size += weight[p] * there[p] * there[p]
                miss += weight[p] * (there[p] - goal[p]) ** 2
        else:
            for p in range(len(there)):
                size += there[p] * there[p]
                miss += (there[p] - goal[p]) ** 2
        sums[c, 0], sums[c, 1] = size, miss


@njit(cache=True, error_model="numpy", nogil=True)
def detours(rows, to_relays, from_relays, filled, begin, end):
    """Fill unknown entries of ``rows`` with the shortest way over one relay; inf if there is none.

    ``to_relays`` (rows, m) and ``from_relays`` (m, n) are the two halves of the ways.
    """
    n = rows.shape[1]
    best = np.empty(n)
    for i in range(begin, end):
        best[:] = np.inf
        for r in range(len(from_relays)):
            near = to_relays[i, r]
            if near == near:
                far = from_relays[r]
                for j in range(n):
                    way = near + far[j]
                    best[j] = way if way < best[j] else best[j]
        for j in range(n):
            filled[i, j] = rows[i, j] if rows[i, j] == rows[i, j] else best[j]


@njit(cache=True, error_model="numpy", nogil=True)
def merge_sorted(values, split, order, answer):
    """Fill the order of all values from that of values[:split] and that of the rest."""
    left, right = order[:split], order[split:]
    a, b = 0, 0
    for p in range(len(order)):
        ahead = b == len(right) or (a < len(left) and values[left[a]] <= values[right[b]])
        answer[p] = left[a] if ahead else right[b]
        a, b = a + ahead, b + (not ahead)


@njit(cache=True, error_model="numpy", nogil=True)
def _push(sums, masses, starts, top, floor, total, mass, start):
    """Put a block on the stack, merged with those before while their means do not increase."""
    while top >= floor and sums[top] * mass >= total * masses[top]:
        total, mass, start = total + sums[top], mass + masses[top], starts[top]
        top -= 1
    top += 1
    sums[top], masses[top], starts[top] = total, mass, start
    return top


@njit(cache=True, error_model="numpy", nogil=True, fastmath=SUMS, forceinline=True)
def _sum_and_mass(values, weights, begin, end):
    total, mass = 0.0, float(end - begin)
    if len(weights) > 0:
        mass = 0.0
        for p in range(begin, end):
            total, mass = total + weights[p] * values[p], mass + weights[p]
    else:
        for p in range(begin, end):
            total += values[p]
    return total, mass


@njit(cache=True, error_model="numpy", nogil=True, forceinline=True)
def _pool(values, weights, begin, end, sums, masses, starts):
    """Pool adjacent violators of values[begin:end] into blocks stored from ``begin`` on.

    The fit is the slope of the greatest convex curve below the running sums of values. First the
    curve below every 32nd of them, in vectors; of the others only those below it can be corners,
    which are few, so that the branches of pooling, hard to foretell, are few as well.
    """
    weighted, size = len(weights) > 0, (end - begin + GROUP - 1) // GROUP
    rough_sums, rough_masses = np.empty(size), np.empty(size)
    rough_starts, rough_top = np.empty(size + 1, np.int64), -1
    for first in range(begin, end, GROUP):
        total, mass = _sum_and_mass(values, weights, first, min(first + GROUP, end))
        rough_top = _push(rough_sums, rough_masses, rough_starts, rough_top, 0, total, mass, first)
    rough_starts[rough_top + 1] = end
    top = begin - 1
    for block in range(rough_top + 1):
        mean, last = rough_sums[block] / rough_masses[block], rough_starts[block + 1] - 1
        height, corner, mass, start = 0.0, 0.0, 0.0, rough_starts[block]
        for p in range(start, last + 1):
            weight = weights[p] if weighted else 1.0
            height += weight * (values[p] - mean)  # of the running sum above the rough curve
            mass += weight
            if p == last or (height < 0.0 and values[p] < values[p + 1]):
                total = height - corner + mass * mean
                top = _push(sums, masses, starts, top, begin, total, mass, start)
                corner, mass, start = height, 0.0, p + 1
    return top + 1 - begin


@njit(cache=True, error_model="numpy", nogil=True)
def pool_chunks(values, weights, sums, masses, starts, counts, begin, end):
    """Pool adjacent violators chunk by chunk; ``counts`` (chunks) tells how many blocks remain."""
    n, chunks = len(values), len(counts)
    for c in range(begin, end):
        first, last = n * c // chunks, n * (c + 1) // chunks
        counts[c] = _pool(values, weights, first, last, sums, masses, starts)


@njit(cache=True, error_model="numpy", nogil=True)
def join_chunks(sums, masses, starts, counts):
    """Pool the blocks of all chunks again, in order; return how many are left."""
    n, chunks, top = len(sums), len(counts), -1
    for c in range(chunks):
        begin = n * c // chunks
        for b in range(begin, begin + counts[c]):
            top = _push(sums, masses, starts, top, 0, sums[b], masses[b], starts[b])
    starts[top + 1] = n
    return top + 1


@njit(cache=True, error_model="numpy", nogil=True)
def spread_means(sums, masses, starts, fitted, begin, end):
    """Fill the values of the blocks begin:end with their means."""
    for b in range(begin, end):
        mean = sums[b] / masses[b]
        for p in range(starts[b], starts[b + 1]):
            fitted[p] = mean


@njit(cache=True, error_model="numpy", nogil=True)
def sort_runs(offsets, places, order, kept, distances, begin, end):
    """Sort the distances of each run of ties; ``kept`` are those before, ``order`` the sorting."""
    for r in range(begin, end):
        first, last = offsets[r], offsets[r + 1]
        base = places[first] - first
        for t in range(first, last):
            kept[t] = distances[base + t]
        if last - first > FEW:
            order[first:last] = base + first + np.argsort(kept[first:last])
        else:
            for t in range(first, last):
                slot = t
                while slot > first and distances[order[slot - 1]] > kept[t]:
                    order[slot] = order[slot - 1]
                    slot -= 1
                order[slot] = base + t
        for t in range(first, last):
            distances[base + t] = kept[order[t] - base]


@njit(cache=True, error_model="numpy", nogil=True)
def restore_runs(offsets, places, order, kept, spare, distances, fitted, begin, end):
    """Undo ``sort_runs``, and put what was fitted to the sorted distances back with them."""
    for r in range(begin, end):
        first, last = offsets[r], offsets[r + 1]
        base = places[first] - first
        for t in range(first, last):
            spare[t] = fitted[base + t]
            distances[base + t] = kept[t]
        for t in range(first, last):
            fitted[order[t]] = spare[t]


# Maps whose distance is not Euclidean. For two million pairs in the plane a pass takes 30 ms on one
# core by the city-block distance, where NumPy needs 300 ms and eight arrays of all pairs.


@njit(cache=True, error_model="numpy", nogil=True)
def _length(steps, power, softness, on_sphere):
    """Return the length of one difference, by the p-norm or as an angle between unit vectors."""
    if on_sphere:
        chord = 0.0
        for k in range(len(steps)):
            chord += steps[k] * steps[k]
        return 2.0 * np.arcsin(min(1.0, 0.5 * np.sqrt(chord)))
    largest = 0.0
    for k in range(len(steps)):
        largest = max(largest, np.sqrt(steps[k] * steps[k] + softness * softness))
    if np.isinf(power) or largest == 0.0:
        return largest
    total = 0.0
    for k in range(len(steps)):
        share = np.sqrt(steps[k] * steps[k] + softness * softness) / largest
        total += share if power == 1.0 else share**power
    return largest * total if power == 1.0 else largest * total ** (1.0 / power)


@njit(cache=True, error_model="numpy", nogil=True)
def _slope(steps, length, power, softness, on_sphere, slopes):
    """Fill the derivative of the length by each entry of the difference."""
    if length <= 0.0:
        slopes[:] = 0.0
        return
    if on_sphere:
        half = 0.5 * length
        factor = 1.0 / (2.0 * np.sin(half) * max(np.cos(half), STEEPEST))
        for k in range(len(steps)):
            slopes[k] = steps[k] * factor
        return
    if np.isinf(power):
        slopes[:] = 0.0
        best = 0
        for k in range(len(steps)):
            if abs(steps[k]) > abs(steps[best]):
                best = k
        slopes[best] = np.sign(steps[best])
        return
    for k in range(len(steps)):
        soft = np.sqrt(steps[k] * steps[k] + softness * softness)
        share = 1.0 if power == 1.0 else (soft / length) ** (power - 1.0)
        slopes[k] = share * steps[k] / soft if soft > 0.0 else 0.0


@njit(cache=True, error_model="numpy", nogil=True)
def space_distances(first, second, columns, power, softness, on_sphere, distances, begin, end):
    """Fill the distances of pairs begin:end; ``columns`` (d, n) has one row per coordinate."""
    width = len(columns)
    steps = np.empty(width)
    for p in range(begin, end):
        for k in range(width):
            steps[k] = columns[k, first[p]] - columns[k, second[p]]
        distances[p] = _length(steps, power, softness, on_sphere)


@njit(cache=True, error_model="numpy", nogil=True)
def space_gradient(
    ends, distances, pulls, columns, power, softness, on_sphere, gradients, begin, end
):
    """Fill the sum over pairs of a pull times the gradient of the distance.

    ``gradients`` (chunks, d, n): each chunk of pairs has its own, because pairs share points.
    """
    first, second = ends
    width, n_pairs, chunks = len(columns), len(first), len(gradients)
    steps, slopes = np.empty(width), np.empty(width)
    for c in range(begin, end):
        gradients[c] = 0.0
        for p in range(n_pairs * c // chunks, n_pairs * (c + 1) // chunks):
            i, j = first[p], second[p]
            for k in range(width):
                steps[k] = columns[k, i] - columns[k, j]
            _slope(steps, distances[p], power, softness, on_sphere, slopes)
            for k in range(width):
                force = pulls[p] * slopes[k]
                gradients[c, k, i] += force
                gradients[c, k, j] -= force
