import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { KeyAccess, KeyRate, MemberRevision, OrgSubscription } from './keys-state.ts'
import { AssetIdentity, LocationPlace } from './catalog-state.ts'
import { AssetPlaced, assetPlaced } from './asset-placed.ts'

/**
 * Releases run together, and streams have messages of older ones. For each message,
 * `test/fixtures/messages/<commit>.json` has a payload that the release sent and the fields that its consumers
 * required.
 */
type Recorded = Record<string, { payload: unknown; required: string[] }>

const fixtures = join(import.meta.dirname, '../../../../test/fixtures/messages')
const releases = globSync(`${fixtures}/*.json`).map((file) => ({
  release: basename(file, '.json'),
  recorded: JSON.parse(readFileSync(file, 'utf8')) as Recorded,
}))

type Declared = { name?: string; schema?: z.ZodType; subject?: unknown } & Partial<
  Record<'request' | 'reply' | 'published', z.ZodType>
>

/** An exported message, or each of an exported list of messages. */
const declaredIn = (value: unknown) => [value, ...Object.values(Object(value) as object)]

/** All schemas that a service sends or reads, by the name of the message. */
const schemas = new Map<string, { published: z.ZodType; read: z.ZodType[] }>()
for (const file of globSync(`${import.meta.dirname}/**/*.ts`, { exclude: ['**/*.test.ts'] }))
  for (const value of Object.values((await import(file)) as Record<string, unknown>).flatMap(declaredIn)) {
    const { name, schema, subject, request, reply, published } = Object(value) as Declared
    if (name && schema) schemas.set(name, { published: schema, read: [schema] })
    if (typeof subject !== 'string' || !request || !reply) continue
    schemas.set(`${subject} request`, { published: request, read: [request] })
    schemas.set(`${subject} reply`, { published: published ?? reply, read: [reply] })
  }
/** Schemas of consumers that parse only a part of the message. */
const narrower = {
  'asset state': [AssetIdentity],
  'location state': [LocationPlace],
  'asset placed': [AssetPlaced],
  'organization state': [OrgSubscription],
  'API key state': [KeyAccess, KeyRate],
  'member state': [MemberRevision],
}
// The payload of the message above.
schemas.set('rpc.tracking.place-asset request', { published: assetPlaced.schema, read: [AssetPlaced] })
for (const [name, read] of Object.entries(narrower)) schemas.get(name)?.read.push(...read)

type JsonSchema = {
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  anyOf?: JsonSchema[]
}

/** The paths of the required fields. A union has none. */
function requiredIn(schema: JsonSchema, path = ''): string[] {
  const [only, ...others] = (schema.anyOf ?? [schema]).filter(
    (one) => !('type' in one) || one['type'] !== 'null',
  )
  if (!only || others.length > 0) return []
  if (only.items) return requiredIn(only.items, `${path}[]`)
  return (only.required ?? []).flatMap((name) => {
    const field = `${path}.${name}`
    return [field].concat(requiredIn(only.properties?.[name] ?? {}, field))
  })
}

const sent = (schema: z.ZodType) =>
  requiredIn(z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }) as JsonSchema)

/** Messages that the recorded releases never sent. Record them with the next release. */
const UNRECORDED = [
  'alert raised',
  'alert resolved',
  'asset created',
  'asset deleted',
  'asset updated',
  'audit entry',
  'import finished',
  'location created',
  'location deleted',
  'location updated',
  'reader online',
  'reader silent',
  'rpc.catalog.erase-organization reply',
  'rpc.catalog.erase-organization request',
  'rpc.catalog.republish-state reply',
  'rpc.catalog.republish-state request',
  'rpc.catalog.usage reply',
  'rpc.catalog.usage request',
  'rpc.keys.caller-name reply',
  'rpc.keys.caller-name request',
  'rpc.keys.mail-alerts reply',
  'rpc.keys.mail-alerts request',
  'rpc.keys.reader-use reply',
  'rpc.keys.reader-use request',
  'rpc.keys.republish-state reply',
  'rpc.keys.republish-state request',
  'rpc.keys.unknown-recipients reply',
  'rpc.keys.unknown-recipients request',
  'rpc.tracking.erase-organization reply',
  'rpc.tracking.erase-organization request',
  'rpc.tracking.misplaced-assets reply',
  'rpc.tracking.misplaced-assets request',
  'rpc.tracking.usage reply',
  'rpc.tracking.usage request',
  'rpc.webhook-dispatcher.erase-organization reply',
  'rpc.webhook-dispatcher.erase-organization request',
  'rpc.webhook-dispatcher.post-chat reply',
  'rpc.webhook-dispatcher.post-chat request',
  'rpc.webhook-dispatcher.reseal-chats reply',
  'rpc.webhook-dispatcher.reseal-chats request',
  'rpc.webhook-dispatcher.seal-chats reply',
  'rpc.webhook-dispatcher.seal-chats request',
  'tag attached',
  'tag detached',
  'webhook disabled',
  'webhook failing',
  'webhook recovered',
]

/**
 * The last release asks for an organization whose state it cannot read. Without an answer, its deliveries wait for five
 * minutes (ADR 77).
 */
const RETIRED = new Set(['rpc.keys.org-state request', 'rpc.keys.org-state reply'])

test('each message of the last release is recorded', () => {
  const names = new Set(releases.flatMap(({ recorded }) => Object.keys(recorded)))
  expect([...schemas.keys()].filter((name) => !names.has(name)).toSorted()).toEqual(UNRECORDED)
})

describe.for(releases)('messages of $release', ({ recorded }) => {
  const names = Object.keys(recorded).filter((name) => !RETIRED.has(name))

  test.for(names)('%s can be read: a new field is .optional()', (name) => {
    for (const schema of schemas.get(name)?.read ?? []) schema.parse(recorded[name]?.payload)
    expect(schemas.has(name)).toBe(true)
  })

  test.for(names)('%s is still sent with all fields that its consumers required', (name) => {
    const { published } = schemas.get(name) ?? { published: z.never() }
    expect(sent(published)).toEqual(expect.arrayContaining(recorded[name]?.required ?? []))
  })
})
