"""What a user writes, and type checkers must accept and understand (read by test_typing.py)."""

from typing import Any, Literal, assert_type

import numpy as np
from numpy.typing import NDArray

import unspool
from unspool import LLE, MDS, Isomap, KernelPCA, SpectralClustering, compare, datasets
from unspool.evaluate import Comparison

X = np.random.default_rng(0).normal(size=(100, 5))

model = Isomap(2, n_neighbors=10)
assert_type(model, Isomap)
assert_type(model.fit(X), Isomap)
assert_type(model.fit(X).embedding_, NDArray[Any])
assert_type(model.transform(X), NDArray[Any])
assert_type(model.fit_transform(X), NDArray[Any])
assert_type(model.inverse_transform(model.embedding_), NDArray[Any])
assert_type(model.n_components, int | Literal["auto"])
assert_type(model.n_features_in_, int)
assert_type(model.geodesics_, NDArray[Any])
assert_type(model.negative_mass(), float)
assert_type(model.get_params(), dict[str, Any])
assert_type(model.set_params(n_neighbors=5), Isomap)

assert_type(MDS(2, metric="precomputed").fit(X).stress_, float)
assert_type(SpectralClustering(n_clusters=3).fit(X).labels_, NDArray[Any])
LLE(n_components=3, radius=0.5, components="largest")
KernelPCA(2, kernel=lambda x, y: float(x @ y), n_landmarks=20)
unspool.RandomProjection(eps=0.3)
unspool.RandomProjection(5)

roll = datasets.swiss_roll(200, seed=1)
assert_type(compare(roll.points, ["pca", "isomap"]), Comparison)
figure = unspool.plot.embedding(model, roll.color, title="a roll")
figure.savefig("roll.png")
