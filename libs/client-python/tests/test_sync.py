from __future__ import annotations

import unittest
from typing import Any, List

import httpx

from whereabouts import SyncReport, SyncResult

from .scene import Server, WithAsyncClient, WithClient, failed


def results(*statuses: str) -> httpx.Response:
    rows = [{"index": i, "status": s, "id": None if s == "failed" else i, "error": None} for i, s in enumerate(statuses)]
    return httpx.Response(200, json={"data": rows})


def page(*keys: str) -> httpx.Response:
    return httpx.Response(200, json={"data": [{"external_key": key} for key in keys], "total_count": len(keys)})


class Sync:
    use: Any
    assertEqual: Any
    assertRaisesRegex: Any

    def test_batches_of_500_and_a_key_twice(self) -> None:
        server = Server(results(*["created"] * 500), results("updated", "failed"))
        items = [{"external_key": f"A{i}", "name": "x"} for i in range(501)] + [{"external_key": "B"}, {"external_key": "A1"}]
        seen: List[SyncResult] = []
        report: SyncReport = self.use(server, lambda client: client.assets.sync(iter(items), on_result=seen.append))
        self.assertEqual((report.created, report.updated, report.failed, report.retired), (500, 1, 2, 0))
        self.assertEqual([(one.external_key, one.status) for one in seen[-2:]], [("B", "failed"), ("A1", "failed")])
        self.assertEqual([one.external_key for one in report.failures], ["B", "A1"])
        self.assertEqual([str(one.url.query, "utf-8") for one in server.requests], ["mode=upsert"] * 2)

    def test_dry_run_and_mode(self) -> None:
        server = Server(results("unchanged"))
        self.use(server, lambda client: client.locations.sync([{"external_key": "A"}], dry_run=True, mode="update"))
        self.assertEqual(server.lines, ['POST /api/v1/locations/batch?mode=update&dry_run=true {"items":[{"external_key":"A"}]}'])

    def test_retires_what_is_missing_once_all_succeeded(self) -> None:
        server = Server(results("unchanged"), page("A", "B", "C"), results("updated", "updated"))
        sync = lambda client: client.assets.sync([{"external_key": "A"}], retire_at_most=2)  # noqa: E731
        self.assertEqual(self.use(server, sync).retired, 2)
        self.assertEqual(server.requests[2].url.params["mode"], "update")
        with self.assertRaisesRegex(ValueError, "2 assets are not among the 1 items"):
            self.use(Server(results("unchanged"), page("A", "B", "C")), lambda c: c.assets.sync([{"external_key": "A"}], retire_at_most=1))
        with self.assertRaisesRegex(ValueError, "nothing was retired"):
            self.use(Server(results("failed")), lambda c: c.assets.sync([{"external_key": "A"}], retire_at_most=9))
        with self.assertRaisesRegex(ValueError, "not among the 0 items"):
            self.use(Server(page("A")), lambda c: c.assets.sync([], retire_at_most=9))

    def test_a_post_with_a_name_is_repeated_with_it(self) -> None:
        running = httpx.Response(409, headers={"retry-after": "1"}, json={"error": {"type": "conflict"}})
        server = Server(failed(503), httpx.ReadError("cut"), running, results("created"))
        self.use(server, lambda client: client.assets.sync([{"external_key": "A", "name": "x"}]))
        names = [one.headers["idempotency-key"] for one in server.requests]
        self.assertEqual((len(names), len(set(names))), (4, 1))


class TestSync(Sync, WithClient, unittest.TestCase):
    pass


class TestAsyncSync(Sync, WithAsyncClient, unittest.TestCase):
    pass
