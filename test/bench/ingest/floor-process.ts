// The floor under ingest: take messages of SCANS, parse them, acknowledge them, nothing else. A process of its own, as
// tracking is. Works whenever it is told to, and answers with the seconds it needed.
import { connect } from 'nats'

const [servers = '', pass = ''] = process.argv.slice(2)
const nc = await connect({ servers, user: 'services', pass, name: 'bench-floor' })
const consumer = await nc.jetstream().consumers.get('SCANS', 'bench-floor')

async function drain(expected: number): Promise<{ seconds: number; reads: number }> {
  const messages = await consumer.consume({ max_messages: 1_000 })
  let [seen, reads, started] = [0, 0, 0]
  for await (const message of messages) {
    started ||= performance.now()
    reads += (JSON.parse(message.string()) as { reads: unknown[] }).reads.length
    message.ack()
    seen += 1
    if (seen === expected) break
  }
  await nc.flush()
  const seconds = (performance.now() - started) / 1000
  await messages.close()
  return { seconds, reads }
}

process.on('message', (expected: number) => {
  drain(expected).then(
    (result) => process.send?.(result),
    (error: unknown) => process.send?.({ failed: String(error) }),
  )
})
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
