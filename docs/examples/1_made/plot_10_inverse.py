"""
The way back
============

Every method leads from the map back to the data. Along a straight line on the map of a Swiss
roll, the way back follows the sheet.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

from unspool import Isomap, datasets

roll = datasets.swiss_roll(1500)
model = Isomap(2, n_neighbors=10).fit(roll.points)
low, high = np.quantile(model.embedding_[:, 0], (0.02, 0.98))
line = np.column_stack([np.linspace(low, high, 300), np.zeros(300)])
back = model.inverse_transform(line)

# %%
# Seen along the axis of the roll:

axis = np.argmin(np.ptp(back, axis=0))
others = [j for j in range(3) if j != axis]
figure, axes = plt.subplots(figsize=(4.2, 4))
axes.plot(*roll.points[:, others].T, ".", ms=2, color="0.75")
axes.plot(*back[:, others].T, lw=2)
axes.set_aspect("equal")
