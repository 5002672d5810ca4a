"""
A sheet with a hole
===================

Isomap measures along paths, and paths must go around a hole: the map swells there. Hessian LLE
looks at neighbourhoods only.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

from unspool import HessianLLE, Isomap, datasets, plot

roll = datasets.swiss_roll(3000)
u, v = (roll.coordinates - roll.coordinates.mean(0)).T / np.ptp(roll.coordinates, axis=0)[:, None]
kept = (np.abs(u) > 0.18) | (np.abs(v) > 0.22)
points, color = roll.points[kept], u[kept]
figure, panels = plt.subplots(1, 2, figsize=(7.4, 3.6), layout="constrained")
for axes, method in zip(panels, (Isomap, HessianLLE), strict=True):
    model = method(2, n_neighbors=12).fit(points)
    plot.embedding(model, color, axes=axes, title=method.__name__)
