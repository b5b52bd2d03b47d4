"""The rate limit, against a server on a socket with the bucket of a key, by a clock that the test moves."""

from __future__ import annotations

import asyncio
import json
import math
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from whereabouts import ApiError, AsyncWhereabouts, Whereabouts

KEY = {"client_id": "id", "client_secret": "s", "user_agent": "tests/1"}


class Clock:
    """Of threads: it moves when all that work wait."""

    def __init__(self, workers: int) -> None:
        self.now, self.working = 0.0, workers
        self.waiting: List[float] = []
        self.changed = threading.Condition()

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        with self.changed:
            until = self.now + seconds
            self.waiting.append(until)
            self._move()
            while self.now < until:
                self.changed.wait()
            self.waiting.remove(until)

    def end(self) -> None:
        with self.changed:
            self.working -= 1
            self._move()

    def _move(self) -> None:
        """Those who are due but do not run yet count as working."""
        if self.waiting and len(self.waiting) == self.working and min(self.waiting) > self.now:
            self.now = min(self.waiting)
            self.changed.notify_all()


class AsyncClock:
    """Of tasks: `sleep` is the only one that moves it, when all that work wait."""

    def __init__(self, workers: int) -> None:
        self.now, self.working = 0.0, workers
        self.waiting: List[Tuple[float, Any]] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        one = (self.now + seconds, asyncio.get_running_loop().create_future())
        self.waiting.append(one)
        self._move()
        try:
            await one[1]
        finally:
            if one in self.waiting:
                self.waiting.remove(one)

    def end(self) -> None:
        self.working -= 1
        self._move()

    def _move(self) -> None:
        if self.waiting and len(self.waiting) >= self.working:
            self.now = min(until for until, _ in self.waiting)
            due = [one for one in self.waiting if one[0] <= self.now]
            self.waiting = [one for one in self.waiting if one[0] > self.now]
            for _, future in due:
                if not future.done():
                    future.set_result(None)


