"""Parameters, copies, pickles and names: what every scikit-learn estimator can do."""

import copy
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tests.cases import CASES, CLOSED_FORM, bent
from tests.compare import relative
from unspool import SpectralClustering

X = bent(150)
NEW = bent(20, seed=4)
every_method = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


@every_method
def test_parameters_are_kept_as_given(case):
    model = case.make(n_components=3, random_state=5, verbose=False)
    params = model.get_params()
    assert params["n_components"] == 3
    assert params["random_state"] == 5
    for name, value in params.items():
        assert getattr(model, name) is value
    assert case.cls(**params).get_params() == params
    assert model.set_params(n_components=1) is model
    assert model.n_components == 1
    with pytest.raises(ValueError, match="Invalid parameter 'n_dimensions'"):
        model.set_params(n_dimensions=2)


@every_method
def test_the_first_argument_is_the_number_of_coordinates(case):
    """Of clusters, where clusters are what is asked for, as in scikit-learn."""
    first = "n_clusters" if case.cls is SpectralClustering else "n_components"
    assert getattr(case.cls(3), first) == 3
    with pytest.raises(TypeError):
        case.cls(3, 5)


@every_method
def test_fit_does_not_touch_the_parameters_or_the_data(case):
    model = case.make()
    before, given = model.get_params(), X.copy()
    given.setflags(write=False)
    model.fit(given)
    assert model.get_params() == before
    np.testing.assert_array_equal(given, X)


@every_method
def test_a_clone_is_unfitted_and_fits_alike(case):
    model = case.make(n_components=3).fit(X)
    fresh = clone(model)
    assert fresh.get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        fresh.transform(X)
    np.testing.assert_array_equal(fresh.fit(X).embedding_, model.embedding_)


@every_method
@pytest.mark.parametrize("how", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_copies_map_alike(case, how):
    model = case.make().fit(X)
    other = how(model)
    np.testing.assert_array_equal(other.embedding_, model.embedding_)
    np.testing.assert_array_equal(other.transform(NEW), model.transform(NEW))
    np.testing.assert_array_equal(
        other.inverse_transform(other.embedding_[:5]), model.inverse_transform(model.embedding_[:5])
    )
    assert str(other.report_) == str(model.report_)
    unfitted = how(case.make())
    assert unfitted.get_params() == case.make().get_params()


@every_method
def test_a_second_fit_forgets_the_first(case):
    model = case.make().fit(bent(80, seed=7)[:, :4])
    model.fit(X)
    fresh = case.make().fit(X)
    np.testing.assert_array_equal(model.embedding_, fresh.embedding_)
    np.testing.assert_array_equal(model.transform(NEW), fresh.transform(NEW))
    assert model.n_features_in_ == 5


@every_method
def test_names_of_the_coordinates(case):
    model = case.make(n_components=2).fit(X)
    stem = case.cls.__name__.lower()
    assert list(model.get_feature_names_out()) == [f"{stem}0", f"{stem}1"]


@every_method
def test_output_as_a_data_frame(case):
    pandas = pytest.importorskip("pandas")
    model = case.make().set_output(transform="pandas").fit(X)
    frame = model.transform(pandas.DataFrame(NEW, index=range(100, 120)))
    assert list(frame.index) == list(range(100, 120))
    np.testing.assert_allclose(frame.to_numpy(), case.make().fit(X).transform(NEW))


@every_method
def test_a_pipeline(case):
    pipeline = make_pipeline(StandardScaler(), case.make())
    scaled = StandardScaler().fit(X)
    expected = case.make().fit(scaled.transform(X))
    assert (
        relative(pipeline.fit(X).transform(NEW), expected.transform(scaled.transform(NEW))) < 1e-9
    )


@every_method
def test_what_is_learned_has_the_right_form(case):
    model = case.make(n_components=3).fit(X)
    assert model.embedding_.shape == (150, 3)
    assert model.n_features_in_ == 5


@pytest.mark.parametrize("case", CLOSED_FORM.values(), ids=CLOSED_FORM)
def test_eigenvalues_come_from_the_wanted_end(case):
    values = case.make(n_components=3).fit(X).eigenvalues_
    assert len(values) == 3
    gaps = np.diff(values)
    assert (gaps <= 0).all() or (gaps >= 0).all()


@every_method
def test_its_printed_form_can_be_read_back(case):
    model = case.make(n_components=3)
    assert eval(repr(model), {case.cls.__name__: case.cls}).get_params() == model.get_params()
