from __future__ import annotations

import asyncio
import pickle
import threading
import time
import unittest
from email.utils import formatdate
from typing import Any
from unittest import mock

import httpx
from whereabouts import ApiError, AsyncWhereabouts, ConnectionFailed, TimedOut, Whereabouts

from .scene import OPTIONS, Server, WithAsyncClient, WithClient, failed

Response = httpx.Response


def get(client: Any) -> Any:
    return client.request("GET", "/api/v1/assets/1")


def rename(client: Any) -> Any:
    """A POST that takes no name."""
    return client.request("POST", "/api/v1/assets/1/rename", json={"external_key": "B"})


def post(client: Any) -> Any:
    return client.request("POST", "/api/v1/assets", json={"name": "A"})


def save(client: Any) -> Any:
    return client.save_inventory(["A-1"], "DOCK")


class Requests:
    def test_have_the_token_and_name_the_product(self) -> None:
        server = Server(Response(200, json={"data": 1}))
        self.assertEqual(self.use(server, get), {"data": 1})
        self.assertEqual(server.grant, {"grant_type": "client_credentials", "client_id": "id", "client_secret": "s"})
        self.assertEqual(server.tokens, ["Bearer t1"])
        self.assertEqual(server.requests[0].headers["user-agent"], "tests/1")
        self.assertEqual(str(server.requests[0].url), "https://api.example.com/api/v1/assets/1")

    def test_wait_for_a_free_connection_without_a_limit(self) -> None:
        server = Server(Response(204))
        self.use(server, get, inactivity_timeout=7)
        self.assertEqual(server.requests[0].extensions["timeout"], {"connect": 7, "read": 7, "write": 7, "pool": None})

    def test_of_patch_are_merge_patches(self) -> None:
        server = Server(Response(200, json={}))
        self.use(server, lambda client: client.request("patch", "/api/v1/assets/1", json={"name": "B"}))
        self.assertEqual(server.requests[0].headers["content-type"], "application/merge-patch+json")

    def test_go_to_no_other_host(self) -> None:
        for path in ("@evil.example.com/", "https://evil.example.com/", ".evil.example.com"):
            with self.assertRaises(ValueError):
                self.use(Server(), lambda client: client.request("GET", path))

    def test_go_to_another_machine_only_encrypted(self) -> None:
        for base_url in ("http://192.0.2.1", "HTTP://api.example.com", "http://127.0.0.1.example.com", "http://[::2]:8080"):
            server = Server(Response(204))
            with self.assertRaisesRegex(ValueError, "unencrypted.*allow_insecure_http"):
                self.use(server, get, base_url=base_url)
            self.assertEqual(server.exchanges, 0)
            self.use(server, get, base_url=base_url, allow_insecure_http=True)
            self.assertEqual(server.exchanges, 1)
        for base_url in ("http://127.0.0.1:8080", "http://localhost", "http://[::1]:8080", "https://192.0.2.1"):
            self.use(Server(Response(204)), get, base_url=base_url)

    def test_without_a_body_in_the_response_return_none(self) -> None:
        self.assertIsNone(self.use(Server(Response(204)), get))


class Tokens:
    def test_are_used_for_14_of_15_minutes(self) -> None:
        server, now = Server(*[Response(204) for _ in range(3)]), [0.0]

        def at(seconds: float) -> Any:
            def call(client: Any) -> Any:
                now[0] = seconds
                return get(client)

            return call

        with mock.patch("whereabouts.calls.time.monotonic", lambda: now[0]):
            self.use(server, at(0), at(839.9), at(840))
        self.assertEqual(server.tokens, ["Bearer t1", "Bearer t1", "Bearer t2"])

    def test_that_were_refused_are_replaced_once(self) -> None:
        server = Server(failed(401), Response(200, json=7))
        self.assertEqual(self.use(server, post), 7)
        self.assertEqual(server.tokens, ["Bearer t1", "Bearer t2"])
        self.assertEqual(server.lines, ['POST /api/v1/assets {"name":"A"}'] * 2)
        with self.assertRaises(ApiError) as caught:
            self.use(Server(failed(401), failed(401), Response(200)), get)
        self.assertEqual(caught.exception.status, 401)

    def test_are_asked_for_again_after_a_failed_exchange(self) -> None:
        answers = [failed(401, detail="Wrong secret"), Response(200, json={"access_token": "t", "expires_in": 900})]
        server = Server(Response(204), on_exchange=lambda: answers.pop(0))

        def refused(client: Any) -> Any:
            async def wait() -> None:
                with self.assertRaisesRegex(ApiError, "Wrong secret"):
                    await get(client)

            if isinstance(client, AsyncWhereabouts):
                return wait()
            with self.assertRaisesRegex(ApiError, "Wrong secret"):
                get(client)

        self.use(server, refused, get)
        self.assertEqual((server.exchanges, server.tokens), (2, ["Bearer t"]))


