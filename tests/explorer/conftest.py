"""One server for the tests of a file."""

from __future__ import annotations

import pytest

from tests.explorer.server import make_explorer, running


@pytest.fixture(scope="module")
def client():
    with running(make_explorer(), keep=True) as found:
        yield found


@pytest.fixture(scope="module")
def session(client):
    return client.serving.site.explorer.session
