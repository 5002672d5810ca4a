"""
Unroll a Swiss roll
===================

A sheet of paper, rolled up in space. Distances through the air are short where the way along
the paper is long; Isomap measures along the paper, PCA looks from one side.
"""

# %%
import matplotlib.pyplot as plt

from unspool import PCA, Isomap, datasets, plot

roll = datasets.swiss_roll(1500)
maps = {"PCA": PCA(2), "Isomap": Isomap(2, n_neighbors=10)}
figure, panels = plt.subplots(1, len(maps), figsize=(3.6 * len(maps), 3.6), layout="constrained")
for axes, (name, method) in zip(panels, maps.items(), strict=True):
    plot.embedding(method.fit(roll.points), roll.coordinates[:, 0], axes=axes, title=name)