class Api:
    """Assets that exist under another name. GET and PATCH take a token: 60 a minute, 120 at once after a pause."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock, self.tokens, self.at = clock, 120.0, 0.0
        self.taken = self.refused = self.issued = 0
        self.valid: set[str] = set()
        self.lock = threading.Lock()

    def fill(self) -> None:
        self.tokens = min(120.0, self.tokens + self.clock() - self.at)
        self.at = self.clock()

    def answer(self, method: str, path: str, token: str, body: Dict[str, Any]) -> Tuple[int, Dict[str, str], Any]:
        with self.lock:
            if path.endswith("/oauth/token"):
                self.issued += 1
                self.valid.add(f"t{self.issued}")
                return 200, {}, {"access_token": f"t{self.issued}", "expires_in": 90_000}
            if token not in self.valid:
                return 401, {}, refusal("unauthorized")
            if method == "POST":
                owner = {"resource": "asset", "id": 1, "external_key": body["external_key"]}
                return 409, {}, refusal("conflict", conflict=owner)
            self.fill()
            if self.tokens < 1 - 1e-6:
                self.refused += 1
                return 429, {"retry-after": str(max(1, math.ceil(1 - self.tokens)))}, refusal("rate_limited")
            self.tokens -= 1
            self.taken += 1
            remaining = str(min(60, int(self.tokens + 1e-6)))
            headers = {"ratelimit-policy": "60;w=60", "x-ratelimit-remaining": remaining} if method == "GET" else {}
            return 200, headers, {"data": {"id": 1, "name": body.get("name", "old"), "tags": []}}


def refusal(kind: str, **more: Any) -> Dict[str, Any]:
    return {"error": {"type": kind, "detail": kind, "request_id": "R1", **more}}


class Serving:
    def __init__(self, api: Api) -> None:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True
            wbufsize = -1

            def answer(self) -> None:
                text = self.rfile.read(int(self.headers.get("content-length", 0)))
                token = self.headers.get("authorization", "")[7:]
                status, headers, body = api.answer(self.command, self.path, token, json.loads(text or "{}"))
                content = json.dumps(body).encode()
                self.send_response(status)
                for name, value in {**headers, "content-type": "application/json", "content-length": len(content)}.items():
                    self.send_header(name, str(value))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_PATCH = answer

            def log_message(self, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self) -> Serving:
        return self

    def __exit__(self, *error: object) -> None:
        self.server.shutdown()
        self.server.server_close()


def threads(clock: Clock, works: List[Callable[[], None]]) -> None:
    def run(work: Callable[[], None]) -> None:
        try:
            work()
        finally:
            clock.end()

    running = [threading.Thread(target=run, args=[work]) for work in works]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()


def changing(client: Any, keys: Iterator[int], results: List[Any]) -> Callable[[], None]:
    def work() -> None:
        for key in keys:
            try:
                results.append(client.upsert_asset(str(key), name=f"Asset {key}")["outcome"])
            except ApiError as error:
                results.append(error)

    return work


class Keys:
    """An iterator that threads may share."""

    def __init__(self, count: int) -> None:
        self.rest, self.lock = iter(range(count)), threading.Lock()

    def __iter__(self) -> Keys:
        return self

    def __next__(self) -> int:
        with self.lock:
            return next(self.rest)


class TestThreads(unittest.TestCase):
    def change(self, count: int, clients: int = 1, max_wait: float = 300, empty: bool = False) -> Tuple[Api, Clock, List[Any]]:
        clock = Clock(8 * clients)
        api, results = Api(clock), []  # type: Tuple[Api, List[Any]]
        api.tokens = 0.0 if empty else api.tokens
        with Serving(api) as server:
            options = {"max_wait": max_wait, "sleep": clock.sleep, "clock": clock}
            opened = [Whereabouts(server.url, **KEY, **options) for _ in range(clients)]
            works = []
            for client in opened:
                keys = Keys(count // clients)
                works += [changing(client, keys, results) for _ in range(8)]
            threads(clock, works)
            for client in opened:
                client.close()
        return api, clock, results

    def test_change_500_assets_at_the_rate_of_the_key(self) -> None:
        api, clock, results = self.change(500)
        self.assertEqual(results, ["updated"] * 500)
        self.assertEqual(api.taken, 1_000)
        self.assertLess(api.refused, 10)
        self.assertLess(clock.now, 880 * 1.05)

    def test_with_two_clients_lose_nothing(self) -> None:
        api, clock, results = self.change(120, clients=2)
        self.assertEqual(results, ["updated"] * 120)
        self.assertLess(api.refused, 50)
        self.assertLess(clock.now, 180)

    def test_do_not_wait_while_tokens_are_left(self) -> None:
        api, clock, results = self.change(60)
        self.assertEqual((clock.now, api.refused, len(results)), (0, 0, 60))

    def test_give_up_after_max_wait_and_say_how_long_it_would_be(self) -> None:
        api, _, results = self.change(24, max_wait=3, empty=True)
        failures = [result for result in results if isinstance(result, ApiError)]
        self.assertGreater(len(failures), 4)
        for failure in failures:
            self.assertEqual((failure.status, failure.method is not None), (429, True))
            self.assertIsNotNone(failure.retry_after)


class TestTasks(unittest.TestCase):
    def test_change_assets_at_the_rate_of_the_key_with_a_renewed_token_and_a_cancelled_one(self) -> None:
        async def use() -> Tuple[Api, AsyncClock, List[Any]]:
            clock = AsyncClock(9)
            api, keys, results = Api(clock), iter(range(150)), []  # type: Tuple[Api, Iterator[int], List[Any]]

            async def work(client: AsyncWhereabouts) -> None:
                try:
                    for key in keys:
                        if key == 100:
                            api.valid.clear()
                        results.append((await client.upsert_asset(str(key), name="A"))["outcome"])
                finally:
                    clock.end()

            async def cancelled(client: AsyncWhereabouts) -> None:
                while not results or api.tokens > 1:
                    await asyncio.sleep(0)
                call = asyncio.ensure_future(client.upsert_asset("900", name="cancelled"))
                while not clock.waiting:
                    await asyncio.sleep(0)
                call.cancel()
                try:
                    await call
                except asyncio.CancelledError:
                    results.append("cancelled")
                finally:
                    clock.end()

            with Serving(api) as server:
                async with AsyncWhereabouts(server.url, **KEY, sleep=clock.sleep, clock=clock) as client:
                    await asyncio.gather(*[work(client) for _ in range(8)], cancelled(client))
            return api, clock, results

        api, clock, results = asyncio.run(use())
        self.assertEqual((results.count("updated"), results.count("cancelled")), (150, 1))
        self.assertLess(api.refused, 12)
        self.assertEqual(api.issued, 2)
        self.assertLess(clock.now, 180 * 1.1)


if __name__ == "__main__":
    unittest.main()
