"""How two maps are compared: exactly, up to signs of the axes, or up to a rigid motion."""

import numpy as np
from scipy.linalg import orthogonal_procrustes


def relative(found, expected):
    """Return the largest difference as a share of the largest expected entry."""
    found, expected = np.asarray(found, np.float64), np.asarray(expected, np.float64)
    assert found.shape == expected.shape
    assert np.isfinite(found).all()
    return np.abs(found - expected).max() / np.abs(expected).max()


def up_to_signs(found, expected):
    """Return the difference, each axis turned to where it fits better."""
    signs = np.sign(np.einsum("ij,ij->j", found, expected))
    return relative(found * signs, expected)


def up_to_motion(found, expected):
    """Return the difference after the rotation, reflection and shift that fit best."""
    found, expected = found - found.mean(axis=0), expected - expected.mean(axis=0)
    rotation, _ = orthogonal_procrustes(found, expected)
    return relative(found @ rotation, expected)


def angle_between(found, expected):
    """Return the sine of the largest angle between the spaces that the columns span."""
    found, expected = np.linalg.qr(found)[0], np.linalg.qr(expected)[0]
    return np.linalg.norm(found - expected @ (expected.T @ found), 2)
