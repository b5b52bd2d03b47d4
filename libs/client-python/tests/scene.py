"""A server that answers as told, and both clients of it."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Callable, Iterator, List, Optional, Union

import httpx
from whereabouts import AsyncWhereabouts, Whereabouts

Answer = Union[httpx.Response, Exception]
OPTIONS = {"base_url": "https://api.example.com/", "client_id": "id", "client_secret": "s", "user_agent": "tests/1"}


def failed(status: int, **fields: Any) -> httpx.Response:
    """A response with the envelope of the API."""
    error = {"type": "some_type", "status": status, "detail": "Some detail", "request_id": "R1", **fields}
    return httpx.Response(status, json={"error": error})


class Server:
    """Numbers its tokens, and answers other requests in turn."""

    def __init__(self, *answers: Answer, on_exchange: Optional[Callable[[], Answer]] = None) -> None:
        self.answers, self.on_exchange = list(answers), on_exchange
        self.exchanges = 0
        self.requests: List[httpx.Request] = []
        self.tokens: List[str] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/api/v1/oauth/token":
            self.exchanges += 1
            self.grant = json.loads(request.content)
            pair = {"access_token": f"t{self.exchanges}", "expires_in": 900}
            answer = self.on_exchange() if self.on_exchange else httpx.Response(200, json=pair)
        else:
            self.requests.append(request)
            self.tokens.append(request.headers["authorization"])
            answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    @property
    def lines(self) -> List[str]:
        """Method, path and body of each request."""
        return [f"{one.method} {one.url.raw_path.decode()} {compact(one.content)}".strip() for one in self.requests]


def compact(body: bytes) -> str:
    """Versions of httpx differ in white space."""
    return json.dumps(json.loads(body), separators=(",", ":")) if body else ""


class WithClient:
    """`self.use(server, lambda client: …, …)` makes calls with one client, and returns the result of the last."""

    def use(self, server: Server, *calls: Callable[[Any], Any], **options: Any) -> Any:
        self.pauses: List[float] = []
        transport, clock = httpx.MockTransport(server), lambda: sum(self.pauses)
        with Whereabouts(**{**OPTIONS, **options}, transport=transport, sleep=self.pauses.append, clock=clock) as client:
            for call in calls:
                result = call(client)
                result = list(result) if isinstance(result, Iterator) else result
        return result


class WithAsyncClient:
    """As `WithClient`."""

    def use(self, server: Server, *calls: Callable[[Any], Any], **options: Any) -> Any:
        self.pauses: List[float] = []

        async def sleep(seconds: float) -> None:
            self.pauses.append(seconds)

        async def use() -> Any:
            transport, clock = httpx.MockTransport(server), lambda: sum(self.pauses)
            async with AsyncWhereabouts(**{**OPTIONS, **options}, transport=transport, sleep=sleep, clock=clock) as client:
                for call in calls:
                    result = call(client)
                    result = [row async for row in result] if hasattr(result, "__aiter__") else await result
            return result

        return asyncio.run(use())
