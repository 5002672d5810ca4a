"""
Compare methods on a table
==========================

``compare`` fits several methods with one search for neighbours and scores every map.
"""

# %%
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from unspool import compare

table, kind = load_breast_cancer(return_X_y=True)
found = compare(StandardScaler().fit_transform(table), ["pca", "isomap", "diffusion-maps", "mds"])
print(found)
figure = found.figure(color=kind.astype(str))
