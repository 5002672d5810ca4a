"""Compiled loops: the bandwidth of every point by bisection, and the forces between points.

NumPy would take 50 passes over all neighbours of all points; here a row stays in cache until its
bandwidth is found, and most need 10 to 20 steps (n = 10,000 and 90 neighbours: 0.1 s on one core).

Every point sums its own forces in an order that does not depend on the threads, so that the same
seed gives the same map on any number of them. B-splines carry points to a grid and its
potential back to them; a tree (Barnes and Hut 1986) serves where a grid would be larger than that.
"""

from __future__ import annotations

import numpy as np

from ..runtime.compiling import njit

# mypy: allow-untyped-defs, allow-untyped-decorators, allow-untyped-calls


STEPS = 100  # of doubling and bisection; 60 exhaust the digits of a double
CLOSE = 1e-10  # to the wanted entropy
# mypy: allow-untyped-defs, allow-untyped-decorators, allow-untyped-calls


SUMS = {"reassoc", "contract", "nsz", "arcp"}
ORDER = 6  # nodes that a place touches along an axis: splines of degree 5
LEAF = 8  # points that a cell of the tree holds at most, unless they share a place
BITS = 20  # halvings of each axis: three axes fit one number of 64 bits


@njit(cache=True, error_model="numpy", nogil=True)
def fit_bandwidths(starts, distances, counts, entropy, probabilities, begin, end):
    """Fill the probabilities count exp(-b d^2), each row with the b that gives it this entropy.

    A neighbour that stands for several equal points counts as often, in the entropy too.

    Distances are taken less the smallest of the row, which cancels and keeps the exponentials from
    vanishing all at once. A row whose points are equally far is uniform whatever its bandwidth.
    """
    for i in range(begin, end):
        squares = distances[starts[i] : starts[i + 1]] ** 2
        row = probabilities[starts[i] : starts[i + 1]]
        often = counts[starts[i] : starts[i + 1]]
        squares -= squares.min()
        mean = squares.mean()
        low, high, precision = 0.0, np.inf, 1.0 / mean if mean > 0.0 else 1.0
        for _ in range(STEPS):
            total, moment = 0.0, 0.0
            for k in range(len(row)):
                row[k] = often[k] * np.exp(-precision * squares[k])
                total += row[k]
                moment += row[k] * squares[k]
            excess = np.log(total) + precision * moment / total - entropy
            if np.abs(excess) <= CLOSE or mean == 0.0:
                break
            if excess > 0.0:
                low = precision
                precision = 2.0 * precision if high == np.inf else 0.5 * (low + high)
            else:
                high = precision
                precision = 0.5 * (low + high)
            if (precision == low and precision == high) or not np.isfinite(precision):
                break
        row /= row.sum()


@njit(cache=True, error_model="numpy", nogil=True, fastmath=SUMS)
def attract(starts, neighbors, affinities, places, forces, begin, end):
    """Fill sum_j p_ij (y_i - y_j) / (1 + |y_i - y_j|^2) for points begin..end.

    Neighbours are unsigned: signed numbers may count from the end, and to ask that of each takes
    longer than the rest (10,000 points with 122 neighbours: 2.9 ms, 1.4 ms without).
    """
    width = places.shape[1]
    if width == 2:
        for i in range(begin, end):
            x, y = places[i, 0], places[i, 1]
            right, up = 0.0, 0.0
            own = slice(starts[i], starts[i + 1])
            near, shares = neighbors[own], affinities[own]
            for k in range(len(near)):
                j = np.uint64(near[k])
                a, b = x - places[j, 0], y - places[j, 1]
                pull = shares[k] / (1.0 + a * a + b * b)
                right += pull * a
                up += pull * b
            forces[i, 0], forces[i, 1] = right, up
        return
    for i in range(begin, end):
        forces[i] = 0.0
        own = slice(starts[i], starts[i + 1])
        near, shares = neighbors[own], affinities[own]
        for k in range(len(near)):
            j = np.uint64(near[k])
            square = 0.0
            for c in range(width):
                square += (places[i, c] - places[j, c]) ** 2
            pull = shares[k] / (1.0 + square)
            for c in range(width):
                forces[i, c] += pull * (places[i, c] - places[j, c])


@njit(cache=True, error_model="numpy", nogil=True, fastmath=SUMS)
def attract_queries(starts, neighbors, affinities, places, points, forces, losses, begin, end):
    """Fill the same pull and sum_j p_ij log(1 + |z_i - y_j|^2) for points beside the map."""
    width = places.shape[1]
    for i in range(begin, end):
        forces[i] = 0.0
        loss = 0.0
        own = slice(starts[i], starts[i + 1])
        near, shares = neighbors[own], affinities[own]
        for k in range(len(near)):
            j = np.uint64(near[k])
            square = 0.0
            for c in range(width):
                square += (points[i, c] - places[j, c]) ** 2
            pull = shares[k] / (1.0 + square)
            loss += shares[k] * np.log(1.0 + square)
            for c in range(width):
                forces[i, c] += pull * (points[i, c] - places[j, c])
        losses[i] = loss


