"""
What a map stretches
====================

Ellipses show what the map does to a small circle around a point: long ones are stretched, large
ones blown up.
"""

# %%
from unspool import LLE, datasets, plot, quality

roll = datasets.swiss_roll(1200)
model = LLE(2, n_neighbors=12).fit(roll.points)
distortion = quality.local_distortion(roll.points, model.embedding_)
figure = plot.ellipses(model.embedding_, distortion, roll.coordinates[:, 0])
