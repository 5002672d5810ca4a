"""
Kernel PCA and the width of its kernel
======================================

A Gaussian kernel sees nothing but one cloud when it is wide, and single points when it is
narrow.
"""

# %%
import matplotlib.pyplot as plt
from sklearn.datasets import make_circles

from unspool import KernelPCA, plot

rings, inner = make_circles(400, factor=0.35, noise=0.05, random_state=0)
figure, panels = plt.subplots(1, 3, figsize=(10.5, 3.6), layout="constrained")
for axes, gamma in zip(panels, (0.1, 3.0, 100.0), strict=True):
    model = KernelPCA(2, kernel="gaussian", gamma=gamma).fit(rings)
    plot.embedding(model, inner.astype(str), axes=axes, title=f"gamma={gamma:g}")
