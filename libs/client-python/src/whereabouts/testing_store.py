from __future__ import annotations

import copy
import uuid
from datetime import datetime, timezone
from typing import Any, Dict, List, Optional

from .testing_rules import FIELDS, SAVE, TAG, Json, conflict, invalid, not_found, validate

_DEFAULTS: Dict[str, Json] = {
    "asset": {
        "name": "", "description": None, "type": "asset", "metadata": {},
        "home_location_id": None, "home_location_external_key": None,
    },
    "location": {"name": "", "description": None, "parent_id": None, "parent_external_key": None},
}  # fmt: skip
#: The fields that name another location: the home of an asset, the parent of a location.
_PLACES = {
    "asset": ("home_location_id", "home_location_external_key"),
    "location": ("parent_id", "parent_external_key"),
}


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _name_of(thing: Json) -> Json:
    return {name: thing[name] for name in ("id", "external_key", "name")}


def _value_of(tag: Json) -> Any:
    return tag.get("tag_type"), tag.get("value")


class Store:
    """What the test double knows: assets, locations, where assets are, and what happened."""

    def __init__(self) -> None:
        self.things: Dict[str, List[Json]] = {"asset": [], "location": []}
        self.places: List[Json] = []
        self.events: List[Json] = []
        self._last_id = 1_000

    def snapshot(self) -> Any:
        return copy.deepcopy((self.things, self.places, self.events))

    def restore(self, before: Any) -> None:
        self.things, self.places, self.events = before

    def by_key(self, kind: str, key: Any) -> Optional[Json]:
        return next((thing for thing in self.things[kind] if thing["external_key"] == key), None)

    def one(self, kind: str, id: int) -> Json:
        for thing in self.things[kind]:
            if thing["id"] == id:
                return thing
        raise not_found(kind.title())

    def create(self, kind: str, body: Json) -> Json:
        id, now = self._next_id(), _now()
        # The API makes a key if there is none.
        values = dict(validate({"external_key": f"{kind.upper()}-{id}", **body}, FIELDS[kind]))
        tags = values.pop("tags", None) or []
        times = {"valid_from": now, "valid_to": None, "created_at": now, "updated_at": now, "deleted_at": None}
        thing: Json = {**_DEFAULTS[kind], "is_active": True, **times, **values, **self._place_of(kind, values), "id": id, "tags": []}
        owner = self.by_key(kind, thing["external_key"])
        if owner:
            raise conflict(f"{kind} {thing['external_key']} already exists", self.owner_of(kind, owner))
        for tag in tags:
            thing["tags"].append(self._tag_of(tag, kind, thing))
        self.things[kind].append(thing)
        self._happened(f"{kind}.created", {kind: thing})
        return thing

    def change(self, kind: str, thing: Json, body: Json) -> str:
        rules = {name: rule for name, rule in FIELDS[kind].items() if name not in ("external_key", "tags")}
        given = validate(body, rules, is_change=True)
        values = {**given, **self._place_of(kind, given)}
        changed = sorted(name for name, value in values.items() if value != thing[name])
        if not changed:
            return "unchanged"
        thing.update(values, updated_at=_now())
        self._happened(f"{kind}.updated", {kind: thing, "changed": changed})
        return "updated"

    def remove(self, kind: str, thing: Json) -> None:
        if kind == "location" and any(one["parent_id"] == thing["id"] for one in self.things["location"]):
            raise conflict(f"location {thing['external_key']} still has child locations")
        self.things[kind].remove(thing)
        if kind == "asset":
            self.places = [place for place in self.places if place["asset"] != thing["id"]]
        # Without an event, as of the API: an asset changes only by what is done to it.
        for asset in self.things["asset"]:
            if asset["home_location_id"] == thing["id"]:
                asset["home_location_external_key"] = None
        self._happened(f"{kind}.deleted", {kind: _name_of(thing)})

    def attach(self, kind: str, thing: Json, body: Any) -> Json:
        tag = self._tag_of(body, kind, thing)
        thing["tags"].append(tag)
        self._happened("tag.attached", {"tag": tag, kind: _name_of(thing)})
        return tag

    def detach(self, kind: str, thing: Json, id: int) -> None:
        tag = next((one for one in thing["tags"] if one["id"] == id), None)
        if tag is None:
            raise not_found("Tag")
        thing["tags"].remove(tag)
        self._happened("tag.detached", {"tag": tag, kind: _name_of(thing)})

    def put(self, kind: str, item: Json, mode: str) -> Any:
        """An item of a batch: what is absent stays, and `tags` is the whole set. Returns what was necessary, and the id."""
        key = {name: item[name] for name in ("external_key",) if name in item}
        validate(key, {"external_key": FIELDS[kind]["external_key"]})
        thing = self.by_key(kind, item["external_key"])
        if thing is None:
            if mode == "update":
                raise not_found(kind.title())
            return "created", self.create(kind, item)["id"]
        if mode == "create":
            raise conflict(f"{kind} {thing['external_key']} already exists", self.owner_of(kind, thing))
        tags = item.get("tags")
        validate({"tags": tags}, {"tags": FIELDS[kind]["tags"]})
        values = {name: value for name, value in item.items() if name not in ("external_key", "tags")}
        if tags is None:
            return self.change(kind, thing, values), thing["id"]
        before = self.snapshot()
        try:
            status = self.change(kind, thing, values)
            return "updated" if self._set_tags(kind, thing, tags) else status, thing["id"]
        except Exception:
            self.restore(before)
            raise

    def _set_tags(self, kind: str, thing: Json, wanted: List[Json]) -> bool:
        """Whether it changed."""
        surplus = [has for has in thing["tags"] if _value_of(has) not in map(_value_of, wanted)]
        missing = [one for one in wanted if _value_of(one) not in map(_value_of, thing["tags"])]
        changed = self.events[-1]
        for tag in surplus:
            self.detach(kind, thing, tag["id"])
        for tag in missing:
            self.attach(kind, thing, tag)
        if changed["type"] == f"{kind}.updated":  # it shows the tags that the item sets, too
            changed["data"][kind]["tags"] = copy.deepcopy(thing["tags"])
        return bool(surplus or missing)

    def save(self, body: Json) -> Json:
        given = validate(body, SAVE)
        assets = [self._named("asset_identifiers", key, "asset") for key in given["asset_identifiers"]]
        location = self._named("location_identifier", given["location_identifier"], "location")
        now = _now()
        for asset in assets:
            self._move(asset, location, now)
        return {"count": len(assets), "location_id": location["id"], "location_name": location["name"], "timestamp": now}

    def _named(self, field: str, key: Any, kind: str) -> Json:
        found = self.by_key(kind, key)
        if found is None:
            raise invalid(field, "fk_not_found", f": {key} does not name a live {kind}", {"value": key})
        return found

    def _move(self, asset: Json, location: Json, now: str) -> None:
        place = next((one for one in self.places if one["asset"] == asset["id"]), None)
        if place and place["location"]["id"] == location["id"]:
            place["seen"] = now
            return
        self.places = [one for one in self.places if one is not place]
        self.places.append({"asset": asset["id"], "location": location, "since": now, "seen": now})
        before = self.by_key("location", place["location"]["external_key"]) if place else None  # a deleted one is none
        start, end = ({"id": one["id"], "name": one["name"]} if one else None for one in (before, location))
        moved = {"asset": _name_of(asset), "from_location": start, "to_location": end}
        self._happened("asset.moved", moved)

    def _next_id(self) -> int:
        self._last_id += 1
        return self._last_id

    def owner_of(self, resource: str, thing: Json) -> Json:
        return {"resource": resource, "id": thing["id"], "external_key": thing["external_key"]}

    def _place_of(self, kind: str, values: Json) -> Json:
        id_field, key_field = _PLACES[kind]
        field = next((name for name in (id_field, key_field) if name in values), None)
        if field is None:
            return {}
        if values[field] is None:
            return {id_field: None, key_field: None}
        own = "id" if field == id_field else "external_key"
        place = next((one for one in self.things["location"] if one[own] == values[field]), None)
        if place is None:
            raise invalid(field, "fk_not_found", "does not refer to a location")
        return {id_field: place["id"], key_field: place["external_key"]}

    def _tag_of(self, body: Any, kind: str, thing: Json) -> Json:
        """For `thing` of `kind`, which may be new."""
        given = validate(body, TAG)
        owners = [(of, one) for of in ("asset", "location") for one in self.things[of]] + [(kind, thing)]
        for of, one in owners:
            if _value_of(given) in map(_value_of, one["tags"]):
                owner = self.owner_of(of, one) if self.by_key(of, one["external_key"]) else None
                raise conflict(f"tag {given['tag_type']}:{given['value']} already exists", owner)
        return {"id": self._next_id(), "tag_type": given["tag_type"], "value": given["value"]}

    def _happened(self, type: str, data: Json) -> None:
        now = _now()
        event = {"id": str(uuid.uuid4()), "type": type, "occurred_at": now, "recorded_at": now, "data": copy.deepcopy(data)}
        self.events.append(event)
