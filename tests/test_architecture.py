"""The source tree keeps its promises (tests/architecture: layers.py and rules.py).

Every guard reads the tree and yields one sentence per broken promise. That each of them does speak
up when it should is tested in tests/architecture/test_guards.py.
"""

from pathlib import Path

import pytest

from tests.architecture import imports, running, shape, texts
from tests.architecture.source import read_package

ROOT = Path(__file__).parents[1]
MODULES = read_package(ROOT)

OVER_MODULES = (
    imports.every_module_has_a_layer,
    imports.every_layer_has_its_rooms,
    imports.layers_point_down,
    imports.private_names_stay_in_their_folder,
    imports.reserved_calls_stay_home,
    imports.optional_packages_stay_home_and_late,
    imports.kernels_are_imported_late,
    imports.kernels_sit_beside_their_user,
    shape.files_are_short,
    shape.the_house_is_small,
    shape.functions_are_short,
    shape.names_say_what_they_mean,
    shape.exports_are_sorted,
    shape.public_things_have_docstrings,
)
OVER_THE_TREE = (
    running.importing_is_light,
    running.public_names_resolve,
    running.catalogue_is_complete,
    texts.files_name_no_machine,
    texts.texts_are_cited_by_author,
)


@pytest.mark.parametrize("guard", OVER_MODULES, ids=lambda guard: guard.__name__)
def test_in_every_module(guard):
    broken = list(guard(MODULES))
    assert not broken, "\n" + "\n".join(broken)


@pytest.mark.parametrize("guard", OVER_THE_TREE, ids=lambda guard: guard.__name__)
def test_in_the_repository(guard):
    broken = list(guard(ROOT))
    assert not broken, "\n" + "\n".join(broken)
