"""What type checkers must refuse: the rule of mypy and that of pyright stand beside each line."""

import numpy as np

import unspool
from unspool import LLE, MDS, Isomap, KernelPCA, datasets

X = np.random.default_rng(0).normal(size=(100, 5))

Isomap(n_neighbours=10)  # call-arg, reportCallIssue
Isomap(2, 10)  # call-arg, reportCallIssue
Isomap("2")  # arg-type, reportArgumentType
Isomap(radius="near")  # arg-type, reportArgumentType
Isomap(components="all")  # arg-type, reportArgumentType
LLE(symmetrize="both")  # arg-type, reportArgumentType
MDS(ties=1)  # arg-type, reportArgumentType
KernelPCA(kernel=3)  # arg-type, reportArgumentType
KernelPCA(embedding_=X)  # call-arg, reportCallIssue
Isomap(2).fit()  # call-arg, reportCallIssue
print(Isomap(2).fit(X).embeding_)  # attr-defined, reportAttributeAccessIssue
datasets.swiss_roll(100, ranges="klein")  # arg-type, reportArgumentType
unspool.plot.embedding(X, titel="a map")  # call-arg, reportCallIssue
unspool.Isomapp(2)  # attr-defined, reportAttributeAccessIssue