@njit(cache=True, error_model="numpy", nogil=True)
def move(state, gradient, momentum, rate, least_gain, moved, begin, end):
    """Fill places, velocity and gains after an update; a gain grows where the way goes on."""
    places, velocity, gains = state
    for i in range(begin, end):
        for c in range(places.shape[1]):
            turned = gradient[i, c] * velocity[i, c] > 0.0
            gain = max(gains[i, c] * 0.8 if turned else gains[i, c] + 0.2, least_gain)
            step = momentum * velocity[i, c] - rate * gain * gradient[i, c]
            moved[0][i, c] = places[i, c] + step
            moved[1][i, c] = step
            moved[2][i, c] = gain


@njit(cache=True, error_model="numpy", nogil=True, fastmath=SUMS)
def repel_all(points, places, counts, forces, potentials, begin, end):
    """Fill sum_j c_j (z_i - y_j) / (1 + |z_i - y_j|^2)^2 and sum_j c_j / (1 + ...), over places y.

    ``places`` has one row per coordinate; ``counts`` says how many points share each.
    """
    width, n = places.shape
    near = np.empty(n)
    for i in range(begin, end):
        near[:] = 1.0
        for c in range(width):
            here, axis = points[i, c], places[c]
            for j in range(n):
                near[j] += (here - axis[j]) ** 2
        total = 0.0
        for j in range(n):
            near[j] = 1.0 / near[j]
            total += counts[j] * near[j]
        potentials[i] = total
        for c in range(width):
            here, axis = points[i, c], places[c]
            force = 0.0
            for j in range(n):
                force += counts[j] * near[j] * near[j] * (here - axis[j])
            forces[i, c] = force


