"""The server of one explorer, on this machine only: who may ask, and when it ends.

A page of another site can make a browser send requests here, and any program of this machine can
send its own. So every request must name this very address in ``Host``, must not come from another
site, and must carry the token that the opened address had; nothing is ever allowed to be read from
elsewhere. What a page may load or run is limited by its policy to this server.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import secrets
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..runtime import Listener, listen
from .pages import TYPES, served_files
from .questions import Answer, Asked
from .routes import Explorer, most_bytes

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

HOST = "127.0.0.1"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
    "font-src 'self'; connect-src 'self'; worker-src 'none'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
AT_ONCE = 8  # questions that are worked on; others wait
WAITING = 100  # connections, after which the server says that it is busy
GRACE = 10.0  # seconds without a window before the server ends
AFTER_GOODBYE = 3.0  # seconds for a page that is loaded anew to come back
HEARTBEAT = 5.0  # seconds between two signs of life to a window
MOST_WINDOWS = 16


@dataclass(eq=False)
class Windows:
    """The windows that look at the server, and since when none does."""

    keep: bool = False
    count: int = 0
    ever: bool = False
    deadline: float | None = None

    def open(self) -> None:
        """Count a window in."""
        self.count, self.ever, self.deadline = self.count + 1, True, None

    def close(self) -> None:
        """Count a window out."""
        self.count -= 1
        if self.count <= 0 and self.deadline is None:
            self.deadline = time.monotonic() + GRACE

    def goodbye(self) -> None:
        """Hear from a window that it goes: if it was the last, the wait is short."""
        if self.count <= 1:
            self.deadline = time.monotonic() + AFTER_GOODBYE

    @property
    def all_gone(self) -> bool:
        """Whether nobody looks any more, nor will come back."""
        late = self.deadline is not None and time.monotonic() > self.deadline
        return self.ever and late and self.count <= 0 and not self.keep


@dataclass(eq=False)
class Gate:
    """Who may ask: this address, this site, this token."""

    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))

    @property
    def origin(self) -> str:
        """The one origin that there is."""
        return f"http://{HOST}:{self.port}"

    @property
    def cookie(self) -> str:
        """The name of the cookie; cookies do not know ports, so that it has the port in it."""
        return f"unspool-{self.port}"

    @property
    def address(self) -> str:
        """What is opened: the token becomes a cookie at once."""
        return f"{self.origin}/?token={self.token}"

    def refusal(self, request: Request) -> Answer | None:
        """Return why a request may not ask, or None."""
        hosts = request.headers.getlist("host")
        if hosts != [f"{HOST}:{self.port}"]:
            return _refused(421, "this server answers to its own address only")
        site = request.headers.get("sec-fetch-site", "none")
        if site not in ("same-origin", "none"):
            return _refused(403, "requests from other sites are refused")
        origins = request.headers.getlist("origin")
        if any(origin != self.origin for origin in origins):
            return _refused(403, "requests from other origins are refused")
        if request.method not in ("GET", "HEAD") and not origins:
            return _refused(403, "a request that changes something must tell its origin")
        return None

    def lets_in(self, token: str | None) -> bool:
        """Whether this is the token."""
        return token is not None and hmac.compare_digest(token.encode(), self.token.encode())


def _refused(status: int, sentence: str) -> Answer:
    return Answer(json.dumps({"error": sentence}).encode(), status=status)


@dataclass(eq=False)
class Site:
    """The server's answers: the page, the questions, and the events."""

    explorer: Explorer
    gate: Gate
    windows: Windows = field(default_factory=Windows)
    pages: dict[str, bytes] = field(default_factory=served_files)
    closing: bool = False
    _listeners: set[Listener] = field(default_factory=set)
    _limiter: Any = None

    def app(self) -> Starlette:
        """Return the application."""
        from starlette.applications import Starlette
        from starlette.routing import Route

        every = ["GET", "POST", "DELETE", "PUT", "PATCH", "OPTIONS"]
        return Starlette(routes=[Route("/{path:path}", self.respond, methods=every)])

    async def respond(self, request: Request) -> Response:
        """Answer one request, if it may ask."""
        refused = self.gate.refusal(request)
        if refused is not None:
            return _response(refused)
        path = request.scope["path"]
        if path == "/" and "token" in request.query_params:
            return self._enter(request)
        if not self.gate.lets_in(request.cookies.get(self.gate.cookie)):
            return _response(_refused(403, "open the address that the explorer printed"))
        if path == "/api/events" and request.method == "GET":
            return self._stream()
        if path in ("/api/drawn", "/api/bye") and request.method == "POST":
            if path == "/api/bye":
                self.windows.goodbye()
            else:  # not before: it would take the processor from the page that loads
                self.explorer.prepare()
            return _response(Answer(b"", status=204))
        if path.startswith("/api/"):
            return await self._ask(request)
        return _response(self._file(path, request.method))

    def _enter(self, request: Request) -> Response:
        """Turn the token of the address into a cookie that no script and no other site can use."""
        if request.method != "GET" or not self.gate.lets_in(request.query_params["token"]):
            return _response(_refused(403, "this is not the address that the explorer printed"))
        made = _response(Answer(b"", "text/plain", 303))
        made.headers["Location"] = "/"
        made.set_cookie(
            self.gate.cookie, self.gate.token, path="/", httponly=True, samesite="strict"
        )
        return made

    def _file(self, path: str, method: str) -> Answer:
        name = "index.html" if path == "/" else path.removeprefix("/page/")
        if method not in ("GET", "HEAD"):
            return _refused(405, f"{method} is not known here")
        if name not in self.pages or (path != "/" and not path.startswith("/page/")):
            return _refused(404, "there is nothing at this address")
        body = self.pages[name]
        if name == "index.html":
            body = body.replace(b"<!-- first map -->", self._first_map().encode())
        return Answer(body, TYPES[name[name.rindex(".") :]])

    def _first_map(self) -> str:
        """Return the link that fetches the first map beside the modules that will draw it."""
        first = next(iter(self.explorer.session.views), None)
        if first is None:
            return ""
        return f'<link rel="preload" href="/api/points?map={first}" as="fetch" crossorigin>'

    async def _ask(self, request: Request) -> Response:
        from anyio import CapacityLimiter, to_thread

        path, n_points = request.scope["path"], self.explorer.session.data.n_points
        limit = most_bytes(request.method, path, n_points)
        body = await _body(request, limit)
        if body is None:
            return _response(_refused(413, f"the body may have at most {limit:,} bytes here"))
        asked = Asked(request.method, path, dict(request.query_params), body)
        if self._limiter is None:  # it belongs to the loop that runs
            self._limiter = CapacityLimiter(AT_ONCE)
        answer = await to_thread.run_sync(self._work, asked, limiter=self._limiter)
        return _response(answer)

    def _work(self, asked: Asked) -> Answer:
        """Answer a question in a thread; what takes long stops when the server ends."""
        with listen(lambda event: None) as listener:
            self._listeners.add(listener)
            if self.closing:
                listener.cancel()
            try:
                return self.explorer.answer(asked)
            finally:
                self._listeners.discard(listener)

    def _stream(self) -> Response:
        from starlette.responses import StreamingResponse

        if self.windows.count >= MOST_WINDOWS:
            return _response(_refused(503, f"{MOST_WINDOWS} windows look at this already"))
        headers = {**HEADERS, "X-Accel-Buffering": "no"}
        return StreamingResponse(self._events(), media_type="text/event-stream", headers=headers)

    async def _events(self) -> AsyncIterator[str]:
        """Yield what happens to one window, from its opening on."""
        loop, waiting = asyncio.get_running_loop(), asyncio.Queue[dict[str, Any]]()

        def hear(event: dict[str, Any]) -> None:
            with suppress(RuntimeError):  # the loop may be over before the job
                loop.call_soon_threadsafe(waiting.put_nowait, event)

        stop = self.explorer.jobs.hear(hear)
        self.windows.open()
        running = self.explorer.jobs.running
        try:
            job = None if running is None else {"job": running.id, **running.last}
            yield _event({"event": "hello", "windows": self.windows.count, "job": job})
            while not self.closing:
                try:
                    yield _event(await asyncio.wait_for(waiting.get(), HEARTBEAT))
                except TimeoutError:
                    yield ": still here\n\n"
            yield _event({"event": "closing", "reason": "the explorer was ended"})
        finally:
            stop()
            self.windows.close()

    def close(self) -> None:
        """Stop everything that is under way."""
        self.closing = True
        for listener in list(self._listeners):
            listener.cancel()
        self.explorer.jobs.tell({"event": "closing", "reason": "the explorer was ended"})
        self.explorer.jobs.close()


