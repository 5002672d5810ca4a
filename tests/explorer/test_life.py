"""How an explorer lives: jobs and their end, windows and the end of all, files, notebooks."""

from __future__ import annotations

import base64
import gzip
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import unspool
from tests.explorer.server import IMAGE, make_explorer, running
from unspool.explorer import server
from unspool.explorer.honesty import NotPossible
from unspool.explorer.jobs import Job
from unspool.explorer.pages import packed_modules, page_files, page_of, served_files, write_page
from unspool.explorer.questions import Asked, unpack
from unspool.explorer.routes import EXPORTED
from unspool.explorer.start import data_of_array, explorer_of

PATIENCE = 60.0  # seconds, for a machine that does other things
ENDLESS = {"start": "random", "n_init": 100_000}  # of MDS: no test waits for so many starts


class Events:
    """The stream of events of one window."""

    def __init__(self, client):
        self.line = http.client.HTTPConnection("127.0.0.1", client.gate.port, timeout=PATIENCE)
        self.line.request("GET", "/api/events", headers={"Cookie": client.cookie})
        self.stream = self.line.getresponse()
        assert self.stream.headers["Content-Type"].startswith("text/event-stream")

    def until(self, *names):
        name = ""
        while True:
            text = self.stream.readline().decode()
            if not text:
                return None
            if text.startswith("event: "):
                name = text[7:].strip()
            elif text.startswith("data: ") and name in names:
                return {"event": name, **json.loads(text[6:])}

    def close(self):
        self.stream.close()
        self.line.close()


@pytest.fixture
def window(client):
    found = Events(client)
    yield found
    found.close()


def start(client, **spec):
    answer = client.ask("/api/jobs", "POST", json.dumps(spec))
    assert answer.status == 202, answer.body
    return answer.json["job"]


def test_a_fit_in_the_child_is_the_fit_of_the_library(client, session, window):
    assert window.until("hello")["windows"] >= 1
    job = start(client, kind="fit", method="lle", parameters={"n_neighbors": 9})
    done = window.until("done", "failed")
    assert (done["event"], done["job"]) == ("done", job)
    view = session.view(done["map"]["id"])
    direct = unspool.LLE(n_neighbors=9).fit(session.data.points)
    np.testing.assert_allclose(view.embedding, direct.embedding_, atol=1e-7)
    assert done["map"]["parameters"]["n_neighbors"] == 9
    assert {score["name"] for score in done["map"]["scores"]} >= {"trustworthiness", "stress"}
    # the model shares the points of the session, and can do all that a model can
    assert np.shares_memory(view.model._X, session.data.points)
    np.testing.assert_allclose(view.model.transform(session.data.points[:3]), view.embedding[:3])


def test_a_fit_that_fails_says_why_and_the_next_one_works(client, window):
    start(client, kind="fit", method="lle", parameters={"n_neighbors": 100_000})
    failed = window.until("done", "failed")
    assert failed["event"] == "failed"
    assert "n_neighbors" in failed["error"]
    start(client, kind="fit", method="pca", parameters={})
    assert window.until("done", "failed")["event"] == "done"


def test_the_stability_of_a_map_is_a_job_and_then_a_score(client, session, window):
    assert client.ask("/api/score?map=m1&name=stability").status == 409
    start(client, kind="stability", map="m1")
    assert window.until("done", "failed")["score"] == "stability"
    found = client.ask("/api/score?map=m1&name=stability").frame
    reference = session.view("m1").embedding.astype(float)
    direct = unspool.quality.stability(
        unspool.PCA(2), session.data.points, n_resamples=10, reference=reference
    )
    np.testing.assert_allclose(found.arrays["values"], direct.per_point, rtol=1e-4, atol=1e-6)


