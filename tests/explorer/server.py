"""An explorer of a small roll on a real port, and a client that speaks to it like a browser."""

from __future__ import annotations

import http.client
import json
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import unspool
from unspool.explorer.questions import Frame, unpack
from unspool.explorer.server import Serving, serve
from unspool.explorer.start import data_of_array, explorer_of

IMAGE = "<img src=x onerror=alert(1)>"  # the name of a column


def make_explorer(n: int = 150, host: str = "server", **options: Any):
    roll = unspool.datasets.swiss_roll(n, seed=3)
    data = data_of_array(roll.points, metric="euclidean", color=roll.color, **options)
    data.others[IMAGE] = ["inner" if value < 9 else "outer" for value in roll.color]
    models = {
        "Isomap": unspool.Isomap(2, n_neighbors=8).fit(roll.points),
        "PCA": unspool.PCA(2).fit(roll.points),
    }
    return explorer_of(data, models, host)


@dataclass(frozen=True)
class Reply:
    status: int
    headers: Any
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def frame(self) -> Frame:
        assert self.headers["Content-Type"] == "application/x-unspool-frame", self.body[:200]
        return unpack(self.body)


@dataclass(frozen=True)
class Client:
    serving: Serving

    @property
    def gate(self):
        return self.serving.site.gate

    @property
    def cookie(self) -> str:
        return f"{self.gate.cookie}={self.gate.token}"

    def ask(self, path: str, method: str = "GET", body: Any = None, **headers: str | None) -> Reply:
        sent = {"Cookie": self.cookie, "Origin": self.gate.origin, **headers}
        sent = {k.replace("_", "-"): value for k, value in sent.items() if value is not None}
        line = http.client.HTTPConnection("127.0.0.1", self.gate.port, timeout=60)
        try:
            line.request(method, path, body, sent)
            answer = line.getresponse()
            return Reply(answer.status, answer.headers, answer.read())
        finally:
            line.close()

    def raw(self, text: bytes) -> bytes:
        import socket

        with socket.create_connection(("127.0.0.1", self.gate.port), timeout=10) as line:
            line.sendall(text)
            line.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: line.recv(65536), b""))


@contextmanager
def running(explorer: Any, **options: Any):
    serving = serve(explorer, **options)
    serving.start()
    try:
        yield Client(serving)
    finally:
        serving.close()
        serving.wait()