class Retries:
    def test_of_429_follow_retry_after_whatever_the_method(self) -> None:
        for call in (get, post):
            server = Server(failed429("3"), failed429("0"), Response(201))
            self.use(server, call)
            self.assertEqual((self.pauses[0], len(self.pauses)), (3, 2))
            self.assertEqual(len(set(server.lines)), 1)

    def test_wait_until_the_date_of_retry_after(self) -> None:
        self.use(Server(failed429(formatdate(time.time() + 20, usegmt=True)), Response(200)), get)
        self.assertTrue(18 < self.pauses[0] <= 20, self.pauses)
        self.use(Server(failed429(formatdate(0)), failed429("-1"), failed429("soon"), Response(200)), get)
        self.assertTrue(1 <= self.pauses[0] <= 3 <= self.pauses[1] <= 5, self.pauses)  # the past is at once

    def test_of_5xx_and_broken_connections_are_of_what_does_the_same_again(self) -> None:
        broken = [httpx.ReadTimeout(""), httpx.ConnectError(""), httpx.RemoteProtocolError("")]
        for call in (get, save):
            server = Server(Response(500), *broken, data(7))
            self.use(server, call)
            growing = [2**i / 2 <= pause <= 2**i for i, pause in enumerate(self.pauses)]
            self.assertEqual(growing, [True] * 4, self.pauses)

    def test_are_not_made_of_a_post_or_patch_that_may_have_succeeded(self) -> None:
        for call in (rename, lambda client: client.request("PATCH", "/api/v1/assets/1", json={})):
            with self.assertRaises(ApiError):
                self.use(Server(failed(503), Response(200)), call)
            with self.assertRaises(ConnectionFailed):
                self.use(Server(httpx.ReadError(""), Response(200)), call)

    def test_are_not_made_of_mistakes_or_final_answers(self) -> None:
        for answer in (failed(404), failed429("3600"), httpx.UnsupportedProtocol("")):
            server = Server(answer, Response(200))
            with self.assertRaises((ApiError, httpx.UnsupportedProtocol)):
                self.use(server, get)
            self.assertEqual(self.pauses, [])

    def test_end_with_the_last_response_or_error(self) -> None:
        with self.assertRaisesRegex(ApiError, "HTTP status 502"):
            self.use(Server(Response(500), Response(502), Response(200)), get, attempts=2)
        with self.assertRaises(TimedOut) as caught:
            self.use(Server(*[httpx.ReadTimeout("")] * 5, Response(200)), get)
        self.assertEqual(len(self.pauses), 4)
        self.assertIsInstance(caught.exception, httpx.TimeoutException)
        self.assertIsInstance(caught.exception.__cause__, httpx.ReadTimeout)
        error = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((error.status, error.method, error.attempts), (None, "GET", 5))
        self.assertEqual(error.url, "https://api.example.com/api/v1/assets/1")


def failed429(retry_after: str) -> httpx.Response:
    return Response(429, headers={"retry-after": retry_after})


