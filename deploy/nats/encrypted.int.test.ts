import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect as connectPlain, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { writeCertificate } from '../compose/certificates.ts'
import { envFileOf } from '../compose/env-file.ts'
import { readCompose } from '../compose/compose-file.ts'
import { generateSecrets } from '../installation/secrets.ts'
import { freePorts } from '../workshop/servers/free-port.ts'
import { findNatsServer } from '../workshop/downloads/nats-binary.ts'
import { ROOT } from '../installation/services.ts'

const PATIENTLY = { timeout: 30_000, interval: 50 }
/** MQTT 5, which the broker refuses at once. A login of 3.1.1 would wait, because nobody decides it here. */
const MQTT_CONNECT = Buffer.from([0x10, 13, 0, 4, 0x4d, 0x51, 0x54, 0x54, 5, 2, 0, 60, 0, 1, 0x72])
const CONNACK = 0x20

let folder: string
let ca: Buffer
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'encrypted-broker-'))
  writeCertificate(join(folder, 'certificates'), ['readers.example'])
  ca = readFileSync(join(folder, 'certificates/ca.crt'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** The broker of docker-compose.yml on ports of this machine. */
async function startBroker(readers: string) {
  const [port, mqttPort, monitor] = (await freePorts(3)) as [number, number, number]
  const variables = { ...envFileOf(generateSecrets()), READERS: readers }
  const { command = [], environment } = readCompose(variables).services['nats'] ?? {}
  const conf = join(import.meta.dirname, command[1]?.replace('/etc/nats/', '') ?? '')
  const binary = await findNatsServer({ cacheDir: join(ROOT, '.cache/nats-server') })
  const env = {
    ...environment,
    NATS_HOST: '127.0.0.1',
    NATS_PORT: String(port),
    MQTT_PORT: String(mqttPort),
    NATS_MONITOR: `127.0.0.1:${monitor}`,
    NATS_STORE_DIR: join(folder, readers),
    NATS_MAX_FILE_STORE: '100000000',
    NATS_CERT_FILE: join(folder, 'certificates/tls.crt'),
    NATS_KEY_FILE: join(folder, 'certificates/tls.key'),
  }
  const child = spawn(binary, ['-c', conf], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()))
  await vi.waitFor(() => expect(log).toContain('Server is ready'), PATIENTLY)
  const stop = async () => {
    child.kill()
    await once(child, 'exit')
  }
  return { port, mqttPort, stop }
}

/** The first bytes that the other side sends, after `sent`. Empty if it closes the connection first. */
async function firstBytes(socket: Socket, sent = Buffer.alloc(0)): Promise<Buffer> {
  socket.on('error', () => undefined)
  if (sent.length > 0) socket.write(sent)
  const first = await Promise.race([once(socket, 'data'), once(socket, 'close')])
  socket.destroy()
  return Buffer.isBuffer(first[0]) ? first[0] : Buffer.alloc(0)
}

const plain = (port: number) => connectPlain({ host: '127.0.0.1', port })
const encrypted = (port: number, servername: string) =>
  connectTls({ host: '127.0.0.1', port, ca, servername })

describe.for([
  ['encrypted', { tlsOnly: true }],
  ['plain', { tlsOnly: false }],
] as const)('with %s readers', ([readers, { tlsOnly }]) => {
  let broker: Awaited<ReturnType<typeof startBroker>>
  beforeAll(async () => {
    broker = await startBroker(readers)
  }, 60_000)
  afterAll(() => broker.stop())

  test('NATS offers TLS, and says whether it is required', async () => {
    const info = (await firstBytes(plain(broker.port))).toString().replace(/^INFO /, '')
    const { tls_required = false, tls_available = false } = JSON.parse(info) as Record<string, boolean>
    expect({ tls_required, offered: tls_required || tls_available }).toEqual({
      tls_required: tlsOnly,
      offered: true,
    })
  })

  test('MQTT answers without TLS only if that was asked for', async () => {
    const [kind] = await firstBytes(plain(broker.mqttPort), MQTT_CONNECT)
    expect(kind === CONNACK).toBe(!tlsOnly)
  })

  test.runIf(tlsOnly)('MQTT with TLS has the certificate of all names that were given', async () => {
    for (const name of ['nats', 'localhost', 'readers.example']) {
      const socket = encrypted(broker.mqttPort, name)
      await once(socket, 'secureConnect')
      expect(socket.authorized, name).toBe(true)
      expect((await firstBytes(socket, MQTT_CONNECT))[0]).toBe(CONNACK)
    }
  })
})

test('a certificate stays, and one without its key is not replaced', () => {
  const own = join(folder, 'certificates')
  const before = readFileSync(join(own, 'tls.crt'), 'utf8')
  expect(writeCertificate(own, [])).toContain('has a certificate')
  rmSync(join(own, 'tls.key'))
  expect(() => writeCertificate(own, [])).toThrow('lacks tls.key')
  expect(readFileSync(join(own, 'tls.crt'), 'utf8')).toBe(before)
})
