"""The examples of docs/clients/python.md: each region is one."""

from os import environ

from whereabouts import CursorFile, Event, Whereabouts, WebhookVerificationError
from whereabouts import is_asset_moved, standard_webhook_signature, verify_webhook, webhook_signature
from whereabouts.testing import api_double


def starting() -> None:
    # region Whereabouts
    key = environ["CLIENT_ID"], environ["CLIENT_SECRET"]
    with Whereabouts(environ["BASE"], *key, "my-warehouse/1.0") as whereabouts:
        print(next(whereabouts.rows("/api/v1/assets"), None))
    # endregion


def calling(whereabouts: Whereabouts) -> None:
    # region request
    page = whereabouts.request("GET", "/api/v1/assets", params={"limit": 10})
    print(page["total_count"])
    # endregion
    # region upsert_asset
    tags = [{"tag_type": "rfid", "value": "E2801160600002AA17"}]
    print(whereabouts.upsert_asset("PUMP-17", name="Pump 17", tags=tags)["outcome"])
    # endregion
    # region upsert_location
    whereabouts.upsert_location("DOCK-1", name="Dock 1", parent_external_key="HALL")
    # endregion
    # region assets.sync
    items = [{"external_key": "PUMP-17", "name": "Pump 17", "tags": tags}]
    report = whereabouts.assets.sync(items, retire_at_most=20)
    print(report.created, report.updated, report.failures)
    # endregion
    # region locations.sync
    hall = {"external_key": "HALL", "name": "Hall"}
    whereabouts.locations.sync([hall, {"external_key": "DOCK-1", "name": "Dock 1", "parent_external_key": "HALL"}])
    # endregion
    # region save_inventory
    print(whereabouts.save_inventory(["PUMP-17", "PUMP-18"], "DOCK-1")["count"])
    # endregion
    # region exports.create
    begun = whereabouts.exports.create("history", format="parquet", start="2026-11-20T00:00:00Z")
    # endregion
    # region exports.wait
    export = whereabouts.exports.wait(begun["id"], on_progress=lambda state: print(state["progress"]))
    # endregion
    # region exports.download
    for file in export["files"]:
        with open(file["name"], "wb") as target:
            whereabouts.exports.download(file, target)
    # endregion
    # region exports.get
    print(whereabouts.exports.get(begun["id"])["status"])
    # endregion
    # region exports.list
    for one in whereabouts.exports.list():
        print(one["dataset"], one["status"])
    # endregion
    # region exports.delete
    whereabouts.exports.delete(begun["id"])  # its files count against export_bytes
    # endregion
    # region rows
    for row in whereabouts.rows("/api/v1/reports/asset-locations", sort="asset_external_key"):
        print(row["asset_external_key"], row["location_external_key"])
    # endregion
    # region movements
    for movement in whereabouts.movements(start="2026-11-21T00:00:00Z"):
        print(movement["asset"]["external_key"], movement["to_location"]["external_key"])
    # endregion
    # region follow
    for movement in whereabouts.follow(interval=10):
        print(movement["asset"]["external_key"], movement["to_location"]["external_key"])
    # endregion


def following(whereabouts: Whereabouts) -> None:
    # region consume_events
    def on_event(event: Event) -> None:
        print(event["type"], event["data"])

    whereabouts.consume_events(on_event, store=CursorFile("cursor.txt"))
    # endregion


def copying(whereabouts: Whereabouts) -> None:
    # region events_cursor
    cursor = whereabouts.events_cursor()
    for asset in whereabouts.rows("/api/v1/assets"):
        print(asset["external_key"])
    CursorFile("cursor.txt").write(cursor)  # what happened meanwhile comes again
    # endregion


def receiving(raw_body: bytes, headers: "dict[str, str]", secret: str) -> None:
    # region verify_webhook
    try:
        event = verify_webhook(raw_body, headers, secret)  # or [older, newer]
    except WebhookVerificationError as error:
        raise SystemExit(f"refused: {error.code}")
    # endregion
    # region is_asset_moved
    if is_asset_moved(event):
        print(event["data"]["asset"]["external_key"], event["data"]["to_location"]["name"])
    # endregion


def signing(body: bytes, secret: str) -> None:
    # region standard_webhook_signature
    headers = {"webhook-id": "5f6c1b52-6f5b-5d0c-8a43-0d5f2c1a9e77", "webhook-timestamp": "1763719200"}
    headers["webhook-signature"] = standard_webhook_signature(body, *headers.values(), secret)
    # endregion
    # region webhook_signature
    print(webhook_signature(body, "1763719200", secret))
    # endregion


def testing() -> None:
    # region api_double
    with Whereabouts(**api_double()) as whereabouts:
        whereabouts.upsert_location("DOCK-1", name="Dock 1")
        whereabouts.upsert_asset("PUMP-17", name="Pump 17")
        whereabouts.save_inventory(["PUMP-17"], "DOCK-1")
        for row in whereabouts.rows("/api/v1/reports/asset-locations"):
            print(row["location_external_key"])
    # endregion
