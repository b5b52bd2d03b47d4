import { ConfigError } from '@whereabouts/service-kit/service/env'
import { configTables } from '@whereabouts/testing/config-table'
import { expect, test } from 'vitest'
import { Config, loadConfig } from './config.ts'

test('the README documents every variable as it is', () => {
  const { documented, actual } = configTables(new URL('../README.md', import.meta.url), Config)
  expect(documented).toBe(actual)
})

const url = 'http://127.0.0.1:1'
const enough = {
  ENVIRONMENT: 'local',
  PUBLIC_URL: 'https://whereabouts.example',
  TRUSTED_PROXIES: 'none',
  PORT: '1',
  OPS_PORT: '2',
  DATABASE_URL: 'postgres://a@b/c',
  NATS_URL: 'nats://b',
  NATS_PASSWORD: 'p',
  CATALOG_URL: url,
  TRACKING_URL: url,
  KEYS_URL: url,
  WEBHOOK_DISPATCHER_URL: url,
  CONSOLE_URL: url,
  PRINCIPAL_PRIVATE_KEY: 'x'.repeat(43),
}

test.for([
  ['', undefined],
  ['2027-06-01', '2027-06-01T00:00:00.000Z'],
  ['2027-06-01T02:00:00+02:00', '2027-06-01T00:00:00.000Z'],
] as const)('LEGACY_SUNSET %j is the instant %s', ([text, instant]) => {
  expect(loadConfig({ ...enough, LEGACY_SUNSET: text }).LEGACY_SUNSET?.toISOString()).toBe(instant)
})

test.for([
  ['', undefined],
  ['mailto:security@example.com', 'mailto:security@example.com'],
  ['https://example.com/report', 'https://example.com/report'],
])('SECURITY_CONTACT %j is %s', ([text, contact]) => {
  expect(loadConfig({ ...enough, SECURITY_CONTACT: text }).SECURITY_CONTACT).toBe(contact)
})

test.for(['security@example.com', 'http://example.com/report', 'nobody'])(
  'SECURITY_CONTACT %s is not a contact of RFC 9116',
  (contact) => {
    expect(() => loadConfig({ ...enough, SECURITY_CONTACT: contact })).toThrow(/SECURITY_CONTACT/)
  },
)

test.for(['tomorrow', '2027-02-30', '06/01/2027'])('LEGACY_SUNSET %j is refused, not guessed', (text) => {
  expect(() => loadConfig({ ...enough, LEGACY_SUNSET: text })).toThrow(ConfigError)
})

test('the address of a service is an origin: a path is refused, a port may be the default one', () => {
  expect(loadConfig({ ...enough, KEYS_URL: 'http://keys:80/' }).KEYS_URL).toBe('http://keys:80')
  expect(() => loadConfig({ ...enough, KEYS_URL: 'http://proxy/keys' })).toThrow(/KEYS_URL is not/)
  expect(() => loadConfig({ ...enough, KEYS_URL: 'keys' })).toThrow(/KEYS_URL is not/)
})

test.for([
  ['none', []],
  ['10.0.0.0/8', ['10.0.0.0/8']],
  ['192.0.2.7, 2001:db8::/32', ['192.0.2.7', '2001:db8::/32']],
] as const)('TRUSTED_PROXIES %j is %j', ([text, proxies]) => {
  expect(loadConfig({ ...enough, TRUSTED_PROXIES: text }).TRUSTED_PROXIES).toEqual(proxies)
})

test.for(['', ',', 'proxy.example', 'none,10.0.0.0/8', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0.0/'])(
  'S4 TRUSTED_PROXIES %j is refused by name',
  (text) => {
    expect(() => loadConfig({ ...enough, TRUSTED_PROXIES: text })).toThrow(/TRUSTED_PROXIES is not/)
  },
)
