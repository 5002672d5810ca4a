"""
From t-SNE to Laplacian eigenmaps
=================================

Attraction against repulsion: ``exaggeration=1`` is t-SNE, about 4 looks like UMAP, very large
is the eigenvectors of the same affinities.
"""

# %%
import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from unspool import TSNE, plot

images, digit = load_digits(return_X_y=True)
figure, panels = plt.subplots(1, 3, figsize=(10.5, 3.6), layout="constrained")
for number, (axes, exaggeration) in enumerate(zip(panels, (1.0, 4.0, 50.0), strict=True)):
    model = TSNE(2, exaggeration=exaggeration).fit(images)
    title = f"exaggeration={exaggeration:g}"
    plot.embedding(model, digit.astype(str), axes=axes, title=title, show_key=number == 2)
