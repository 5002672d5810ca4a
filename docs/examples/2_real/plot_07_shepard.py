"""
Distances in the data and on the map
====================================

A Shepard diagram: each dot is a pair. Metric MDS keeps the distances, non-metric MDS their
order.
"""

# %%
import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

from unspool import MDS, plot, quality

flowers = load_iris().data
figure, panels = plt.subplots(1, 2, figsize=(7.4, 3.6), layout="constrained")
for axes, metric in zip(panels, (True, False), strict=True):
    model = MDS(2, ordinal=not metric).fit(flowers)
    diagram = quality.shepard(flowers, model.embedding_)
    plot.shepard(diagram, axes=axes, title="metric" if metric else "ordinal")
