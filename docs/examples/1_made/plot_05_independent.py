"""
Coordinates that repeat each other
==================================

On a long sheet the second eigenvector of Laplacian eigenmaps is a function of the first: the
map is a bent line. ``independent=True`` looks for the first vector that is none.
"""

# %%
import matplotlib.pyplot as plt

from unspool import LaplacianEigenmaps, datasets, plot

roll = datasets.swiss_roll(1500)
figure, panels = plt.subplots(1, 2, figsize=(7.4, 3.6), layout="constrained")
for axes, independent in zip(panels, (False, True), strict=True):
    model = LaplacianEigenmaps(2, n_neighbors=10, independent=independent).fit(roll.points)
    title = f"independent={independent}"
    plot.embedding(model, roll.coordinates[:, 0], axes=axes, title=title)
print("chosen:", model.selected_)
