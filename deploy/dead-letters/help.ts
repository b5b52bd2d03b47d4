export const HELP = `node deploy/dead-letters.ts COMMAND    the messages that could not be handled: kept for a week, 64 MiB at most

  list                 newest first: number, when it was kept, stream, durable, bytes, request, subject, reason
      --limit N        so many at most (50)
      --before SEQ     those before this one: how a list goes on
  show SEQ             everything about one, its payload included
      --raw FILE       writes the payload, byte for byte, to a new file
  replay SEQ…          publishes it again, waits until it is stored, removes the dead letter
  replay --all         the same with all that the filters leave, oldest first; tells what it would do
  drop SEQ…            removes it without replaying it
  drop --all           the same with all that the filters leave; tells what it would do
      --yes            with --all: do it

Filters, of list and --all
  --stream NAME        SCANS, OVERFLOW, $MQTT_msgs, CATALOG, EVENTS, PLACEMENTS
  --durable NAME       who could not handle it: tracking-ingest, tracking-ingest-mqtt, tracking-overflow,
                       tracking-catalog, tracking-placements, webhook-dispatcher-lanes
  --org N              of one organization
  --since WHEN         kept since then: 2026-11-21T10:00:00Z, or 30m, 2h, 3d ago

  --json               for programs, on list and show
  --help               this text

What a replay does. Mend the cause first: what fails again comes back as a new dead letter. All consumers of the stream get
the message, each of them handles what it knows without effect, and it counts as received when it first was.
  SCANS       safe. A minute already stored stays as it is; a late scan fills history, moves nothing back and fires no event.
              What came over MQTT ($MQTT_msgs), and what had to wait in OVERFLOW, is published into SCANS
  CATALOG     safe for the newest state of a thing, which revisions guard. An older one is refused: the log keeps one state
              of each, and this would put back what has changed since. Drop it
  EVENTS      safe for receivers that know a delivery_id again: who has had it gets it twice, after later ones. What is from
              before its webhook was enabled is not sent. Live feeds show it again
  PLACEMENTS  safe. Recorded once, at the time it was made
Published and not yet removed when this command is ended: a replay done again within two minutes stores nothing (but in
SCANS), later it is as above. Of a payload over 8 KiB the head is kept: it is replayed from its stream, for as long as that holds it. Of its headers the trace and the request id are kept.
Where subjects are mapped on the way into a stream, do not replay: it would be mapped once more.

Environment
  NATS_URL, NATS_USER, NATS_PASSWORD, NATS_CA_FILE   as for deploy/apply-topology.ts, in the account of the services

Exit code: 0 done, 1 something failed or was left where it is, 2 wrong arguments, 78 wrong environment
`
