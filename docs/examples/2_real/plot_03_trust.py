"""
Where a map may be read
=======================

Trustworthiness point by point: dark points have strangers among their neighbours on the map.
"""

# %%
from sklearn.datasets import load_digits

from unspool import Isomap, plot, quality

images, _ = load_digits(return_X_y=True)
model = Isomap(2, n_neighbors=10).fit(images)
figure = plot.trust(model.embedding_, quality.trustworthiness(images, model.embedding_))
