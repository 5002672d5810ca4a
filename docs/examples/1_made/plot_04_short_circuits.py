"""
Edges that jump between turns
=============================

With too many neighbours the graph joins points of different turns. ``quality.short_circuits``
finds the edges whose ends lie far apart when they are taken out.
"""

# %%
from unspool import Isomap, datasets, distances, plot, quality

roll = datasets.swiss_roll(800, noise=0.3)
for n_neighbors in (8, 30):
    model = Isomap(2, n_neighbors=n_neighbors).fit(roll.points)
    share = quality.explained_by(model.embedding_, roll.coordinates).round(2)
    print(f"{n_neighbors} neighbours: R^2 of the truth {share}")

# %%
# The graph with 30 neighbours, drawn on the true coordinates: long edges are the jumps.

graph = distances.neighbor_graph(roll.points, 30)
doubtful = quality.short_circuits(roll.points, 30)
print(len(doubtful.edges), "of", graph.n_edges, "edges are doubtful")
figure = plot.neighbor_graph(roll.coordinates, graph, roll.coordinates[:, 0])
