"""
Handwritten digits, three ways
==============================

1,797 images of 64 pixels. PCA shows what varies most, Isomap distances along the data, t-SNE
who is beside whom. Colours are the digits, which no method saw.
"""

# %%
import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from unspool import PCA, TSNE, Isomap, plot

images, digit = load_digits(return_X_y=True)
names = digit.astype(str)
maps = {"PCA": PCA(2), "Isomap": Isomap(2, n_neighbors=10), "t-SNE": TSNE(2)}
figure, panels = plt.subplots(1, len(maps), figsize=(3.6 * len(maps), 3.6), layout="constrained")
for number, (axes, (name, method)) in enumerate(zip(panels, maps.items(), strict=True)):
    plot.embedding(method.fit(images), names, axes=axes, title=name, show_key=number == 2)
