// The command `npm run scan` after its preparation (run.mjs): publishes one read, once or repeatedly.
import { tagTypes } from '@whereabouts/contracts/resources/catalog/tags'
import { connectReader } from '@whereabouts/messaging/readers/reader-connection'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { readDemo, type Demo } from '../demo/demo-file.ts'
import { ROOT } from '../../installation/services.ts'
import { shellQuote } from '../stack/shell-quote.ts'
import { untilStopped } from '../stack/until-stopped.ts'

const HELP = `npm run scan -- --tag VALUE [flags]    publish one scan to the running demo, as a reader does

  --tag VALUE      an EPC in hex, a Bluetooth address or a barcode
  --type TYPE      rfid, ble or barcode                                default rfid
  --antenna N      the antenna, from 1                                 default 1
  --location KEY   the location; overrides the antenna
  --reader KEY     the reader                                          default ble-gateway
  --every SECONDS  repeat until Ctrl-C, like a reader that keeps seeing the tag
  --demo FILE      addresses and credentials                           default .data/demo.json
  --help           print this
`

type Settings = {
  demoFile: string
  readerKey: string
  read: { tag: { type: string; value: string }; antenna: number; location?: string }
  everySeconds: number | undefined
}

function readSettings(): Settings | 'help' {
  const { values } = parseArgs({
    options: {
      tag: { type: 'string' },
      type: { type: 'string', default: 'rfid' },
      antenna: { type: 'string', default: '1' },
      location: { type: 'string' },
      reader: { type: 'string', default: 'ble-gateway' },
      every: { type: 'string' },
      demo: { type: 'string', default: join(process.env['DATA_DIR'] || '.data', 'demo.json') },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return 'help'
  const antenna = Number(values.antenna)
  if (!values.tag) throw new Error(`--tag is missing\n\n${HELP}`)
  if (!tagTypes.some((type) => type === values.type))
    throw new Error(`--type must be one of ${tagTypes.join(', ')}`)
  if (!Number.isInteger(antenna) || antenna < 1) throw new Error('--antenna must be a whole number from 1')
  const everySeconds = values.every === undefined ? undefined : Number(values.every)
  if (everySeconds !== undefined && !(everySeconds >= 1 && everySeconds <= 3_600))
    throw new Error('--every must be 1 to 3600 seconds')
  return {
    demoFile: resolve(ROOT, values.demo),
    everySeconds,
    readerKey: values.reader,
    read: {
      tag: { type: values.type, value: values.tag },
      antenna,
      ...(values.location !== undefined && { location: values.location }),
    },
  }
}

async function publish({ demoFile, readerKey, read, everySeconds }: Settings): Promise<void> {
  const demo = readDemo(demoFile)
  if (!demo)
    throw new Error(`${demoFile} does not exist. Run npm start first, or name another file with --demo.`)
  const { client_id: clientId, client_secret: clientSecret } = demo.reader_key
  const reader = await connectReader({ url: demo.nats_url, clientId, clientSecret, name: readerKey })
  const subject = `scans.${demo.org_id}.${readerKey}.canonical`
  const isOver = everySeconds === undefined ? async () => true : untilInterrupted(everySeconds)
  try {
    do {
      const message = JSON.stringify({ reads: [{ ...read, read_at: new Date().toISOString() }] })
      const { stream, seq } = await reader.store(subject, Buffer.from(message))
      process.stdout.write(`Stored as ${stream} ${seq}: ${subject} ${message}\n`)
    } while (!(await isOver()))
    process.stdout.write(`${whereToLook(demo, read.tag.value)}\n`)
  } finally {
    await reader.close()
  }
}

/** Returns a wait of `seconds`, which resolves with true if a signal ended it. */
function untilInterrupted(seconds: number): () => Promise<boolean> {
  const stopped = new AbortController()
  void untilStopped().then(() => stopped.abort())
  const { signal } = stopped
  return () => pause(seconds * 1_000, false, { signal }).catch(() => true)
}

function whereToLook(demo: Demo, value: string): string {
  const address = `${demo.base_url}/api/v1/reports/asset-locations?q=${encodeURIComponent(value)}`
  return `See it: curl -s -H "Authorization: Bearer $TOKEN" ${shellQuote(address)}`
}

try {
  const settings = readSettings()
  if (settings === 'help') process.stdout.write(HELP)
  else await publish(settings)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 2
}
