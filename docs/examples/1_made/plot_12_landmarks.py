"""
Isomap of many points
=====================

Landmark Isomap measures paths from a few points only. A hundred thousand points take seconds,
and the map is the same sheet.
"""

# %%
from time import perf_counter

from unspool import LandmarkIsomap, datasets, plot, quality

roll = datasets.swiss_roll(20_000)
began = perf_counter()
model = LandmarkIsomap(2, n_neighbors=10, n_landmarks=100).fit(roll.points)
share = quality.explained_by(model.embedding_, roll.coordinates).round(3)
print(f"{len(roll.points)} points in {perf_counter() - began:.1f} s, R^2 of the truth {share}")
figure = plot.embedding(model, roll.coordinates[:, 0])
