"""
A curve through the middle of a cloud
=====================================

A principal curve is where each of its points is the mean of the data that project on it. Its
coordinate is arc length.
"""

# %%
import numpy as np

from unspool import PrincipalCurve, plot

rng = np.random.default_rng(0)
angle = rng.uniform(0.3, 2.8, 300)
points = np.column_stack([np.cos(angle), np.sin(angle)]) + 0.08 * rng.standard_normal((300, 2))
model = PrincipalCurve(span=0.4).fit(points)
figure = plot.embedding(points, model.embedding_[:, 0], title="arc length")
ends = model.inverse_transform(np.linspace(*np.quantile(model.embedding_, (0, 1)), 200)[:, None])
figure.axes[0].plot(*ends.T, color="black", lw=1.5)