class Errors:
    def error_of(self, response: httpx.Response) -> ApiError:
        with self.assertRaises(ApiError) as caught:
            self.use(Server(response), get)
        return caught.exception

    def test_have_what_the_api_said(self) -> None:
        fields = [{"field": "name", "code": "too_long", "message": "M"}]
        conflict = {"resource": "asset", "id": 3, "external_key": "A"}
        error = self.error_of(failed(409, type="conflict", fields=fields, conflict=conflict))
        self.assertEqual((error.status, error.type, error.detail), (409, "conflict", "Some detail"))
        self.assertEqual((error.fields, error.conflict, error.request_id), (fields, conflict, "R1"))
        self.assertEqual(str(error), "conflict: Some detail (request R1)")

    def test_may_be_plain_text_or_anything(self) -> None:
        forbidden = self.error_of(Response(403, text="Forbidden", headers={"x-request-id": "R2"}))
        self.assertEqual((forbidden.status, forbidden.type, forbidden.request_id), (403, None, "R2"))
        self.assertEqual(str(forbidden), "HTTP status 403: Forbidden (request R2)")
        for body in ([1], {"error": "x"}, {"error": {"code": 7}}, None):
            self.assertIsNone(self.error_of(Response(400, json=body)).type)
        for response in (Response(308), Response(400)):
            self.assertIsNone(self.error_of(response).type)
        page = self.error_of(Response(200, text="<html>sign in" + "." * 1_000))
        self.assertEqual((page.status, len(page.detail)), (200, 200))

    def test_survive_another_process(self) -> None:
        error = self.error_of(failed(404))
        self.assertEqual(str(pickle.loads(pickle.dumps(error))), str(error))


class Rows:
    def test_are_those_of_all_pages(self) -> None:
        pages = [{"data": [1, 2], "total_count": 201}, {"data": [3], "total_count": 201}]
        server = Server(*[Response(200, json=page) for page in pages])
        query = {"external_key": ["A", "B"], "is_active": True, "q": None}
        self.assertEqual(self.use(server, lambda client: client.rows("/api/v1/assets", **query)), [1, 2, 3])
        path = "GET /api/v1/assets?limit=200&offset={}&external_key=A&external_key=B&is_active=true"
        self.assertEqual(server.lines, [path.format(0), path.format(200)])

    def test_may_be_none(self) -> None:
        server = Server(Response(200, json={"data": [], "total_count": 0}))
        self.assertEqual(self.use(server, lambda client: client.rows("/api/v1/assets")), [])

    def test_of_a_path_with_parameters(self) -> None:
        server = Server(Response(200, json={"data": [], "total_count": 0}))
        path = "/api/v1/assets/{asset_id}/history"
        self.use(server, lambda client: client.rows(path, asset_id="7/../8", from_="2026-01-01T00:00:00Z"))
        line = "GET /api/v1/assets/7%2F..%2F8/history?limit=200&offset=0&from=2026-01-01T00%3A00%3A00Z"
        self.assertEqual(server.lines, [line])


TAG = {"tag_type": "rfid", "value": "AA"}
STORED = {"id": 7, "external_key": "A-1", "name": "A", "metadata": {"n": 1}, "tags": [TAG]}
STORED["valid_from"] = "2026-01-01T00:00:00.120Z"
EXISTS = {"type": "conflict", "conflict": {"resource": "asset", "id": 7, "external_key": "A-1"}}


def data(value: object) -> httpx.Response:
    return Response(200, json={"data": value})


class Upserts:
    def upsert(self, server: Server, **fields: Any) -> Any:
        return self.use(server, lambda client: client.upsert_asset("A-1", **fields))

    def test_create(self) -> None:
        server = Server(data(STORED))
        self.assertEqual(self.upsert(server, name="A", tags=[TAG]), {**STORED, "outcome": "created"})
        body = '{"name":"A","tags":[{"tag_type":"rfid","value":"AA"}],"external_key":"A-1"}'
        self.assertEqual(server.lines[0], f"POST /api/v1/assets {body}")

    def test_change_nothing_of_what_is_equal(self) -> None:
        server = Server(failed(409, **EXISTS), data(STORED))
        fields = {"name": "A", "metadata": {"n": 1}, "valid_from": "2026-01-01T01:00:00.120999+01:00", "tags": [TAG]}
        self.assertEqual(self.upsert(server, **fields)["outcome"], "unchanged")
        self.assertEqual(server.lines[1], "GET /api/v1/assets/7")

    def test_change_what_differs(self) -> None:
        changed = [{"metadata": {"n": True}}, {"metadata": {"n": 1, "m": None}}, {"valid_from": "2026-01-01T00:00:00Z"}]
        for change in changed:
            server = Server(failed(409, **EXISTS), data(STORED), data({**STORED, **change}))
            result = self.upsert(server, name="A", **change)
            self.assertEqual(result, {**STORED, **change, "outcome": "updated"})
            self.assertTrue(server.lines[2].startswith(f'PATCH /api/v1/assets/7 {{"{[*change][0]}"'), server.lines)

    def test_add_missing_tags(self) -> None:
        other = {"tag_type": "ble", "value": "BB"}
        server = Server(failed(409, **EXISTS), data(STORED), data(other), data({**STORED, "tags": [TAG, other]}))
        self.assertEqual(self.upsert(server, name="A", tags=[other])["tags"], [TAG, other])
        paths = [" ".join(line.split(" ")[:2]) for line in server.lines[2:]]
        self.assertEqual(paths, ["POST /api/v1/assets/7/tags", "GET /api/v1/assets/7"])

    def test_end_with_the_conflict_if_something_else_has_a_tag(self) -> None:
        owners = [{"resource": "location", "id": 9, "external_key": "A-1"}, {**EXISTS["conflict"], "external_key": "B"}, None]
        for owner in owners:
            with self.assertRaises(ApiError) as caught:
                self.upsert(Server(failed(409, **({"conflict": owner} if owner else {}))), name="A", tags=[TAG])
            self.assertEqual(caught.exception.status, 409)

    def test_end_with_another_error(self) -> None:
        with self.assertRaises(ApiError) as caught:
            self.upsert(Server(failed(400), data([STORED])), name="")
        self.assertEqual(caught.exception.status, 400)

    def test_of_locations_use_their_paths(self) -> None:
        owner = {"resource": "location", "id": 7, "external_key": "DOCK"}
        server = Server(failed(409, conflict=owner), data({**STORED, "parent_id": None}))
        result = self.use(server, lambda client: client.upsert_location("DOCK", name="A", parent_id=None))
        self.assertEqual((result["outcome"], server.lines[1]), ("unchanged", "GET /api/v1/locations/7"))