@njit(cache=True, error_model="numpy", nogil=True)
def spread(places, counts, corner, spacing, grids, begin, end):
    """Fill grids begin..end: each with its share of the places, by B-splines of ``ORDER`` nodes.

    Shares are fixed, so that their sum is the same on any number of threads. One or two axes.
    """
    along, across, slopes = np.empty(ORDER), np.ones(ORDER), np.empty(ORDER)
    wide = ORDER if places.shape[1] == 2 else 1
    share = -(-len(places) // len(grids))
    for g in range(begin, end):
        grid = grids[g]
        grid[:] = 0.0
        for i in range(g * share, min((g + 1) * share, len(places))):
            u = (places[i, 0] - corner[0]) / spacing
            a, b = int(u), 0
            _spline(u - a, along, slopes)
            if wide > 1:
                v = (places[i, 1] - corner[1]) / spacing
                b = int(v)
                _spline(v - b, across, slopes)
            for r in range(ORDER):
                mass = counts[i] * along[r]
                for c in range(wide):
                    grid[a + r, b + c] += mass * across[c]


@njit(cache=True, error_model="numpy", nogil=True)
def gather(points, corner, spacing, grid, forces, potentials, begin, end):
    """Fill the potential on the grid and minus half its gradient at points begin..end.

    A point beyond the grid takes what its edge has.
    """
    along, across = np.empty(ORDER), np.ones(ORDER)
    rises, climbs = np.empty(ORDER), np.zeros(ORDER)
    wide = ORDER if points.shape[1] == 2 else 1
    rows, columns = grid.shape[0] - ORDER, grid.shape[1] - ORDER
    for i in range(begin, end):
        u = min(max((points[i, 0] - corner[0]) / spacing, 0.0), float(rows))
        a, b = int(u), 0
        _spline(u - a, along, rises)
        if wide > 1:
            v = min(max((points[i, 1] - corner[1]) / spacing, 0.0), float(columns))
            b = int(v)
            _spline(v - b, across, climbs)
        potential, right, up = 0.0, 0.0, 0.0
        for r in range(ORDER):
            value, rise = 0.0, 0.0
            for c in range(wide):
                value += across[c] * grid[a + r, b + c]
                rise += climbs[c] * grid[a + r, b + c]
            potential += along[r] * value
            right += rises[r] * value
            up += along[r] * rise
        potentials[i] = potential
        forces[i, 0] = -0.5 * right / spacing
        if wide > 1:
            forces[i, 1] = -0.5 * up / spacing


@njit(forceinline=True, error_model="numpy")
def _spline(t, weights, slopes):
    """Fill a B-spline's weights of the nodes around a place, and their slopes, by recursion.

    ``t`` is how far the place is from the last of the nodes before it (Essmann et al. 1995, 4.1).
    """
    weights[0], weights[1] = 1.0 - t, t
    for order in range(3, ORDER + 1):
        if order == ORDER:
            slopes[0] = -weights[0]
            for k in range(1, ORDER - 1):
                slopes[k] = weights[k - 1] - weights[k]
            slopes[ORDER - 1] = weights[ORDER - 2]
        share = 1.0 / (order - 1)
        weights[order - 1] = share * t * weights[order - 2]
        for k in range(order - 2, 0, -1):
            before, after = t + (order - 1 - k), 1.0 - t + k
            weights[k] = share * (before * weights[k - 1] + after * weights[k])
        weights[0] = share * (1.0 - t) * weights[0]


@njit(cache=True, error_model="numpy", nogil=True)
def morton_codes(places, corner, side, codes):
    """Fill the number of the smallest cell of each place, the bits of its axes interleaved."""
    width = places.shape[1]
    most = 2**BITS - 1
    for i in range(len(places)):
        code = np.int64(0)
        for c in range(width):
            cell = min(int((places[i, c] - corner[c]) / side * 2**BITS), most)
            for bit in range(BITS):
                code |= np.int64((cell >> bit) & 1) << (bit * width + c)
        codes[i] = code


@njit(cache=True, error_model="numpy", nogil=True)
def build_tree(codes, places, counts, side, firsts, lasts, skips, sides, masses, centers):
    """Fill the cells of a tree over places in the order of their codes; return their number.

    Cells stand in depth-first order. ``skips`` is the cell that follows the whole of a cell, a
    leaf's negative less one; ``centers`` are means.
    """
    width = places.shape[1]
    stack = np.empty((BITS * 2**width + 2, 3), np.int64)
    stack[0] = 0, len(codes), BITS
    waiting, cells = 1, 0
    while waiting:
        waiting -= 1
        first, last, level = stack[waiting]
        cell = cells
        cells += 1
        firsts[cell], lasts[cell] = first, last
        sides[cell] = side * 2.0 ** (level - BITS)
        masses[cell] = counts[first:last].sum()
        for c in range(width):
            total = 0.0
            for i in range(first, last):
                total += counts[i] * places[i, c]
            centers[cell, c] = total / masses[cell]
        skips[cell] = 0
        if last - first <= LEAF or level == 0:
            skips[cell] = -1
            continue
        # the children, pushed last first so that the first is next
        shift = (level - 1) * width
        end = last
        while end > first:
            child = codes[end - 1] >> shift
            low, high = first, end - 1
            while low < high:
                middle = (low + high) // 2
                if codes[middle] >> shift == child:
                    high = middle
                else:
                    low = middle + 1
            stack[waiting] = low, end, level - 1
            waiting += 1
            end = low
    # what follows a cell is the next one that begins where it ends
    for cell in range(cells - 1, -1, -1):
        leaf = skips[cell] == -1
        after = cell + 1
        if not leaf:
            while after < cells and firsts[after] < lasts[cell]:
                after = skips[after] if skips[after] >= 0 else -skips[after] - 1
        skips[cell] = -after - 1 if leaf else after
    return cells


@njit(cache=True, error_model="numpy", nogil=True)
def repel_cells(points, places, counts, angle, tree, forces, potentials, begin, end):
    """Fill forces and potentials as ``repel_all`` does, far cells by the mean of their places."""
    firsts, lasts, skips, sides, masses, centers = tree
    width = places.shape[1]
    for i in range(begin, end):
        forces[i] = 0.0
        potential = 0.0
        cell = 0
        while cell < len(firsts):
            square = 0.0
            for c in range(width):
                square += (points[i, c] - centers[cell, c]) ** 2
            skip = skips[cell]
            if sides[cell] * sides[cell] < angle * angle * square:
                near = 1.0 / (1.0 + square)
                weight = near * masses[cell]
                potential += weight
                for c in range(width):
                    forces[i, c] += weight * near * (points[i, c] - centers[cell, c])
                cell = skip if skip >= 0 else -skip - 1
            elif skip < 0:
                for j in range(firsts[cell], lasts[cell]):
                    square = 0.0
                    for c in range(width):
                        square += (points[i, c] - places[j, c]) ** 2
                    near = 1.0 / (1.0 + square)
                    potential += counts[j] * near
                    for c in range(width):
                        forces[i, c] += counts[j] * near * near * (points[i, c] - places[j, c])
                cell = -skip - 1
            else:
                cell += 1
        potentials[i] = potential