def test_a_job_is_cancelled_within_two_seconds_and_its_process_is_gone(client, window):
    jobs = client.serving.site.explorer.jobs
    job = start(client, kind="fit", method="mds", parameters=ENDLESS)
    assert window.until("progress", "failed")["event"] == "progress"
    worker = jobs._worker.process
    began = time.monotonic()
    answer = client.ask(f"/api/jobs/{job}", "DELETE")
    assert (answer.status, time.monotonic() - began < 2.0) == (200, True)
    assert worker.poll() is not None
    assert window.until("cancelled")["job"] == job
    assert client.ask(f"/api/jobs/{job}", "DELETE").status == 404
    again = start(client, kind="fit", method="pca", parameters={})
    assert window.until("done", "failed")["job"] == again


def test_a_new_job_ends_the_one_before(client, window):
    first = start(client, kind="fit", method="mds", parameters=ENDLESS)
    assert window.until("progress")["job"] == first
    second = start(client, kind="fit", method="pca", parameters={})
    assert window.until("cancelled")["job"] == first
    assert window.until("done")["job"] == second


def test_two_windows_hear_of_the_same_job(client, window):
    other = Events(client)
    try:
        assert other.until("hello")["windows"] >= 2
        job = start(client, kind="fit", method="pca", parameters={"n_components": 1})
        assert window.until("done")["job"] == other.until("done")["job"] == job
    finally:
        other.close()


def test_the_server_ends_some_time_after_its_last_window(monkeypatch):
    monkeypatch.setattr(server, "GRACE", 0.5)
    monkeypatch.setattr(server, "HEARTBEAT", 0.1)
    with running(make_explorer(60)) as client:
        first, second = Events(client), Events(client)
        assert second.until("hello")["windows"] == 2
        first.close()
        time.sleep(1.5)
        assert client.serving._thread.is_alive()  # one window is still open
        second.close()
        client.serving._thread.join(PATIENCE)
        assert not client.serving._thread.is_alive()


def test_a_page_that_is_loaded_anew_keeps_its_server(monkeypatch):
    monkeypatch.setattr(server, "AFTER_GOODBYE", 1.0)
    monkeypatch.setattr(server, "HEARTBEAT", 0.1)
    with running(make_explorer(60)) as client:
        before = Events(client)
        assert before.until("hello")
        assert client.ask("/api/bye", "POST").status == 204
        before.close()
        after = Events(client)
        assert after.until("hello")
        time.sleep(2.0)
        assert client.serving._thread.is_alive()
        assert client.ask("/api/bye", "POST").status == 204
        after.close()
        client.serving._thread.join(PATIENCE)
        assert not client.serving._thread.is_alive()


def test_windows_are_told_when_the_server_is_ended():
    with running(make_explorer(60), keep=True) as client:
        window = Events(client)
        assert window.until("hello")
        client.serving.close()
        assert window.until("closing")["reason"]
        window.close()


