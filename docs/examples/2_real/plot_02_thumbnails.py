"""
Images where they lie
=====================

The digits 0 and 1 on a map by Isomap, drawn as themselves: slant and width become directions.
"""

# %%
from sklearn.datasets import load_digits

from unspool import Isomap, plot

images, digit = load_digits(return_X_y=True)
chosen = images[digit <= 1]
model = Isomap(2, n_neighbors=8).fit(chosen)
figure = plot.thumbnails(model, chosen.reshape(-1, 8, 8))
