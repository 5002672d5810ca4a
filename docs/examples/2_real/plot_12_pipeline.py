"""
In a scikit-learn pipeline
==========================

Methods are estimators: scale, map, classify, and search for the parameters of all three.
"""

# %%
import matplotlib.pyplot as plt
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

# %%
# The width of the kernel is found as any other parameter is: too narrow or too wide, and the
# coordinates lose what tells the digits apart.

found = search.cv_results_
figure, axes = plt.subplots(figsize=(5.4, 3.6), layout="constrained")
gammas = [one["kernelpca__gamma"] for one in found["params"]]
axes.errorbar(gammas, found["mean_test_score"], found["std_test_score"], marker="o", capsize=3)
axes.set(xscale="log", xlabel="gamma", ylabel="accuracy, three folds")