def _event(event: dict[str, Any]) -> str:
    named = {name: value for name, value in event.items() if name != "event"}
    return f"event: {event['event']}\ndata: {json.dumps(named, allow_nan=False)}\n\n"


def _response(answer: Answer) -> Response:
    from starlette.responses import Response

    headers = dict(HEADERS)
    if answer.name:
        headers["Content-Disposition"] = f'attachment; filename="{answer.name}"'
    return Response(answer.body, answer.status, headers=headers, media_type=answer.type)


async def _body(request: Request, most: int) -> bytes | None:
    """Return the body of a request; None as soon as it is longer than it may be."""
    told = request.headers.get("content-length", "0")
    if not told.isdecimal() or int(told) > most:
        return None
    received = bytearray()
    async for chunk in request.stream():
        received += chunk
        if len(received) > most:
            return None
    return bytes(received)


@dataclass(eq=False)
class Serving:
    """A server that runs, in this thread or in another."""

    site: Site
    socket: socket.socket
    _server: Any = None
    _thread: threading.Thread | None = None

    @property
    def address(self) -> str:
        """The address to open, with its token."""
        return self.site.gate.address

    def run(self, ready: Callable[[], None] | None = None) -> None:
        """Serve until the last window is gone, or until somebody ends it."""
        import uvicorn

        config = uvicorn.Config(
            self.site.app(),
            log_level="error",
            access_log=False,
            lifespan="off",
            limit_concurrency=WAITING,
            timeout_keep_alive=5,
            timeout_graceful_shutdown=1,
            server_header=False,
            h11_max_incomplete_event_size=16_384,
            http="h11",
            ws="none",
        )
        self._server = uvicorn.Server(config)
        try:
            asyncio.run(self._serve(ready))
        except KeyboardInterrupt:
            pass
        finally:
            self.site.close()
            self.socket.close()

    async def _serve(self, ready: Callable[[], None] | None) -> None:
        watching = asyncio.create_task(self._watch(ready))
        await self._server.serve(sockets=[self.socket])
        watching.cancel()

    async def _watch(self, ready: Callable[[], None] | None) -> None:
        """Open the window when the server listens; end the server when the last window is gone."""
        while not self._server.started:
            await asyncio.sleep(0.02)
        if ready is not None:
            ready()
        while not self.site.windows.all_gone:
            await asyncio.sleep(0.2)
            if self._server.should_exit:
                break
        self.close()

    def start(self) -> None:
        """Serve in a thread of its own, and return when it listens."""
        listening = threading.Event()
        self._thread = threading.Thread(target=self.run, args=(listening.set,), daemon=True)
        self._thread.start()
        listening.wait(10)

    def wait(self) -> None:
        """Wait until the server has ended."""
        if self._thread is not None:
            while self._thread.is_alive():  # in steps, so that Ctrl-C is heard
                self._thread.join(0.2)

    def close(self) -> None:
        """End the server."""
        self.site.close()
        if self._server is not None:
            self._server.should_exit = True


def listen_on(port: int = 0) -> socket.socket:
    """Return a socket of this machine only, on a free port unless one is asked for."""
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # else the body of an answer waits some 40 ms until the browser has acknowledged its header
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        made.bind((HOST, port))
    except OSError as error:
        made.close()
        raise ValueError(
            f"port {port} cannot be had ({error.strerror}); leave --port out"
        ) from None
    made.listen(128)
    return made


def serve(explorer: Explorer, port: int = 0, *, keep: bool = False) -> Serving:
    """Return a server for an explorer, which listens already but does not answer yet."""
    opened = listen_on(port)
    gate = Gate(opened.getsockname()[1])
    return Serving(Site(explorer, gate, Windows(keep)), opened)