def processes_of(group: str) -> list[str]:
    """Return the command lines of processes that have a word in their environment."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                if group.encode() in (entry / "environ").read_bytes():
                    found.append((entry / "cmdline").read_bytes().decode())
            except OSError:
                continue
    return found


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks into /proc")
def test_ctrl_c_ends_the_command_and_leaves_nothing_behind(tmp_path):
    word = f"UNSPOOL_TEST_{os.getpid()}=1"
    name, value = word.split("=")
    environment = {**os.environ, name: value, "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-m", "unspool", "explore", "demo:helix:60", "-m", "pca"]
    process = subprocess.Popen(
        [*command, "--no-browser"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    with process:
        address = process.stdout.readline().decode().split()[1]
        line = http.client.HTTPConnection("127.0.0.1", int(re.search(r":(\d+)/", address)[1]))
        line.request("GET", f"/?{address.partition('?')[2]}")
        assert line.getresponse().status == 303
        line.close()
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE)
        assert time.monotonic() - began < 3.0
    deadline = time.monotonic() + 5.0
    while processes_of(word) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert processes_of(word) == []
    assert list(tmp_path.iterdir()) == []


def test_explore_serves_what_it_was_given(capsys):
    roll = unspool.datasets.swiss_roll(60)
    both = unspool.compare(roll.points, ["pca", "isomap"], color=roll.color)
    shown = unspool.explore(both, roll.points, browser=False, block=False)
    try:
        assert shown.address in capsys.readouterr().err
        session = shown.site.explorer.session
        assert [view.fitted.label for view in session.views.values()] == list(both.embeddings)
        assert session.data.color == "color"
        assert shown.site.gate.origin.startswith("http://127.0.0.1:")
    finally:
        shown.close()
        shown.wait()


def test_explore_fits_what_is_not_fitted_and_refuses_other_points():
    roll = unspool.datasets.swiss_roll(60).points
    explorer = explorer_of(
        data_of_array(roll, metric="euclidean"), [unspool.PCA(2), unspool.PCA(1)]
    )
    labels = [view.fitted.label for view in explorer.session.views.values()]
    assert labels == ["Principal component analysis", "Principal component analysis (2)"]
    few = data_of_array(roll[:40], metric="euclidean")
    with pytest.raises(ValueError, match="pass the data it was fitted on"):
        explorer_of(few, Foreign(roll))


class Foreign:
    """A model of another package, which cannot place other points."""

    def __init__(self, places):
        self.embedding_ = places


def answers_in(page: str) -> dict[str, bytes]:
    pattern = r'<script type="text/plain" class="unspool-answer" data-key="([^"]*)"[^>]*>([^<]*)<'
    return {
        key.replace("&amp;", "&"): gzip.decompress(base64.b64decode(text))
        for key, text in re.findall(pattern, page)
    }


def test_the_page_in_a_file_holds_the_answers_of_the_server(tmp_path):
    explorer = make_explorer(80, ids=[f"p{i}" for i in range(80)])
    page = write_page(explorer.session, tmp_path / "page.html").read_text("utf-8")
    held = answers_in(page)
    for key in (
        "/api/points?map=m1",
        "/api/column?index=3",
        "/api/ellipses?map=m0",
        "/api/neighbor-table?k=10&map=m0",
        "/api/score?map=m0&name=trust",
        "/api/ids",
    ):
        path, _, text = key.partition("?")
        query = dict(field.split("=") for field in text.split("&")) if text else {}
        assert held[key] == explorer.answer(Asked("GET", path, query)).body, key
    info = json.loads(held["/api/info"])
    assert info["capabilities"]["fit"] is False
    assert [m["id"] for m in info["maps"]] == ["m0", "m1"]
    assert unpack(held["/api/points?map=m0"]).arrays["places"].shape == (80, 2)


def test_the_page_in_a_file_loads_nothing_and_runs_no_text_of_the_data():
    explorer = make_explorer(60)
    page = page_of(explorer.session, ["m1"])
    assert IMAGE not in page
    assert "alert(1)" not in page
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)[1]
    script = re.search(r'<script type="module">(.*?)</script>', page, re.DOTALL)[1]
    import hashlib

    allowed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src &#x27;sha256-{allowed}&#x27; blob:;" in policy
    assert policy.startswith("default-src &#x27;none&#x27;")
    assert not re.search(r'(src|href)="', page)
    assert [m["id"] for m in json.loads(answers_in(page)["/api/info"])["maps"]] == ["m1"]


def test_too_many_points_for_a_file_are_refused_before_the_work():
    points = np.zeros((EXPORTED + 1, 2))
    with pytest.raises(NotPossible, match="--sample"):
        page_of(explorer_of(data_of_array(points, metric="euclidean")).session)


def test_modules_are_packed_after_those_they_import():
    for entry in ("file.js", "widget.js"):
        modules = json.loads(gzip.decompress(base64.b64decode(packed_modules(entry))))
        known = set()
        for module in modules:
            imported = module["parts"][1::2]
            assert set(imported) <= known
            known.add(module["path"])
            source = page_files()[module["path"]].decode()
            assert len(re.findall(r"""["']\.{1,2}/[^"']+js["']""", source)) == len(imported)
        assert modules[-1]["path"] == entry


def test_the_document_names_every_module_that_its_first_one_reaches():
    found = served_files()
    named = re.findall(r'modulepreload" href="/page/([^"]+)"', found["index.html"].decode())
    reached, left = set(), ["server.js"]
    while left:
        reached.add(path := left.pop())
        imported = re.findall(r"""["']\./([^"']+js)["']""", found[path].decode())
        left += [name for name in imported if name not in reached]
    assert sorted(named) == sorted(reached)
    assert len(named) > 20


def test_the_document_asks_for_the_first_map_and_nothing_is_made_ready_before_it_is_drawn():
    with running(make_explorer(60)) as client:
        document = client.ask("/").body.decode()
        links = re.findall(r'<link rel="preload" href="([^"]+)" as="fetch" crossorigin>', document)
        assert links == ["/api/info", "/api/points?map=m0"]
        assert all(client.ask(link).status == 200 for link in links)
        jobs = client.serving.site.explorer.jobs
        assert jobs._worker is None
        assert client.ask("/api/drawn", "POST", Origin=None).status == 403
        assert jobs._worker is None
        assert client.ask("/api/drawn", "POST").status == 204
        until = time.monotonic() + PATIENCE
        while jobs._worker is None and time.monotonic() < until:
            time.sleep(0.01)
        assert jobs._worker is not None


def test_the_page_writes_text_as_text_only():
    unsafe = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc"
    for name, body in page_files().items():
        if name.endswith((".js", ".mjs", ".html")):
            assert not re.search(unsafe, body.decode()), name
            assert not re.search(r"""["'`]https?://(?!www\.w3\.org/)""", body.decode()), name


