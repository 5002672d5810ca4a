"""The autoassociative network."""

from __future__ import annotations

from typing import Literal

from .. import autoencoder, problem
from ..runtime import advise
from ..spectrum import solve
from ..values import Array
from .estimator import Estimator
from .parameters import learned, method, parameter

Units = Literal["linear", "sigmoidal"]

UNITS: tuple[Units, ...] = ("linear", "sigmoidal")


@method
class AutoassociativeNetwork(Estimator):
    """A network that learns to repeat its input through a narrow layer.

    Mapping layers lead to a bottleneck of ``n_components`` units, demapping layers from there to
    the reconstruction; the squared errors are minimized by L-BFGS with exact gradients from several
    starts (Kramer 1991; Izenman 2013, section 16.4, eq. 16.21). ``transform`` is the encoder,
    ``inverse_transform`` the decoder. Without hidden layers and with linear units it is PCA. Both
    halves are continuous, so a circle or a surface that meets itself cannot be modelled: it is torn
    somewhere (section 16.4.2).

    Examples
    --------
    >>> from unspool import AutoassociativeNetwork, datasets
    >>> bent = datasets.s_curve(300).points
    >>> AutoassociativeNetwork(2, mapping=(4,), demapping=(4,)).fit(bent).embedding_.shape
    (300, 2)
    """

    mapping: tuple[int, ...] = parameter(
        default=(8,), help="widths of the layers before the bottleneck"
    )
    demapping: tuple[int, ...] = parameter(
        default=(8,), help="widths of the layers after the bottleneck"
    )
    activation: autoencoder.Activation = parameter(
        default="tanh", choices=autoencoder.ACTIVATIONS, help="activation of the hidden units"
    )
    bottleneck: Units = parameter(default="linear", choices=UNITS, help="units of the bottleneck")
    output: Units = parameter(default="linear", choices=UNITS, help="units of the output")
    n_starts: int = parameter(
        default=5, kind=int, at_least=1, help="number of random starts, of which the best is kept"
    )
    max_iter: int = parameter(
        default=1000,
        kind=int,
        at_least=1,
        help="largest number of steps; with torch, of passes over the points",
    )
    tol: float = parameter(
        default=1e-4,
        kind=float,
        at_least=0,
        help="stop when 20 steps lower the loss by less than this share",
    )
    l2: float = parameter(
        default=0.0, kind=float, at_least=0, help="weight of the sum of squared weights in the loss"
    )
    validation_fraction: float = parameter(
        default=0.0,
        kind=float,
        at_least=0,
        at_most=0.9,
        help="share of points held out to stop early",
    )
    backend: Literal["numpy", "torch"] = parameter(
        default="numpy",
        choices=("numpy", "torch"),
        help="'numpy' trains on all points in every step, 'torch' by minibatches",
    )
    batch_size: int | None = parameter(
        default=None,
        kind=int,
        at_least=1,
        optional=True,
        help="points per minibatch (torch only; 256)",
    )

    weights_: tuple[Array, ...] = learned(help="weights, one array between each two layers")
    biases_: tuple[Array, ...] = learned(help="biases, one array per layer but the input")
    n_iter_: int = learned(help="number of steps")
    reconstruction_error_: Array = learned(
        help="mean squared distance of the points from their reconstructions, at the start and "
        "after every step"
    )
    validation_error_: Array | None = learned(
        help="the same of the points held out; None where there are none"
    )
    _network: autoencoder.Network = learned()
    _scaling: autoencoder.NetworkScaling = learned()

    def _fit(self, points: Array) -> None:
        n, width = points.shape
        if self._n_wanted > min(n, width):
            raise ValueError(
                f"n_components={self._n_wanted} is more than these {n} points with {width} "
                f"features have; use at most {min(n, width)}"
            )
        settings = self._settings()
        units = autoencoder.Units(self.activation, self.bottleneck, self.output)
        topology = autoencoder.autoassociative(
            width, self.mapping, self._n_wanted, self.demapping, units
        )
        self._scaling = autoencoder.scaling_of(points, topology.activations[-1])
        initial = self._initial(topology, points)
        trained = autoencoder.fit_network(initial, points, self._scaling, settings)
        if not trained.converged:
            advise(f"training was still gaining after max_iter={self.max_iter} steps; raise it")
        self._network = trained.network
        if self.bottleneck == "linear":
            self._network = autoencoder.with_data_lengths(
                trained.network, self._scaling, points, self._axes
            )
        self.weights_, self.biases_ = self._network.weights, self._network.biases
        self.n_iter_ = len(trained.errors) - 1
        self.reconstruction_error_ = trained.errors
        self.validation_error_ = trained.held_out_errors
        self.embedding_ = self._transform(points)

    def _settings(self) -> autoencoder.TrainingSettings:
        stopping = self.max_iter, self.tol, self.l2, self.validation_fraction
        return autoencoder.TrainingSettings(*stopping, self.backend, self.batch_size, self._seed)

    def _initial(self, topology: autoencoder.Topology, points: Array) -> list[autoencoder.Network]:
        if autoencoder.is_linear(topology):
            axes = self._axes(self._scaling.inputs(points))
            return [autoencoder.principal_network(topology, axes)]
        seed = self._seed
        return [autoencoder.random_network(topology, seed, k) for k in range(self.n_starts)]

    def _axes(self, centered: Array) -> Array:
        return solve(problem.covariance(centered), self._n_wanted, seed=self._seed).vectors

    def _transform(self, points: Array) -> Array:
        return self._network.encode(self._scaling.inputs(points))

    def _inverse_transform(self, places: Array) -> Array:
        return self._scaling.points(self._network.decode(places))
