"""A page and its verbs over HTTP, for this machine and one person alone.

Any page that a browser shows may send requests to 127.0.0.1, and a name that its owner points there (DNS rebinding) makes the answers
readable, too.  So a request must name this very address in `Host`, carry the token that only the printed URL has, come from no other
page (`Origin`, `Sec-Fetch-Site`), and send JSON that says so, which no form can.  Whatever is wrong is told in one line of JSON.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import socket
from base64 import b64encode
from collections.abc import Callable, Collection, Iterable
from hashlib import sha256
from hmac import compare_digest
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from littlestone.errors import LittlestoneError, one_line, require

MOST_BYTES = 2**20  # of a request
DEEPEST = 16  # brackets within brackets
HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


def application(page: str, ask: Callable[[str, Any], Any], verbs: Iterable[str], token: str, hosts: Collection[str]) -> ASGIApp:
    """The page at /, and a verb at /api/VERB: POST takes JSON and answers with what `ask(verb, request)` returns, as JSON.

    `ask` may take its time: it is called in a thread. What it refuses with a `LittlestoneError` is an answer with status 400.
    """

    async def shown(request: Request) -> Response:
        return HTMLResponse(page, headers={"Content-Security-Policy": policy(page)})

    async def called(request: Request) -> Response:
        asked = await body_of(request)
        return JSONResponse(await run_in_threadpool(ask, request.url.path.rpartition("/")[2], asked))

    async def refused(request: Request, error: Exception) -> Response:
        return refusal(400, one_line(error))

    async def lost(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 404
        known = ", ".join(["/", *(f"/api/{verb}" for verb in verbs)])
        return refusal(status, f"{request.method} {one_line(request.url.path)[:80]}: expected GET / or POST of one of {known}")

    routes = [Route("/", shown, methods=["GET"]), *(Route(f"/api/{verb}", called, methods=["POST"]) for verb in verbs)]
    return Guarded(Starlette(routes=routes, exception_handlers={LittlestoneError: refused, HTTPException: lost}), token, hosts)


class Guarded:
    """Lets through what the person at this machine asks for, and nothing that another page or another name sends."""

    def __init__(self, inner: ASGIApp, token: str, hosts: Collection[str]) -> None:
        self.inner, self.token, self.hosts = inner, token, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.inner(scope, receive, send)
            return
        if scope["type"] != "http":  # a websocket
            await send({"type": "websocket.close", "code": 1008})
            return

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        fault = self.fault(Headers(scope=scope), QueryParams(scope["query_string"]))
        await (self.inner if not fault else refusal(403, fault))(scope, receive, sent)

    def fault(self, headers: Headers, query: QueryParams) -> str:
        """Why a request is refused; "" where it is not."""
        host, origin = headers.get("host", ""), headers.get("origin")
        if host not in self.hosts:
            return f"Host {one_line(host)[:80]!r}: expected {' or '.join(sorted(self.hosts))}"
        if origin is not None and origin not in {f"http://{name}" for name in self.hosts}:
            return f"Origin {one_line(origin)[:80]!r}: another page may not ask here"
        if headers.get("sec-fetch-site", "none") == "cross-site" and headers.get("sec-fetch-mode") != "navigate":
            return "another site may not ask here"
        if not compare_digest(query.get("token", "").encode(), self.token.encode()):
            return "the token in the URL is missing or not the right one; expected the URL that the command printed when it started"
        return ""


async def body_of(request: Request) -> Any:
    """The JSON of a request, of bounded size and depth."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip()
    require(kind == "application/json", f"Content-Type {one_line(kind)[:80]!r}: expected application/json")
    body = bytearray()
    async for part in request.stream():
        body += part
        require(len(body) <= MOST_BYTES, f"the request has more than {MOST_BYTES:,} bytes")
    try:
        value = json.loads(body.decode("utf-8"), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise LittlestoneError(f"the request is not JSON ({one_line(error)[:120]})") from None
    require(_depth(value) <= DEEPEST, f"the request has more than {DEEPEST} brackets within brackets")
    return value


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number")


def _depth(value: Any) -> int:
    """How deep lists and objects are nested, without recursion."""
    level, depth = [value], 0
    while level := [
        part for outer in level if isinstance(outer, list | dict) for part in (outer.values() if isinstance(outer, dict) else outer)
    ]:
        depth += 1
        if depth > DEEPEST:
            break
    return depth


def refusal(status: int, why: str) -> Response:
    return JSONResponse({"error": why}, status)


NONE = "'none'"


def policy(page: str) -> str:
    """What a page may do: run its own script and styles, known by their digests, and ask where it came from. Nothing else."""
    digests = {
        tag: " ".join(
            f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
            for text in re.findall(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        )
        for tag in ("script", "style")
    }
    own = f"script-src {digests['script'] or NONE}; style-src {digests['style'] or NONE}; connect-src 'self'; img-src data:"
    return f"default-src 'none'; {own}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"


def serve(make: Callable[[str, Collection[str]], ASGIApp], port: int | None, usual: int, ready: Callable[[str], None]) -> None:
    """Serve on 127.0.0.1 until a signal ends it; `ready` is told the URL. Without a port the usual one is taken, or any that is free."""
    listener = listening(usual if port is None else port, otherwise=port is None)
    number = listener.getsockname()[1]
    token = secrets.token_urlsafe(24)
    app = make(token, {f"127.0.0.1:{number}", f"localhost:{number}"})
    ready(f"http://127.0.0.1:{number}/?token={token}")
    config = uvicorn.Config(app, log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=1)
    with listener:
        uvicorn.Server(config).run(sockets=[listener])


def listening(port: int, *, otherwise: bool = False) -> socket.socket:
    """A socket on 127.0.0.1; where the port is taken, and that will do, on one that is free."""
    listener = socket.socket()
    if os.name == "posix":  # elsewhere it would let another program listen, too
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
    except OSError as error:
        listener.close()
        if otherwise:
            return listening(0)
        raise LittlestoneError(f"port {port} of 127.0.0.1 cannot be used ({error.strerror}); expected a free one, or none") from None
    listener.listen()  # from here on nobody is turned away, though answers come later
    return listener
