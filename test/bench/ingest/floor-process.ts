// The floor for ingest: only takes messages of SCANS, parses and acknowledges them. A separate process, like
// tracking, that runs until it is disconnected.
import { connect } from 'nats'

const [servers = '', pass = ''] = process.argv.slice(2)
const nc = await connect({ servers, user: 'services', pass, name: 'bench-floor' })
const consumer = await nc.jetstream().consumers.get('SCANS', 'bench-floor')
const messages = await consumer.consume({ max_messages: 1_000 })
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
for await (const message of messages) {
  if (!Array.isArray((JSON.parse(message.string()) as { reads: unknown }).reads)) process.exit(1)
  message.ack()
}
