"""
How many coordinates?
=====================

Six estimates of the intrinsic dimension, with their spread: a sheet in space needs two.
"""

# %%
from unspool import datasets, intrinsic_dimension, plot

found = intrinsic_dimension(datasets.swiss_roll(1500).points)
print(found)
estimates = found.estimates
names = [one.method for one in estimates]
values = [one.value for one in estimates]
figure = plot.estimates(names, values, [one.standard_error for one in estimates])
