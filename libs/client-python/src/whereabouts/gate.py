from __future__ import annotations

import math
import random
import re
import threading
from typing import Callable, List, Mapping, NamedTuple, Optional

LONGEST_BACKOFF = 15.0
LOOK_AGAIN = 1.0  # a waiting request looks this often whether it may start earlier than it seemed
#: Requests left to other programs with the same key while this one waits: the one that is faster would starve them otherwise.
RESERVE = 3
SLOWER = 1.05  # than the rate, for the same reason, where responses do not say what is left


class Place:
    """The turn of one request. It keeps its order if the API refuses it with 429."""

    def __init__(self, order: int, give_up_at: float) -> None:
        self.order, self.give_up_at = order, give_up_at
        self.started_at: Optional[float] = None  # while it is sent


class Rate(NamedTuple):
    """What a response says: `limit` requests in `window` seconds, of which `remaining` are left."""

    limit: int
    window: float
    remaining: int


class Gate:
    """
    When the requests of one client may start, in the order in which they came. Until the API says what is left, they start at
    once. Then the gate counts along, with each response as the truth, and a 429 closes it for all. Without I/O: the caller
    waits for as long as `pause` says, and asks again. Threads may share it. Times are in seconds.
    """

    def __init__(self, spacing: float = 1.0, jitter: Callable[[], float] = random.random) -> None:
        self._queue: List[Place] = []
        self._lock = threading.RLock()
        self._spacing, self._jitter = spacing, jitter
        self._orders, self._limit, self._in_flight, self._refusals = 0, 60, 0, 0
        # When the next request may start. Each start moves it by an interval, so that before now it is a supply.
        self._ready_at, self._refused_at = -math.inf, -math.inf
        self._is_paced = False

    @property
    def _interval(self) -> float:
        return self._spacing * (SLOWER if self._is_paced else 1)

    def join(self, give_up_at: float) -> Place:
        """The end of the queue. `give_up_at`: until when it may wait."""
        with self._lock:
            self._orders += 1
            place = Place(self._orders, give_up_at)
            self._queue.append(place)
            return place

    def again(self, place: Place) -> None:
        """Its place for another attempt: before those that came later."""
        with self._lock:
            if place not in self._queue:
                self._queue.append(place)
                self._queue.sort(key=lambda one: one.order)

    def leave(self, place: Place) -> None:
        """The request is over, or given up in the queue or on its way."""
        with self._lock:
            if place in self._queue:
                self._queue.remove(place)
            self._end(place)

    def pause(self, place: Place, now: float) -> float:
        """0: the request has left the queue and starts now. Infinity: its time will be over before its turn."""
        with self._lock:
            at = self._queue.index(place)
            due = self._ready_at + at * self._interval
            if due <= now:
                self._queue.remove(place)
                place.started_at = now
                self._in_flight += 1
                full = now - (self._limit - 1) * self._interval
                if math.isfinite(self._ready_at):
                    self._ready_at = max(self._ready_at, full) + self._interval
                return 0
            self._is_paced = True
            if now >= place.give_up_at or self._ready_at > place.give_up_at:
                return math.inf
            return max(0.001, min(due, max(self._ready_at, now) + LOOK_AGAIN, place.give_up_at) - now)

    def closed_for(self, now: float) -> float:
        """How long the gate stays closed."""
        return max(0.0, self._ready_at - now)

    def answered(self, place: Place, now: float, rate: Optional[Rate] = None) -> None:
        """The request has its response, or none."""
        with self._lock:
            self._end(place)
            self._refusals = 0
            if rate is None:
                return
            self._limit, self._spacing = rate.limit, rate.window / rate.limit
            if rate.remaining >= rate.limit / 2:
                self._is_paced = False
            if rate.remaining >= rate.limit:
                self._ready_at = -math.inf  # the API counts beyond it, unseen
            else:
                left = rate.remaining - (min(RESERVE, rate.limit // 20) if self._is_paced else 0)
                counted = (now - self._ready_at) / self._interval + 1
                tokens = min(left, max(left - self._in_flight, counted))
                self._ready_at = now - (tokens - 1) * self._interval

    def refused(self, place: Place, now: float, retry_after: float) -> None:
        """The API refused the request. It takes its place again, before those that came later."""
        with self._lock:
            if place.started_at is None or place.started_at >= self._refused_at:
                self._refusals += 1  # otherwise it belongs to the refusal before
            self._end(place)
            self.again(place)
            self._refused_at = now
            backoff = min(LONGEST_BACKOFF, self._interval * (2.0 ** (self._refusals - 1) - 1))
            jitter = self._jitter() * self._interval if self._refusals > 1 else 0
            self._ready_at = max(self._ready_at, now + max(retry_after, backoff) + jitter)
            self._is_paced = True

    def _end(self, place: Place) -> None:
        if place.started_at is not None:
            self._in_flight -= 1
        place.started_at = None


def rate_of(headers: Mapping[str, str]) -> Optional[Rate]:
    """None if the response has no headers of a rate. Only those to GET and HEAD have them."""
    policy = re.search(r"([0-9]+)\s*;\s*w=([0-9]+)", headers.get("ratelimit-policy", ""))
    limit, window = policy.groups() if policy else (headers.get("x-ratelimit-limit", "0"), "60")
    remaining = headers.get("x-ratelimit-remaining", "")
    if not (re.fullmatch("[0-9]+", limit) and re.fullmatch("[0-9]+", remaining) and int(limit) and int(window)):
        return None
    return Rate(int(limit), float(window), int(remaining))
