import { expect, test } from 'vitest'
import { mosquittoCommand, scanCommand, type Trial, trialMessage } from './trial-message.ts'

const TRIAL: Trial = {
  orgId: 77,
  readerKey: 'dock-1',
  antenna: 1,
  tag: { tag_type: 'barcode', value: "it's 4711" },
  baseUrl: 'http://127.0.0.1:8080',
  natsUrl: 'nats://127.0.0.1:4222',
  mqttUrl: 'mqtt://127.0.0.1:1883',
  credentials: { clientId: 'id', clientSecret: 'wb_secret' },
}

test('the message is one canonical read of the tag', () => {
  expect(JSON.parse(trialMessage(TRIAL))).toEqual({
    reads: [{ tag: { type: 'barcode', value: "it's 4711" }, antenna: 1 }],
  })
})

test('the Mosquitto command is ready to paste, also with a quote in the value', () => {
  expect(mosquittoCommand(TRIAL)).toBe(
    "mosquitto_pub -h 127.0.0.1 -p 1883 -q 1 -u 'id' -P 'wb_secret' -t scans/77/dock-1/canonical " +
      String.raw`-m '{"reads":[{"tag":{"type":"barcode","value":"it'\''s 4711"},"antenna":1}]}'`,
  )
})

test('an encrypted broker has its own port and a verified certificate', () => {
  const command = mosquittoCommand({ ...TRIAL, mqttUrl: 'mqtts://readers.example' })
  expect(command).toContain('-h readers.example -p 8883 --tls-use-os-certs')
})

test('a hidden password becomes a shell variable', () => {
  const trial = { ...TRIAL, credentials: undefined }
  expect(mosquittoCommand(trial)).toContain('-u "$USER_NAME" -P "$PASSWORD"')
  expect(scanCommand(trial)).toBeUndefined()
})

test('without an address there is no command', () => {
  expect(mosquittoCommand({ ...TRIAL, mqttUrl: null })).toBeUndefined()
  expect(scanCommand({ ...TRIAL, natsUrl: null })).toBeUndefined()
})

test('npm run scan gets the organization from a file', () => {
  const command = scanCommand(TRIAL)
  expect(command).toContain(
    `printf %s '{"base_url":"http://127.0.0.1:8080","nats_url":"nats://127.0.0.1:4222","org_id":77,"reader_key":{"client_id":"id","client_secret":"wb_secret"}}' >.data/organization-77.json`,
  )
  expect(command).toContain('--demo .data/organization-77.json --reader dock-1 --antenna 1 --type barcode')
  expect(command).toMatch(/ --every 5$/)
})
