"""
Compare a map with the truth
============================

Generators know the flat coordinates of their points. How much of them can be read off a map by
a linear fit is one number for each.
"""

# %%
from unspool import LLE, LTSA, HessianLLE, Isomap, ModifiedLLE, datasets, plot, quality

roll = datasets.swiss_roll(1500)
maps = {}
for method in (Isomap, LLE, ModifiedLLE, HessianLLE, LTSA):
    maps[method.__name__] = method(2, n_neighbors=12).fit_transform(roll.points)
    share = quality.explained_by(maps[method.__name__], roll.coordinates)
    print(f"{method.__name__:12} {share.round(3)}")

# %%
# LLE bends the sheet, the others lay it flat.

figure = plot.comparison({"truth": roll.coordinates, **maps}, roll.coordinates[:, 0], columns=3)
