"""
A law between variables
=======================

Additive PCA looks for functions of the single variables whose sum hardly varies: a law that
ties them together, found without being told its form.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

from unspool import AdditivePCA

rng = np.random.default_rng(0)
x, y = rng.uniform(-2, 2, 400), rng.uniform(0.5, 3, 400)
z = np.sin(2 * x) + np.log(y)
table = np.column_stack([x, y, z])
model = AdditivePCA(1, end="smallest", n_knots=16).fit(table)
parts = model.transformations(table)[:, :, 0]
figure, panels = plt.subplots(1, 3, figsize=(9, 2.8), layout="constrained")
for axes, name, values, part in zip(panels, "xyz", table.T, parts.T, strict=True):
    axes.plot(values, part, ".", ms=3)
    axes.set_xlabel(name)
print("variance of the sum:", model.eigenvalues_)
