import { startBroker, type TestBroker } from '@whereabouts/testing/broker/broker'
import { busTest as test } from '@whereabouts/testing/broker/broker-fixtures'
import { makeCertificate } from '@whereabouts/testing/certificates'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { servedCertificates } from './broker-certificates.ts'
import { connect } from './connection.ts'

let folder: string
let encrypted: TestBroker
let expiresAtMs: number
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'broker-certificate-'))
  const { cert, key } = await makeCertificate()
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  writeFileSync(certFile, cert)
  writeFileSync(keyFile, key)
  expiresAtMs = Date.parse(new X509Certificate(cert).validTo)
  const config = `
    server_name: $NATS_SERVER_NAME
    host: $NATS_HOST
    port: $NATS_PORT
    http: $NATS_MONITOR
    jetstream { store_dir: $NATS_STORE_DIR }
    tls { cert_file: "${certFile}", key_file: "${keyFile}" }
    accounts { SYS { users: [{ user: system, password: $SYSTEM_PASSWORD }] } }
    system_account: SYS`
  encrypted = await startBroker({ config })
})
afterAll(async () => {
  await encrypted.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('the end of the certificate that a broker serves is read from the broker', async ({ bus }) => {
  const { url, users } = encrypted
  const tls = { caFile: join(folder, 'cert.pem') }
  const system = await connect({ url, ...users.system, name: 'test', logger: bus.logger, tls })
  expect(await servedCertificates(system)).toEqual([{ server: expect.stringMatching(/^test-/), expiresAtMs }])
  await system.close()
})

test('a broker without encryption has none', async ({ bus }) => {
  expect(await servedCertificates(await bus.connect('system'))).toEqual([])
})
