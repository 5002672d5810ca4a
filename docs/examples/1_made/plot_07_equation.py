"""
The equation that points satisfy
================================

Polynomial PCA extends the variables by their products; an eigenvalue of zero is a polynomial
that vanishes on all points.
"""

# %%
import numpy as np

from unspool import PolynomialPCA, plot

rng = np.random.default_rng(1)
angle = rng.uniform(0, 2 * np.pi, 200)
ellipse = np.column_stack([2 * np.cos(angle), np.sin(angle)])
model = PolynomialPCA(degree=2).fit(ellipse)
print(model.equation())
figure = plot.scree(model)
