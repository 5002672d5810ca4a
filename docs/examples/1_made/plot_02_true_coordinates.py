"""
Compare a map with the truth
============================

Generators know the flat coordinates of their points. How much of them can be read off a map by
a linear fit is one number for each.
"""

# %%
from unspool import LLE, LTSA, HessianLLE, Isomap, ModifiedLLE, datasets, plot, quality

roll = datasets.swiss_roll(1500)
for method in (Isomap, LLE, ModifiedLLE, HessianLLE, LTSA):
    model = method(2, n_neighbors=12).fit(roll.points)
    share = quality.explained_by(model.embedding_, roll.coordinates)
    print(f"{method.__name__:12} {share.round(3)}")

# %%
# LLE bends the sheet, the others lay it flat.

figure = plot.embedding(LLE(2, n_neighbors=12).fit(roll.points), roll.coordinates[:, 0])
