from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, Callable, Dict, Iterable, Iterator, List, Literal, Mapping, NamedTuple, Optional

from .calls import Calls, Steps

Mode = Literal["upsert", "create", "update"]
MOST_ITEMS, MOST_CHARACTERS = 500, 250_000  # of one request, which has 1 MiB at most
MOST_FAILURES = 100
PAGE = 200
TWICE = {"type": "conflict", "detail": "an earlier item has this external_key"}


class SyncResult(NamedTuple):
    """What became of one item. `id` is None for what failed, and for what a dry run would create."""

    external_key: str
    status: Literal["created", "updated", "unchanged", "failed", "retired"]
    id: Optional[int]
    error: Optional[Dict[str, Any]]


@dataclass
class SyncReport:
    created: int = 0
    updated: int = 0
    unchanged: int = 0
    failed: int = 0
    retired: int = 0
    #: The first hundred. `on_result` has all.
    failures: List[SyncResult] = field(default_factory=list)


def sync(
    calls: Calls, kind: Literal["assets", "locations"], items: Iterable[Mapping[str, Any]], dry_run: bool, mode: Mode,
    retire_at_most: Optional[int], on_result: Optional[Callable[[SyncResult], object]],
) -> Steps[SyncReport]:  # fmt: skip
    """See `assets.sync` of the clients."""
    report, seen = SyncReport(), set()

    def add(result: SyncResult) -> None:
        setattr(report, result.status, getattr(report, result.status) + 1)
        if result.status == "failed" and len(report.failures) < MOST_FAILURES:
            report.failures.append(result)
        if on_result:
            on_result(result)

    def save(batch: List[Mapping[str, Any]], how: Mode, saved: Optional[str] = None) -> Steps[None]:
        if not batch:
            return
        query = {"mode": how, "dry_run": "true" if dry_run else None}
        answer = yield from calls.call("POST", f"/api/v1/{kind}/batch", query, {"items": batch})
        for item, result in zip(batch, answer["data"]):
            status = result["status"] if result["status"] == "failed" or saved is None else saved
            add(SyncResult(str(item.get("external_key")), status, result["id"], result["error"]))

    for batch in _batches(items):
        once: List[Mapping[str, Any]] = []
        again: List[str] = []
        for item in batch:
            key = item.get("external_key")
            if key in seen:
                again.append(str(key))
            else:
                once.append(item)
            seen.add(key)
        yield from save(once, mode)
        for key in again:
            add(SyncResult(key, "failed", None, dict(TWICE)))
    if retire_at_most is None:
        return report
    if report.failed:
        raise ValueError(f"{report.failed} items failed, so nothing was retired.")
    missing = yield from _missing(calls, kind, seen)
    if len(missing) > retire_at_most or (missing and not seen):
        raise ValueError(
            f"{len(missing)} {kind} are not among the {len(seen)} items, more than the {retire_at_most} that may be retired."
        )
    now = datetime.now(timezone.utc).isoformat()
    for batch in _batches({"external_key": key, "valid_to": now} for key in missing):
        yield from save(batch, "update", "retired")
    return report


def _batches(items: Iterable[Mapping[str, Any]]) -> Iterator[List[Mapping[str, Any]]]:
    batch: List[Mapping[str, Any]] = []
    characters = 0
    for item in items:
        length = len(json.dumps(item))
        if len(batch) == MOST_ITEMS or (batch and characters + length > MOST_CHARACTERS):
            yield batch
            batch, characters = [], 0
        batch.append(item)
        characters += length
    if batch:
        yield batch


def _missing(calls: Calls, kind: str, seen: Iterable[Any]) -> Steps[List[str]]:
    """The keys of what is valid now and not among `seen`."""
    missing: List[str] = []
    offset, total = 0, 1
    while offset < total:
        query = {"sort": "external_key", "limit": PAGE, "offset": offset}
        page = yield from calls.call("GET", f"/api/v1/{kind}", query)
        offset, total = offset + PAGE, page["total_count"]
        missing += [row["external_key"] for row in page["data"] if row["external_key"] not in seen]
    return missing
