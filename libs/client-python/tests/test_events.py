from __future__ import annotations

import os
import tempfile
import unittest
from typing import Any, Dict, List

import httpx
from whereabouts import ApiError, CursorFile

from .scene import Server, WithAsyncClient, WithClient, failed


class Stop(Exception):
    pass


def event(n: int) -> Dict[str, Any]:
    at = "2026-11-27T10:00:00.000Z"
    return {"id": f"e{n}", "type": "asset.moved", "occurred_at": at, "recorded_at": at, "data": {}}


def page(cursor: str, *numbers: int) -> httpx.Response:
    return httpx.Response(200, json={"data": [event(n) for n in numbers], "cursor": cursor, "has_more": False})


class Events:
    def consume(self, server: Server, most: int, **options: Any) -> List[str]:
        """Until `most` events were handed over; the next one raises Stop."""
        seen: List[str] = []

        def work(client: Any) -> Any:
            is_async = hasattr(client, "aclose")

            def take(one: Dict[str, Any]) -> Any:
                if len(seen) == most:
                    raise Stop
                seen.append(one["id"])

            async def take_later(one: Dict[str, Any]) -> None:
                take(one)

            return client.consume_events(take_later if is_async else take, **options)

        with self.assertRaises(Stop):
            self.use(server, work)
        return seen

    def test_hand_over_each_event_and_store_the_cursor_of_handled_pages(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            store = CursorFile(os.path.join(folder, "cursor"))
            server = Server(page("c1", 1, 2), page("c1"), page("c2", 3), page("c3", 4, 5))
            self.assertEqual(self.consume(server, 4, store=store), ["e1", "e2", "e3", "e4"])
            self.assertEqual(store.read(), "c2")
            again = Server(page("c3", 4, 5), page("c4", 6), page("c5", 7))
            self.assertEqual(self.consume(again, 3, store=store, types=["asset.moved"]), ["e4", "e5", "e6"])
            self.assertEqual(again.lines[0], "GET /api/v1/events?limit=500&wait=25&after=c2&type=asset.moved")
            self.assertEqual(store.read(), "c4")

    def test_begin_now(self) -> None:
        server = Server(page("c1"), page("c2", 1))
        self.consume(server, 0, start="now")
        self.assertEqual([line.split("after=")[1] for line in server.lines], ["now", "c1"])

    def test_outlast_faults(self) -> None:
        faults = [failed(503)] * 12 + [httpx.ReadError("")] * 6
        self.assertEqual(self.consume(Server(page("c1", 1), *faults, page("c2", 2), page("c3", 3)), 2), ["e1", "e2"])

    def test_end_with_what_is_gone(self) -> None:
        with self.assertRaises(ApiError) as caught:
            self.use(Server(failed(410)), lambda client: client.consume_events(print))
        self.assertEqual(caught.exception.status, 410)

    def test_tell_the_newest_cursor(self) -> None:
        server = Server(page("c9"))
        self.assertEqual(self.use(server, lambda client: client.events_cursor()), "c9")
        self.assertEqual(server.lines, ["GET /api/v1/events?after=now&limit=1"])


class SyncEvents(Events, WithClient, unittest.TestCase):
    pass


class AsyncEvents(Events, WithAsyncClient, unittest.TestCase):
    pass
