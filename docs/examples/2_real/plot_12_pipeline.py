"""
In a scikit-learn pipeline
==========================

Methods are estimators: scale, map, classify, and search for the parameters of all three.
"""

# %%
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from unspool import KernelPCA

images, digit = load_digits(return_X_y=True)
steps = make_pipeline(KernelPCA(10, kernel="gaussian"), KNeighborsClassifier(5))
search = GridSearchCV(steps, {"kernelpca__gamma": [1e-4, 5e-4, 2e-3]}, cv=3)
search.fit(images[:600], digit[:600])
print(search.best_params_, f"accuracy {search.score(images[600:1200], digit[600:1200]):.3f}")
