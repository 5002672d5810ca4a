"""
New rows on an old map
======================

Half of the digits are fitted, the others are placed by ``transform``: each on its own, and the
fitted ones keep their place.
"""

# %%
import numpy as np
from sklearn.datasets import load_digits

from unspool import Isomap, plot

images, digit = load_digits(return_X_y=True)
model = Isomap(2, n_neighbors=10).fit(images[::2])
placed = model.transform(images[1::2])
both = np.vstack([model.embedding_, placed])
kind = np.repeat(["fitted", "placed"], [len(model.embedding_), len(placed)])
print("a fitted row stays:", np.allclose(model.transform(images[:10:2]), model.embedding_[:5]))
figure = plot.embedding(both, kind)
