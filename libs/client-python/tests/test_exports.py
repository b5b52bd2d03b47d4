from __future__ import annotations

import hashlib
import io
import unittest
from typing import Any, Dict, List

import httpx

from whereabouts import ApiError, ExportFailed

from .scene import Server, WithAsyncClient, WithClient, failed

CONTENT = bytes(range(256)) * 40_000  # three pieces
FILE: Dict[str, Any] = {
    "name": "history-2026-11-21.csv.gz", "day": "2026-11-21", "rows": 1, "bytes": len(CONTENT),
    "sha256": hashlib.sha256(CONTENT).hexdigest(), "url": "/api/v1/exports/7/files/history-2026-11-21.csv.gz?signature=s",
}  # fmt: skip


def state(status: str, **fields: Any) -> httpx.Response:
    finished_at = "2026-11-21T10:00:00Z" if status in ("done", "failed") else None
    return httpx.Response(200, json={"data": {"id": 7, "status": status, "finished_at": finished_at, **fields}})


class Pieces(Server):
    """Answers ranges of a file, with some failures before."""

    def __init__(self, content: bytes, *answers: Any) -> None:
        super().__init__(*answers)
        self.content = content

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers.pop(0) if self.answers else None
        if isinstance(answer, Exception):
            raise answer
        first, last = (int(text) for text in request.headers["range"][6:].split("-"))
        return answer or httpx.Response(206, content=self.content[first : last + 1])


class Exports:
    use: Any
    pauses: List[float]
    assertEqual: Any
    assertNotIn: Any
    assertRaises: Any
    assertRaisesRegex: Any

    def test_create_get_list_and_delete(self) -> None:
        server = Server(state("queued"), state("queued"), httpx.Response(200, json={"data": [{"id": 7}], "total_count": 1}), httpx.Response(204))
        listed: Any = None
        self.use(server, lambda c: c.exports.create("history", format="csv", start="2026-11-20T00:00:00Z"), lambda c: c.exports.get(7))
        listed = self.use(server, lambda c: c.exports.list())
        self.use(server, lambda c: c.exports.delete(7))
        self.assertEqual(listed, [{"id": 7}])
        self.assertEqual(server.lines, [
            'POST /api/v1/exports {"dataset":"history","format":"csv","from":"2026-11-20T00:00:00Z"}',
            "GET /api/v1/exports/7", "GET /api/v1/exports?limit=200&offset=0", "DELETE /api/v1/exports/7",
        ])  # fmt: skip

    def test_waits_until_it_is_done_also_after_failures(self) -> None:
        server = Server(state("queued"), failed(503), state("running"), state("running"), httpx.ReadError("cut"), state("done", files=[FILE]))
        seen: List[str] = []
        done = self.use(server, lambda c: c.exports.wait(7, on_progress=lambda one: seen.append(one["status"]), interval=2))
        self.assertEqual(seen, ["queued", "running", "running", "done"])
        self.assertEqual(done["files"], [FILE])
        self.assertEqual(self.pauses.count(2.0), 3)

    def test_a_failed_one_says_what_to_do(self) -> None:
        with self.assertRaisesRegex(ExportFailed, "Choose a shorter time"):
            self.use(Server(state("failed", problem="Choose a shorter time.")), lambda c: c.exports.wait(7))

    def test_downloads_piece_by_piece_without_a_token(self) -> None:
        server, target = Pieces(CONTENT, None, httpx.ReadError("cut"), failed(503)), io.BytesIO()
        self.use(server, lambda c: c.exports.download(FILE, target))
        self.assertEqual(target.getvalue(), CONTENT)
        self.assertEqual([one.headers["range"] for one in server.requests], [
            "bytes=0-4194303", *["bytes=4194304-8388607"] * 3, "bytes=8388608-10239999",
        ])  # fmt: skip
        self.assertNotIn("authorization", server.requests[0].headers)

    def test_refuses_another_file_and_one_that_is_gone(self) -> None:
        with self.assertRaisesRegex(ValueError, "does not have the checksum"):
            self.use(Pieces(CONTENT[::-1]), lambda c: c.exports.download(FILE, io.BytesIO()))
        with self.assertRaisesRegex(ValueError, "is not the file of the export any more"):
            self.use(Pieces(CONTENT, httpx.Response(200, content=CONTENT)), lambda c: c.exports.download(FILE, io.BytesIO()))
        with self.assertRaises(ApiError):
            self.use(Pieces(CONTENT, failed(404)), lambda c: c.exports.download(FILE, io.BytesIO()))


class TestExports(Exports, WithClient, unittest.TestCase):
    pass


class TestAsyncExports(Exports, WithAsyncClient, unittest.TestCase):
    pass
