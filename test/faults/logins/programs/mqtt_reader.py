"""A reader with paho-mqtt at its defaults: publishes each line of standard input at QoS 1 until it is acknowledged."""

import sys
from urllib.parse import urlsplit

import paho.mqtt.client as mqtt


def main(url: str, user: str, password: str) -> None:
    address = urlsplit(url)
    client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
    client.username_pw_set(user, password)
    client.on_connect = lambda _client, _data, _flags, reason, _properties: print(
        "refused" if reason.is_failure else "connected", flush=True
    )
    client.connect(address.hostname, address.port)
    client.loop_start()
    for line in sys.stdin:
        subject, body = line.rstrip("\n").split("\t")
        message = client.publish(subject.replace(".", "/"), body, qos=1)
        while not message.is_published():
            try:
                message.wait_for_publish(1)
            except RuntimeError:  # not connected now: it waits in the queue of the client
                pass
        print("stored", flush=True)


main(*sys.argv[1:])
