"""A reader with nats-py at its defaults: publishes each line of standard input until the broker acknowledges it."""

import asyncio
import sys

import nats


async def main(url: str, user: str, password: str) -> None:
    nc = await nats.connect(url, user=user, password=password)
    print("connected", flush=True)
    while line := await asyncio.to_thread(sys.stdin.readline):
        subject, body = line.rstrip("\n").split("\t")
        while True:
            try:
                await nc.jetstream().publish(subject, body.encode(), timeout=2)
                break
            except Exception as error:  # noqa: BLE001 - a closed connection ends the reader, everything else is repeated
                if nc.is_closed:
                    print(f"closed: {error!r}", flush=True)
                    return
                await asyncio.sleep(0.2)
        print("stored", flush=True)


asyncio.run(main(*sys.argv[1:]))
