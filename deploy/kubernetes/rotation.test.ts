import { describe, expect, test } from 'vitest'
import { generateSecrets } from '../installation/secrets.ts'
import { dropOld, KINDS, takeBoth, useNew, type SecretValues } from './rotation.ts'
import { secretManifests } from './secret-manifests.ts'

const installation = { namespace: 'anywhere', database: 'whereabouts' }
const fresh = (): SecretValues =>
  Object.fromEntries(
    secretManifests(generateSecrets(), installation).map(({ metadata, stringData }) => [
      metadata.name,
      stringData,
    ]),
  )
const passwordOf = (url = '') => new URL(url).password
const previousOf = (url = '') => new URL(url).searchParams.get('previous_password')

describe('passwords of the database', () => {
  const before = fresh()
  const both = takeBoth(before, ['database'])

  test('first the services take both; the step that sets the passwords keeps the old ones', () => {
    for (const [name, variable] of [
      ['gateway', 'GATEWAY_DATABASE_URL'],
      ['webhook-dispatcher', 'WEBHOOKS_DATABASE_URL'],
    ] as const) {
      const old = passwordOf(before[name]?.['DATABASE_URL'])
      expect(previousOf(both[name]?.['DATABASE_URL'])).toBe(old)
      expect(passwordOf(both[name]?.['DATABASE_URL'])).not.toBe(old)
      expect(both['migrate']?.[variable]).toBe(before['migrate']?.[variable])
    }
    expect(both['nats']).toEqual(before['nats'])
    expect(both['keys']?.['NATS_PASSWORD']).toBe(before['keys']?.['NATS_PASSWORD'])
  })

  test('then the step sets the new ones, and other settings of the address stay', () => {
    const { migrate = {}, tracking = {} } = useNew(both)
    expect(passwordOf(migrate['TRACKING_DATABASE_URL'])).toBe(passwordOf(tracking['DATABASE_URL']))
    expect(migrate['TRACKING_DATABASE_URL']).not.toContain('previous_password')
    expect(new URL(migrate['TRACKING_DATABASE_URL'] ?? '').search).toBe(
      new URL(before['migrate']?.['TRACKING_DATABASE_URL'] ?? '').search,
    )
    expect(migrate['ADMIN_DATABASE_URL']).toBe(before['migrate']?.['ADMIN_DATABASE_URL'])
  })
})

test('passwords of the broker: services, steps and keys take both, then the brokers have the new ones', () => {
  const before = fresh()
  const both = takeBoth(before, ['broker'])
  const old = before['nats']?.['SERVICES_PASSWORD']
  const added = both['topology']?.['NATS_PASSWORD']?.split(',')[0]
  expect(added).not.toBe(old)
  for (const name of ['gateway', 'catalog', 'tracking', 'keys', 'webhook-dispatcher', 'topology'])
    expect(both[name]?.['NATS_PASSWORD']).toBe(`${added},${old}`)
  expect(both['nats']).toEqual(before['nats'])
  const after = useNew(both)
  const { CALLOUT_PASSWORD = '', NATS_SYSTEM_PASSWORD = '' } = after['keys'] ?? {}
  expect(after['nats']).toEqual({
    ...before['nats'],
    SERVICES_PASSWORD: added,
    CALLOUT_PASSWORD: CALLOUT_PASSWORD.split(',')[0],
    SYSTEM_PASSWORD: NATS_SYSTEM_PASSWORD.split(',')[0],
  })
})

test('the key of the gateway: it signs with the new one only when all services take it', () => {
  const before = fresh()
  const both = takeBoth(before, ['principal'])
  const old = before['gateway']?.['PRINCIPAL_PRIVATE_KEY']
  expect(both['gateway']?.['PRINCIPAL_PRIVATE_KEY']).toBe(old)
  expect(both['catalog']?.['PRINCIPAL_PUBLIC_KEY']).toMatch(/^[\w-]{43},[\w-]{43}$/)
  expect(useNew(both)['gateway']?.['PRINCIPAL_PRIVATE_KEY']).not.toBe(old)
})

describe('all together', () => {
  const before = fresh()
  const both = takeBoth(before, KINDS)
  const used = useNew(both)
  const after = dropOld(used)

  test('in the end nothing old is left, and nothing else has changed', () => {
    expect(Object.keys(after)).toEqual(Object.keys(before))
    const old = Object.values(before['nats'] ?? {}).slice(0, 3)
    const databases = ['gateway', 'catalog', 'tracking', 'keys', 'webhook-dispatcher'].map((name) =>
      passwordOf(before[name]?.['DATABASE_URL']),
    )
    const { PRINCIPAL_PRIVATE_KEY: oldKey = '' } = before['gateway'] ?? {}
    for (const value of [...old, ...databases, oldKey]) expect(JSON.stringify(after)).not.toContain(value)
    for (const [name, values] of Object.entries(before))
      expect(Object.keys(after[name] ?? {}).toSorted()).toEqual(Object.keys(values).toSorted())
    for (const name of ['SIGNING_KEY_SECRET', 'CALLOUT_ISSUER_SEED', 'CALLOUT_XKEY_SEED'])
      expect(after['keys']?.[name]).toBe(before['keys']?.[name])
  })

  test('the second and the third step may be repeated', () => {
    expect(useNew(used)).toEqual(used)
    expect(dropOld(after)).toEqual(after)
    expect(useNew(after)).toEqual(after)
  })

  test('a third value cannot be added, and old values that are in use cannot be dropped', () => {
    expect(() => takeBoth(both, ['broker'])).toThrow('an earlier change has not ended')
    expect(() => takeBoth(used, ['database'])).toThrow('an earlier change has not ended')
    expect(() => dropOld(both)).toThrow('run "use-new" first')
    for (const kind of KINDS) expect(() => dropOld(takeBoth(before, [kind]))).toThrow('run "use-new" first')
    expect(() => takeBoth(after, KINDS)).not.toThrow()
  })
})
