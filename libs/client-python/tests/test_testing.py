from __future__ import annotations

import asyncio
import unittest
from typing import Any, Dict, List

from whereabouts import ApiError, AsyncWhereabouts, Whereabouts
from whereabouts.testing import api_double


class Enough(Exception):
    pass


class TestDouble(unittest.TestCase):
    def test_what_the_client_saves_the_report_has(self) -> None:
        with Whereabouts(**api_double()) as whereabouts:
            whereabouts.upsert_location("DOCK-1", name="Dock 1")
            outcomes = [whereabouts.upsert_asset("PUMP-17", name=name)["outcome"] for name in ("Pump", "Pump", "Pump 17")]
            self.assertEqual(outcomes, ["created", "unchanged", "updated"])
            self.assertEqual(whereabouts.save_inventory(["PUMP-17"], "DOCK-1")["count"], 1)
            rows = list(whereabouts.rows("/api/v1/reports/asset-locations"))
            self.assertEqual([(row["asset_external_key"], row["location_external_key"]) for row in rows], [("PUMP-17", "DOCK-1")])

    def test_a_list_of_many_rows_comes_in_pages(self) -> None:
        with Whereabouts(**api_double()) as whereabouts:
            for i in range(1_000, 1_450):
                whereabouts.upsert_asset(f"A-{i}", name=f"Asset {i}")
            keys = [asset["external_key"] for asset in whereabouts.rows("/api/v1/assets")]
            self.assertEqual(keys, [f"A-{i}" for i in range(1_000, 1_450)])

    def test_events_come_in_their_order(self) -> None:
        seen: List[str] = []

        def on_event(event: Any) -> None:
            seen.append(event["type"])
            if len(seen) == 1:
                whereabouts.upsert_asset("A", name="Other")
            if len(seen) == 2:
                raise Enough

        with Whereabouts(**api_double()) as whereabouts:
            whereabouts.upsert_asset("A", name="A")
            with self.assertRaises(Enough):
                whereabouts.consume_events(on_event)
        self.assertEqual(seen, ["asset.created", "asset.updated"])

    def test_what_it_does_not_have_is_400_and_says_so(self) -> None:
        asked: List[Dict[str, Any]] = [{"path": "/api/v1/movements"}, {"path": "/api/v1/assets", "params": {"q": "pump"}}]
        with Whereabouts(**api_double()) as whereabouts:
            for one in asked:
                with self.assertRaises(ApiError) as caught:
                    whereabouts.request("GET", **one)
                self.assertEqual((caught.exception.status, caught.exception.type), (400, "bad_request"))
                self.assertIn("The test double has no", caught.exception.detail)

    def test_with_asyncio_a_program_that_follows_waits_for_the_next_event(self) -> None:
        seen: List[str] = []

        async def use() -> None:
            async with AsyncWhereabouts(**api_double()) as whereabouts:
                cursor = await whereabouts.events_cursor()
                ask = {"after": cursor, "wait": 25}
                waiting = asyncio.ensure_future(whereabouts.request("GET", "/api/v1/events", params=ask))
                await whereabouts.upsert_asset("A", name="A")
                seen.extend(event["type"] for event in (await waiting)["data"])

        asyncio.run(use())
        self.assertEqual(seen, ["asset.created"])
