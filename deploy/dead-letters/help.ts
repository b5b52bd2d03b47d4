/** Facts that an operator needs before a replay. Printed after the list of commands. */
export const DETAILS = `
Fix the cause first: a message that fails again comes back as a new dead letter. All consumers of the stream get the
message. A consumer ignores what it has already handled. The message keeps the time at which it was first received.

  SCANS       safe. A stored minute stays as it is. A late scan fills history, moves no asset back and fires no event.
              MQTT messages ($MQTT_msgs) and messages from OVERFLOW are published into SCANS.
  CATALOG     safe for the newest state of an object. An older state is refused, because it would undo later changes. Drop it.
  EVENTS      safe for receivers that remember delivery_id: they get the event twice, after later ones. Events from before
              their webhook was enabled are not sent. Live feeds show the event again.
  AUDIT       safe. Recorded once, at the end of the list.
  PLACEMENTS  safe. Recorded once, at the time it was made.

If the command is interrupted between publishing and removing, a second replay within two minutes stores nothing
(except in SCANS). Payloads over 8 KiB are kept in part: they are replayed from their stream while it holds them.
Of the headers, the trace and the request id are kept. Do not replay streams whose subjects are mapped on the way in.

Environment: NATS_URL, NATS_USER, NATS_PASSWORD, NATS_CA_FILE as for deploy/apply-topology.ts, in the account of the services
Exit code: 0 done, 1 something failed or was left in place, 2 wrong arguments, 78 wrong environment
`