@pytest.fixture
def widget():
    pytest.importorskip("anywidget")
    from unspool.explorer.pages import make_widget

    made = make_widget(make_explorer(60, host="widget"))
    sent = []
    made.send = lambda content, buffers=None: sent.append((content, buffers))
    yield made, sent
    made.close()


def test_the_widget_answers_messages_like_a_server(widget):
    made, sent = widget
    ask = {
        "kind": "request",
        "id": 7,
        "method": "GET",
        "path": "/api/points",
        "query": {"map": "m0"},
    }
    made._receive(made, {**ask, "body": None}, [])
    told, buffers = sent[0]
    assert told == {"kind": "answer", "id": 7, "status": 200, "type": "application/x-unspool-frame"}
    assert unpack(buffers[0]).arrays["places"].shape == (60, 2)
    body = json.dumps({"places": [[0, 0]]})
    made._receive(made, {**ask, "method": "POST", "path": "/api/inverse", "body": body}, [])
    assert sent[1][0]["status"] == 200
    made._receive(made, {**ask, "path": "/api/nothing"}, [])
    assert sent[2][0]["status"] == 404
    made._receive(made, {**ask, "method": "POST", "path": "/api/rows"}, [b"x" * 100_000])
    assert sent[3][0]["status"] == 413


def test_the_selection_of_a_widget_holds_points_that_are_there(widget):
    import traitlets

    made, _ = widget
    made.selection = [3, 59]
    assert made.selection == [3, 59]
    with pytest.raises(traitlets.TraitError, match="from 0 to 59"):
        made.selection = [60]


def test_the_widget_tells_of_jobs_and_has_a_picture(widget, monkeypatch):
    made, sent = widget
    made.explorer.jobs.run(Job("fit", unspool.PCA(1), "euclidean"))
    assert [told["event"]["event"] for told, _ in sent][-1] == "done"
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda data, **_: shown.append(data))
    made._ipython_display_()
    live, still = shown
    assert "application/vnd.jupyter.widget-view+json" in live
    assert base64.b64decode(still["image/png"]).startswith(b"\x89PNG")
    assert f'data-unspool-still="{made.still}"' in still["text/html"]


def test_questions_from_many_threads_agree(session):
    explorer = make_explorer(150)
    answers, threads = [], []

    def ask():
        answers.append(
            explorer.answer(Asked("GET", "/api/path", {"map": "m0", "from": "1", "to": "99"})).body
        )

    for _ in range(8):
        threads.append(threading.Thread(target=ask))
        threads[-1].start()
    for thread in threads:
        thread.join()
    assert len(set(answers)) == 1
