"""What is new among the movements, without I/O."""

from __future__ import annotations

import math
from datetime import datetime, timedelta, timezone
from typing import Any, Dict, List, Optional, Tuple, Union

from .errors import ApiError
from .types import Movement, MovementPage

PAGE = 500
HOUR = 3_600.0
FIRST_STEP = 24 * HOUR  # a day of movements at a time, at first, if the start lies in the past
MANY = 5_000  # more in a step make it shorter, fewer longer
SWEEP = 60.0  # how often the whole overlap is read; in between, a page without anything new is the last one
LONGEST_WAIT = 60.0
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


class Follower:
    """
    What to ask for next, and what is new in a page. Reads from `overlap` before the newest movement, because late reads and
    saves are inserted into the past; remembers the movements of that time alone. Without a start, it begins with what moves
    from now on. Times are in seconds since 1970.
    """

    def __init__(self, start: Optional[str], overlap: float, now: float, interval: float) -> None:
        self._overlap, self._interval = overlap, interval
        self._seen: Dict[Tuple[int, str, int], float] = {}
        self._rows: List[Movement] = []
        self._after: Optional[str] = None
        self._is_first, self._failures = start is None, 0
        self._start = None if start is None else seconds_of(start)  # nothing before it is read
        self._newest, self._swept_at = -math.inf, -math.inf
        # The end of what is read in steps, and their length. None once the present is reached.
        self._step = None if self._start is None else _step(self._start, FIRST_STEP, now)
        #: Seconds to wait before the next request.
        self.pause = 0.0

    def bounds(self) -> Dict[str, Union[str, int, None]]:
        """The parameters of the next request, which is for the newest movements first."""
        start = self._from()
        return {
            "limit": PAGE, "after": self._after, "from": None if start is None else _text(start),
            "to": _text(self._step[0]) if self._step else None,
        }  # fmt: skip

    def take(self, page: MovementPage, now: float) -> List[Movement]:
        """Takes the page of `bounds`. Returns what is new, oldest first, once a round is complete."""
        self._failures = 0
        self._rows += page["data"]
        self._after = None if self._is_last(page["data"], now) else page["cursor"]
        self.pause = self._interval if self._after is None and self._step is None else 0.0
        return [] if self._after is not None else self._finish(page["cursor"] is None, now)

    def failed(self, error: ApiError) -> None:
        """The round begins again after a pause. Raises the error if it would come again."""
        if error.status is not None and 300 <= error.status < 500 and error.status != 429:
            raise error
        self._rows, self._after = [], None
        self.pause = min(LONGEST_WAIT, self._interval * 2.0 ** min(self._failures, 10))
        self._failures += 1

    def _from(self) -> Optional[float]:
        if self._step or not math.isfinite(self._newest):
            return self._start
        return max(-math.inf if self._start is None else self._start, self._newest - self._overlap)

    def _is_last(self, data: List[Movement], now: float) -> bool:
        if self._is_first:
            rows = self._rows
            return not rows or _at(rows[-1]) < _at(rows[0]) - self._overlap
        is_swept = now - self._swept_at < SWEEP
        return self._step is None and is_swept and all(_id(row) in self._seen for row in data)

    def _finish(self, is_whole: bool, now: float) -> List[Movement]:
        rows, self._rows = self._rows, []
        fresh = [row for row in reversed(rows) if _id(row) not in self._seen]
        for row in fresh:
            self._seen[_id(row)] = _at(row)
            self._newest = max(self._newest, _at(row))
        if is_whole or self._is_first:
            self._swept_at = now
        moved, self._is_first = ([] if self._is_first else fresh), False
        if self._step:
            end, length = self._step
            self._start = max(end - self._overlap, end if self._start is None else self._start)
            self._step = _step(end, max(HOUR, length / 2) if len(rows) > MANY else length * 2, now)
        self._seen = {one: at for one, at in self._seen.items() if at >= self._newest - self._overlap}
        return moved


def filter_of(
    asset_ids: Optional[Any], location_ids: Optional[Any], include_descendants: bool, types: Optional[Any]
) -> Dict[str, Any]:
    """The parameters of a filter."""
    several = {"asset_id": asset_ids, "location_id": location_ids, "type": types}
    return {
        **{name: list(values) for name, values in several.items() if values is not None},
        **({"include_descendants": "true"} if include_descendants else {}),
    }


def seconds_of(text: str) -> float:
    """Of an instant as the API writes it, also before Python 3.11."""
    whole, _, fraction = text.replace("Z", "+00:00").partition(".")
    digits = fraction[: len(fraction) - len(fraction.lstrip("0123456789"))]
    moment = datetime.fromisoformat(whole + fraction[len(digits) :])
    if moment.tzinfo is None:
        raise ValueError(f"{text} has no offset, such as Z")
    return (moment - EPOCH).total_seconds() + (float(f"0.{digits}") if digits else 0.0)


def _step(start: float, length: float, now: float) -> Optional[Tuple[float, float]]:
    return (start + length, length) if start + length < now else None


def _text(seconds: float) -> str:
    moment = EPOCH + timedelta(milliseconds=math.floor(seconds * 1_000))
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _id(row: Movement) -> Tuple[int, str, int]:
    return row["asset"]["id"], row["occurred_at"], row["to_location"]["id"]


def _at(row: Movement) -> float:
    return seconds_of(row["occurred_at"])
