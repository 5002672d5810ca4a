"""The patch of LTSA: coordinates that depart from an affine map of the tangent plane."""

from __future__ import annotations

import numpy as np

from ...values import Array


def tangent_patches(tangents: Array) -> Array:
    """Return I - G G' with G = [1/sqrt(m), tangents]: what is not affine on each neighbourhood.

    ``tangents`` (b, m, d) are orthonormal and centred (Zhang and Zha 2004).
    """
    b, m, _ = tangents.shape
    constant = np.full((b, m, 1), 1.0 / np.sqrt(m))
    frame = np.concatenate([constant, tangents], axis=2)
    return np.asarray(np.eye(m) - frame @ frame.transpose(0, 2, 1))