class Inventories:
    def test_are_saved(self) -> None:
        server = Server(Response(201, json={"data": {"count": 1}}))
        self.assertEqual(self.use(server, save), {"count": 1})
        body = '{"asset_identifiers":["A-1"],"location_identifier":"DOCK"}'
        self.assertEqual(server.lines, [f"POST /api/v1/inventory/save {body}"])

    def test_of_one_text_are_a_mistake(self) -> None:
        with self.assertRaises(TypeError):
            self.use(Server(), lambda client: client.save_inventory("A-1", "DOCK"))


class Behaviour(Requests, Tokens, Retries, Errors, Rows, Upserts, Inventories):
    pass


class TestWhereabouts(Behaviour, WithClient, unittest.TestCase):
    pass


class TestAsyncWhereabouts(Behaviour, WithAsyncClient, unittest.TestCase):
    pass


CALLERS = 8


class TestSimultaneousCalls(unittest.TestCase):
    def test_of_threads_share_an_exchange(self) -> None:
        def exchange_and_call_again() -> httpx.Response:
            if server.exchanges == 1:
                other.start()
                other.join(0.2)  # in vain: it waits for this exchange
            return Response(200, json={"access_token": "t", "expires_in": 900})

        server = Server(Response(204), Response(204), on_exchange=exchange_and_call_again)
        with Whereabouts(**OPTIONS, transport=httpx.MockTransport(server)) as client:
            other = threading.Thread(target=get, args=[client])
            get(client)
            other.join()
        self.assertEqual((server.exchanges, server.tokens), (1, ["Bearer t"] * 2))

    def test_of_tasks_share_an_exchange_also_if_it_fails(self) -> None:
        def pairs() -> list[httpx.Response]:
            return [Response(200, json={"access_token": "t", "expires_in": 900}), failed(401)]

        async def use(server: Server) -> list[Any]:
            started, all_started = [], asyncio.Event()

            async def answer(request: httpx.Request) -> httpx.Response:
                await all_started.wait()
                return server(request)

            async def call() -> Any:
                started.append(1)
                if len(started) == CALLERS:
                    all_started.set()
                return await get(client)

            async with AsyncWhereabouts(**OPTIONS, transport=httpx.MockTransport(answer)) as client:
                return await asyncio.gather(*[call() for _ in range(CALLERS)], return_exceptions=True)

        for i, is_success in enumerate([True, False]):
            server = Server(*[Response(204) for _ in range(CALLERS)], on_exchange=lambda i=i: pairs()[i])
            results = asyncio.run(use(server))
            self.assertEqual([result is None for result in results], [is_success] * CALLERS)
            self.assertEqual(server.exchanges, 1)


if __name__ == "__main__":
    unittest.main()
