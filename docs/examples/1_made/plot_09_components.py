"""
Data in several pieces
======================

A neighbour graph may fall into connected components. Each is mapped on its own and they are
laid side by side, so that every place of the map belongs to one.
"""

# %%
import warnings

import numpy as np

from unspool import LLE, datasets, plot

curve = datasets.s_curve(500).points
both = np.vstack([curve, datasets.s_curve(300, seed=1).points + 20])
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it tells of two components, which is the point
    model = LLE(2, n_neighbors=10).fit(both)
figure = plot.embedding(model, np.array(["first", "second"])[model.component_labels_])
