"""One server, and one browser, for the tests of a file."""

from __future__ import annotations

import pytest

from tests.explorer.browser import launched, opened
from tests.explorer.server import make_explorer, running


@pytest.fixture(scope="module")
def client():
    with running(make_explorer(), keep=True) as found:
        yield found


@pytest.fixture(scope="module")
def session(client):
    return client.serving.site.explorer.session


@pytest.fixture(scope="module")
def places(session):
    return session.view("m0").places.astype(float)


@pytest.fixture(scope="module")
def browser():
    with launched() as found:
        yield found


@pytest.fixture
def window(browser, client):
    """A window that shows the first map alone."""
    with opened(browser, client.gate.address) as found:
        found.change(maps=["m0"])
        yield found
