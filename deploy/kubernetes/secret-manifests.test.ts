import { expect, test } from 'vitest'
import { generateSecrets } from '../installation/secrets.ts'
import { secretManifests, type Installation } from './secret-manifests.ts'

const secrets = generateSecrets()
const made = (installation: Partial<Installation> = {}) =>
  new Map(
    secretManifests(secrets, { namespace: 'anywhere', database: 'whereabouts', ...installation }).map(
      (manifest) => [manifest.metadata.name, manifest] as const,
    ),
  )
const valuesOf = (name: string, installation?: Partial<Installation>) =>
  made(installation).get(name)!.stringData

test('only the gateway has the key that signs principals, and only keys has the keys that sign tokens and logins', () => {
  const holders = (value: string) =>
    [...made()]
      .filter(([, { stringData }]) => Object.values(stringData).includes(value))
      .map(([name]) => name)
  expect(holders(secrets.principal_private_key)).toEqual(['gateway'])
  expect(holders(secrets.signing_key_secret)).toEqual(['keys'])
  expect(holders(secrets.nats.callout_issuer_seed)).toEqual(['keys'])
  expect(holders(secrets.nats.callout_xkey_seed)).toEqual(['keys'])
  expect(holders(secrets.webhook_secret_keys)).toEqual(['webhook-dispatcher'])
  expect(holders(secrets.nats.callout_password)).toEqual(['keys', 'nats'])
})

test('each service has only the password of its own role; the step that creates the roles has all of them', () => {
  const holders = (password: string) =>
    [...made()]
      .filter(([, { stringData }]) => Object.values(stringData).some((value) => value.includes(password)))
      .map(([name]) => name)
  expect(holders(secrets.database_passwords.catalog)).toEqual(['catalog', 'migrate'])
  expect(holders(secrets.database_passwords.webhooks)).toEqual(['webhook-dispatcher', 'migrate'])
  expect(holders(secrets.postgres_password)).toEqual(['migrate', 'postgres-superuser'])
})

test('only keys has the address of the mail server and the secret of the sign-on, which may be empty', () => {
  const smtpUrl = 'smtps://user:secret@mail.example:465'
  const holders = [...made({ smtpUrl })].filter(([, { stringData }]) => 'SMTP_URL' in stringData)
  expect(holders.map(([name]) => name)).toEqual(['keys'])
  expect(valuesOf('keys', { smtpUrl })['SMTP_URL']).toBe(smtpUrl)
  expect(valuesOf('keys')['SMTP_URL']).toBe('')
  expect(valuesOf('keys', { oidcClientSecret: 'abc' })['OIDC_CLIENT_SECRET']).toBe('abc')
  expect(valuesOf('catalog', { oidcClientSecret: 'abc' })['OIDC_CLIENT_SECRET']).toBeUndefined()
})

test('with our own server, connections are encrypted and its CA is checked', () => {
  expect(valuesOf('catalog')['DATABASE_URL']).toBe(
    `postgresql://catalog:${secrets.database_passwords.catalog}@postgres-rw:5432/whereabouts?sslmode=verify-full&sslrootcert=%2Fetc%2Fpostgres-ca%2Fca.crt`,
  )
})

test('in the large overlay, only tracking has the second server, whose CA is another', () => {
  const own = `postgresql://tracking:${secrets.database_passwords.tracking}@postgres-tracking-rw:5432/whereabouts?sslmode=verify-full&sslrootcert=%2Fetc%2Fpostgres-tracking-ca%2Fca.crt`
  expect(valuesOf('tracking', { large: true })['DATABASE_URL']).toBe(own)
  const migrate = valuesOf('migrate', { large: true })
  expect(migrate).toEqual({ ...valuesOf('migrate'), TRACKING_DATABASE_URL: own })
  expect(valuesOf('catalog', { large: true })).toEqual(valuesOf('catalog'))
})

test('to try it, the one server is reached without encryption', () => {
  expect(valuesOf('catalog', { plain: true })['DATABASE_URL']).toBe(
    `postgresql://catalog:${secrets.database_passwords.catalog}@postgres:5432/whereabouts`,
  )
  expect(made({ plain: true }).has('postgres-superuser')).toBe(true)
})

test('with an outside server, its host and options are kept and no superuser is created', () => {
  const outside = {
    adminUrl: 'postgresql://boss:p%40ss@db.example:6432/postgres?sslmode=require',
    database: 'things',
  }
  expect(valuesOf('keys', outside)['DATABASE_URL']).toBe(
    `postgresql://keys:${secrets.database_passwords.keys}@db.example:6432/things?sslmode=require`,
  )
  expect(valuesOf('migrate', outside)['ADMIN_DATABASE_URL']).toBe(outside.adminUrl)
  expect(made(outside).has('postgres-superuser')).toBe(false)
})

test('credentials of the backups are passed on if they are given', () => {
  expect(made().has('postgres-backups')).toBe(false)
  expect(valuesOf('postgres-backups', { backups: { accessKeyId: 'a', secretAccessKey: 'b' } })).toEqual({
    ACCESS_KEY_ID: 'a',
    SECRET_ACCESS_KEY: 'b',
  })
})
