"""
Clusters that few edges leave
=============================

Two rings: k-means cuts through them, spectral clustering follows the points.
"""

# %%
import matplotlib.pyplot as plt
from sklearn.cluster import KMeans
from sklearn.datasets import make_circles

from unspool import SpectralClustering, plot

rings, _ = make_circles(500, factor=0.4, noise=0.06, random_state=1)
clusters = {
    "k-means": KMeans(2, n_init=5, random_state=0).fit(rings).labels_,
    "spectral": SpectralClustering(n_clusters=2, n_neighbors=10).fit(rings).labels_,
}
figure, panels = plt.subplots(1, 2, figsize=(7.4, 3.6), layout="constrained")
for axes, (name, labels) in zip(panels, clusters.items(), strict=True):
    plot.embedding(rings, labels.astype(str), axes=axes, title=name)
