from __future__ import annotations

import unittest
from typing import Any, Dict, List

import httpx
from whereabouts import ApiError

from .scene import Server, WithAsyncClient, WithClient, failed


def movement(minute: float, asset: int, to: int) -> Dict[str, Any]:
    at = f"2020-11-20T10:{int(minute):02}:{round(minute % 1 * 60):02}.123Z"
    return {"occurred_at": at, "asset": {"id": asset}, "from_location": None, "to_location": {"id": to}}


def page(*rows: Dict[str, Any], cursor: Any = None) -> httpx.Response:
    return httpx.Response(200, json={"data": list(rows), "cursor": cursor, "has_more": cursor is not None})


class Follows:
    def take(self, server: Server, count: int, **options: Any) -> List[Any]:
        """Of a feed without end."""

        def sync(client: Any) -> Any:
            source = client.follow(**options)
            if hasattr(source, "__aiter__"):

                async def several() -> List[Any]:
                    return [await source.__anext__() for _ in range(count)]

                return several()
            return [next(source) for _ in range(count)]

        return self.use(server, sync)

    def test_movements_are_those_of_all_pages(self) -> None:
        server = Server(page(movement(2, 1, 1), cursor="c"), page(movement(1, 1, 2)))
        rows = self.use(server, lambda client: client.movements(location_ids=[7], include_descendants=True))
        self.assertEqual(rows, [movement(2, 1, 1), movement(1, 1, 2)])
        line = "GET /api/v1/movements?limit=500&location_id=7&include_descendants=true"
        self.assertEqual(server.lines, [line, f"{line}&after=c"])

    def test_begin_now_and_yield_each_once_oldest_first_also_late_ones(self) -> None:
        known, one, two, late = movement(1, 1, 1), movement(2, 1, 2), movement(3, 2, 1), movement(2.5, 3, 1)
        server = Server(page(known), page(known), page(two, one, known), page(two, late, one, known))
        self.assertEqual(self.take(server, 3), [one, two, late])
        self.assertEqual(self.pauses, [5, 5, 5])
        self.assertIn("from=2020-11-20T09%3A51%3A00.123Z", server.lines[1])

    def test_outlast_faults_and_begin_the_round_again(self) -> None:
        first, second = movement(1, 1, 1), movement(2, 1, 2)
        faults = [failed(503)] * 7 + [httpx.ReadError("")] * 2 + [httpx.Response(200, text="<html>")]
        limited = [httpx.Response(429, headers={"retry-after": "1"})] * 3
        server = Server(page(first), page(second, cursor="c"), *faults, *limited, page(second, first))
        self.assertEqual(self.take(server, 1), [second])
        self.assertEqual(server.answers, [])

    def test_end_with_an_error_that_would_come_again(self) -> None:
        with self.assertRaises(ApiError) as caught:
            self.take(Server(failed(403)), 1)
        self.assertEqual(caught.exception.status, 403)

    def test_from_an_instant_read_the_past_in_steps(self) -> None:
        first, second = movement(1, 1, 1), movement(2, 1, 2)
        server = Server(page(first), page(second, first), page(second))
        self.assertEqual(self.take(server, 2, start="2020-11-20T10:00:00Z"), [first, second])
        self.assertIn("from=2020-11-20T10%3A00%3A00.000Z&to=2020-11-21T10%3A00%3A00.000Z", server.lines[0])
        with self.assertRaises(ValueError):
            self.take(Server(), 1, start="2020-11-20 10:00")


class TestWhereabouts(Follows, WithClient, unittest.TestCase):
    pass


class TestAsyncWhereabouts(Follows, WithAsyncClient, unittest.TestCase):
    pass
