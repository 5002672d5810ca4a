"""What is refused: strangers, other sites, forged and oversized requests; and that it goes on."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tests.explorer.server import IMAGE
from unspool.explorer.questions import pack

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
    "font-src 'self'; connect-src 'self'; worker-src 'none'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)


def test_every_answer_has_the_exact_policy_and_allows_no_other_site(client):
    for path in ("/", "/page/server.js", "/api/info", "/api/nothing", "/api/points?map=m9"):
        headers = client.ask(path).headers
        assert headers["Content-Security-Policy"] == POLICY
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert headers["Cache-Control"] == "no-store"
        assert not [name for name in headers if name.lower().startswith("access-control")]


def test_the_token_becomes_a_cookie_that_scripts_and_other_sites_cannot_use(client):
    entered = client.ask(f"/?token={client.gate.token}", Cookie=None, Origin=None)
    assert (entered.status, entered.headers["Location"]) == (303, "/")
    cookie = entered.headers["Set-Cookie"]
    assert cookie.startswith(client.cookie)
    assert "httponly" in cookie.lower()
    assert "samesite=strict" in cookie.lower()
    assert "domain" not in cookie.lower()


@pytest.mark.parametrize("token", ["", "x", "é", "x" * 43])
def test_a_missing_or_wrong_token_is_refused(client, token):
    name = client.gate.cookie
    assert client.ask("/api/info", Cookie=None).status == 403
    assert client.ask("/", Cookie=None).status == 403
    sent = token.encode().decode("latin-1")
    assert client.ask("/api/info", Cookie=f"{name}={sent}").status == 403
    assert client.ask("/api/info", Cookie=f"other={client.gate.token}").status == 403
    entered = client.ask(f"/?token={token.encode().hex() if token else ''}", Cookie=None)
    assert entered.status == 403
    assert entered.headers["Set-Cookie"] is None


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1",
        "localhost:{port}",
        "127.0.0.1.evil.example:{port}",
        "127.0.0.1:{port}.evil.example",
        "evil.example@127.0.0.1:{port}",
        "127.0.0.1:1{port}",
        "[::1]:{port}",
        "0.0.0.0:{port}",
        "",
    ],
)
def test_foreign_and_lookalike_hosts_are_refused(client, host):
    assert client.ask("/api/info", Host=host.format(port=client.gate.port)).status in (400, 421)


def test_two_hosts_or_none_are_refused(client):
    port, cookie = client.gate.port, client.cookie
    ask = "GET /api/info HTTP/1.1\r\n{hosts}Cookie: {cookie}\r\nConnection: close\r\n\r\n"
    for hosts in ("", f"Host: 127.0.0.1:{port}\r\nHost: evil.example\r\n"):
        answer = client.raw(ask.format(hosts=hosts, cookie=cookie).encode())
        assert answer.split()[1] in (b"400", b"421"), answer[:200]


@pytest.mark.parametrize("site", ["cross-site", "same-site", "anything"])
def test_requests_of_other_sites_are_refused(client, site):
    assert client.ask("/api/info", Sec_Fetch_Site=site).status == 403
    assert client.ask("/", Sec_Fetch_Site=site).status == 403
    assert client.ask("/api/info", Sec_Fetch_Site="same-origin").status == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1", "https://127.0.0.1:{port}"]
)
def test_other_origins_are_refused(client, origin):
    given = origin.format(port=client.gate.port)
    assert client.ask("/api/info", Origin=given).status == 403
    assert client.ask("/api/jobs", "POST", "{}", Origin=given).status == 403


def test_a_change_without_an_origin_is_refused(client):
    assert client.ask("/api/jobs", "POST", "{}", Origin=None).status == 403
    assert client.ask("/api/jobs/j1", "DELETE", Origin=None).status == 403


@pytest.mark.parametrize(
    "path",
    [
        "/page/../server.py",
        "/page/..%2fserver.py",
        "/page/%2e%2e/server.py",
        "/page/....//server.py",
        "/page//etc/passwd",
        "//etc/passwd",
        "/etc/passwd",
        "/page/",
        "/page",
        "/page/index.html%00.js",
        "/../../etc/passwd",
    ],
)
def test_paths_lead_to_no_other_file(client, path):
    found = client.ask(path)
    assert found.status == 404
    assert b"import" not in found.body


def test_columns_are_named_as_they_are_and_only_in_json(client):
    info = client.ask("/api/info")
    assert info.headers["Content-Type"] == "application/json"
    names = [column["name"] for column in info.json["columns"]]
    assert IMAGE in names
    column = client.ask(f"/api/column?index={names.index(IMAGE)}").frame
    assert column.facts["name"] == IMAGE


def test_oversized_bodies_are_refused_before_they_are_read(client):
    too_long = b"x" * (2**16 + 1)
    assert client.ask("/api/jobs", "POST", too_long).status == 413
    assert client.ask("/api/inverse?map=m0", "POST", too_long).status == 413
    assert client.ask("/api/rows", "POST", b"x" * (16 * 150 + 2**16 + 1)).status == 413
    assert client.ask("/api/info", "GET", b"x").status == 413
    told = client.ask("/api/drop?map=m0&name=a.csv", "POST", b"x", Content_Length=str(2**40))
    assert told.status == 413


def test_a_body_that_grows_beyond_what_it_said_is_refused(client):
    port, origin = client.gate.port, client.gate.origin
    head = (
        f"POST /api/jobs HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: {origin}\r\n"
        f"Cookie: {client.cookie}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    )
    chunk = b"4000\r\n" + b"x" * 0x4000 + b"\r\n"
    answer = client.raw(head.encode() + chunk * 5 + b"0\r\n\r\n")
    assert answer.split()[1] == b"413"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"UNS1",
        b"UNS1\xff\xff\xff\xff",
        b"UNS1\x08\x00\x00\x00notjson!",
        b"UNS1\x08\x00\x00\x00[1,2,3] ",
        b'UNS1\x10\x00\x00\x00{"arrays": [1]} ',
        pack({"labels": ["a"]}, {"points": np.zeros(3, np.uint32)}),
        pack(
            {"labels": ["a"]},
            {"points": np.full(1, 999, np.uint32), "codes": np.zeros(1, np.uint16)},
        ),
        pack({"labels": ["a"]}, {"points": np.zeros(1, np.uint32), "codes": np.ones(1, np.uint16)}),
        pack(
            {"labels": ["a"]}, {"points": np.zeros(2, np.uint32), "codes": np.zeros(1, np.uint16)}
        ),
        pack(
            {"labels": ["a"]}, {"points": -np.ones(1, np.float32), "codes": np.zeros(1, np.uint16)}
        ),
        pack({"labels": 7}, {"points": np.zeros(1, np.uint32), "codes": np.zeros(1, np.uint16)}),
    ],
)
def test_malformed_frames_are_refused(client, body):
    found = client.ask("/api/rows", "POST", body)
    assert found.status == 400
    assert set(found.json) == {"error"}


@pytest.mark.parametrize(
    "change",
    [
        ("shape", [2**40]),
        ("offset", 2**30),
        ("dtype", "object"),
        ("shape", [-1]),
        ("offset", 3),
        ("shape", [True]),
        ("name", 7),
    ],
)
def test_frames_that_lie_about_their_arrays_are_refused(client, change):
    good = pack(
        {"labels": ["a"]}, {"points": np.zeros(2, np.uint32), "codes": np.zeros(2, np.uint16)}
    )
    length = int.from_bytes(good[4:8], "little")
    header = json.loads(good[8 : 8 + length])
    header["arrays"][0][change[0]] = change[1]
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    forged = b"UNS1" + len(text).to_bytes(4, "little") + text + good[8 + length :]
    assert client.ask("/api/rows", "POST", forged).status == 400


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("a.parquet", b"PAR1 not really PAR1"),
        ("a.npy", b"\x93NUMPY\x01\x00garbage"),
        ("a.npz", b"PK\x03\x04 broken"),
        ("../../a.csv", b"\x00\x01\x02"),
        ("a.exe", b"MZ"),
        ("a.csv", b""),
        ("a.csv", b"x1,x2\n1,2\n"),
        ("", b"1,2,3\n"),
        ("/etc/passwd", b""),
    ],
)
def test_dropped_files_that_cannot_be_read_are_refused_in_words(client, name, body):
    found = client.ask(f"/api/drop?map=m0&name={name}", "POST", body)
    assert found.status in (400, 422), found.body
    assert "unspool-" not in found.json["error"]  # no name of ours for it


def test_pickles_are_never_opened(client):
    import pickle

    made = np.array([{"a": 1}], dtype=object)
    import io

    file = io.BytesIO()
    np.save(file, made, allow_pickle=True)
    assert client.ask("/api/drop?map=m0&name=a.npy", "POST", file.getvalue()).status == 400
    assert client.ask("/api/drop?map=m0&name=a.pkl", "POST", pickle.dumps(made)).status == 400


@pytest.mark.parametrize(
    "path",
    [
        "/api/points",
        "/api/points?map=",
        "/api/points?map=m99",
        "/api/points?map=__class__",
        "/api/neighbors?map=m0&point=-1",
        "/api/neighbors?map=m0&point=150",
        "/api/neighbors?map=m0&point=1e3",
        "/api/neighbors?map=m0&point=0&k=1000000",
        "/api/neighbors?map=m0&point=٣",
        "/api/column?index=99",
        "/api/score?map=m0&name=__init__",
        "/api/path?map=m0&from=0",
        "/api/search?text=x1%3Eabc",
    ],
)
def test_questions_that_make_no_sense_are_refused(client, path):
    from urllib.parse import quote

    found = client.ask(quote(path, safe="/?=&%"))
    assert found.status in (400, 404)
    assert found.json["error"]


@pytest.mark.parametrize(
    "body",
    [
        "",
        "[]",
        "{",
        '{"kind": "fit"}',
        '{"kind": "fit", "method": "os.system"}',
        '{"kind": "fit", "method": "isomap", "parameters": {"verbose": true}}',
        '{"kind": "fit", "method": "isomap", "parameters": {"nothing": 1}}',
        '{"kind": "fit", "method": "isomap", "parameters": {"n_components": "many"}}',
        '{"kind": "fit", "method": "isomap", "parameters": {"n_neighbors": [1, 2]}}',
        '{"kind": "fit", "method": "isomap", "parameters": []}',
        '{"kind": "other"}',
        "[" * 10_000,
    ],
)
def test_jobs_that_cannot_be_are_refused(client, body):
    assert client.ask("/api/jobs", "POST", body).status == 400


def test_a_thousand_requests_at_once_are_answered_or_refused_and_it_goes_on(client):
    def one(number: int) -> int:
        try:
            return client.ask(f"/api/neighbors?map=m0&point={number % 150}").status
        except OSError:  # the system's own queue was full
            return 0

    with ThreadPoolExecutor(200) as pool:
        found = list(pool.map(one, range(1_000)))
    assert set(found) <= {200, 503, 0}
    assert found.count(200) >= 50
    assert client.ask("/api/info").status == 200


def test_other_methods_are_not_known(client):
    for method in ("PUT", "PATCH", "OPTIONS", "DELETE"):
        assert client.ask("/api/info", method).status in (405, 413)
        assert client.ask("/", method).status in (403, 404, 405)
