"""
What is wrong with a map
========================

``diagnose`` measures what may be wrong, and tries its advice before it gives it.
"""

# %%
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

from unspool import Isomap, diagnose

wines = StandardScaler().fit_transform(load_wine().data)
model = Isomap(2, n_neighbors=4).fit(wines)
found = diagnose(model, wines)
print(found)
figure = found.figure()
