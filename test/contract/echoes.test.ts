import { randomInt, randomUUID } from 'node:crypto'
import { describe, expect } from 'vitest'
import type { Api } from './support/api.ts'
import { test } from './support/fixtures.ts'
import { codesOf, resourcesOf, type Kind } from './support/resources.ts'

type Made = Awaited<ReturnType<ReturnType<typeof resourcesOf>['make']>>
type Make = (api: Api, token: string) => Promise<{ kind: Kind; made: Made }>

const tags = () => [
  { tag_type: 'rfid', value: `urn:epc:id:sgtin:0614141.812345.${randomInt(2 ** 38)}` },
  ...['rfid', 'ble', 'barcode'].map((tag_type) => ({ tag_type, value: ` ${tag_type} ${randomUUID()}\n` })),
]
const full = {
  name: 'Gabelstapler 📦 "7" <b>',
  description: 'one\ttab\r\nzwei Zeilen\n\n',
  is_active: false,
  valid_from: '2019-06-01T12:00:00.123456789+05:30',
  valid_to: '2999-12-31T23:59:59.999999-11:00',
}
const metadata = {
  nested: { list: [1, 'a', null, { deep: [[]] }], '': {} },
  n: -0.25,
  big: 1e21,
  text: 'Ä\n',
}

/** A window shorter than a millisecond: as read, its bounds are the same instant. */
const INSTANTANEOUS = { valid_from: '2020-01-01T00:00:00.000123Z', valid_to: '2020-01-01T00:00:00.000456Z' }

const one =
  (kind: Kind, body: object): Make =>
  async (api, token) => ({
    kind,
    made: await resourcesOf(api, token, kind).make(body),
  })

/** A location below a parent that was changed afterwards. */
const below =
  (change: (api: Api, token: string, parent: number) => Promise<unknown>): Make =>
  async (api, token) => {
    const { make, read } = resourcesOf(api, token, 'location')
    const parent = await make()
    const { id } = await make({ ...full, parent_id: parent.id, tags: tags() })
    await change(api, token, parent.id)
    return { kind: 'location', made: await read(id) }
  }

/** An asset whose home was changed afterwards. */
const withHome =
  (change: (api: Api, token: string, home: number) => Promise<unknown>): Make =>
  async (api, token) => {
    const { make, read } = resourcesOf(api, token, 'asset')
    const home = await resourcesOf(api, token, 'location').make()
    const { id } = await make({ ...full, home_location_id: home.id, tags: tags() })
    await change(api, token, home.id)
    return { kind: 'asset', made: await read(id) }
  }

const resources: Record<string, Make> = {
  'a bare asset': one('asset', {}),
  'a bare location': one('location', {}),
  'an asset with everything': (api, token) =>
    one('asset', { ...full, metadata, type: 'inventory', tags: tags() })(api, token),
  'a location with everything': (api, token) => one('location', { ...full, tags: tags() })(api, token),
  'an asset whose window is shorter than a millisecond': one('asset', INSTANTANEOUS),
  'a location whose window is shorter than a millisecond': one('location', INSTANTANEOUS),
  'an asset that begins before 1970': one('asset', { valid_from: '1969-07-20T20:17:40.9999999Z' }),
  'an asset with a home': withHome(async () => undefined),
  'an asset whose home was renamed': withHome((api, token, id) =>
    resourcesOf(api, token, 'location').rename(id, `K-${randomUUID()}`),
  ),
  'an asset whose home was deleted': withHome((api, token, id) =>
    resourcesOf(api, token, 'location').remove(id),
  ),
  'a location below another': below(async () => undefined),
  'a location below one that was renamed': below((api, token, id) =>
    resourcesOf(api, token, 'location').rename(id, `K-${randomUUID()}`),
  ),
  'a location below one that was moved': below(async (api, token, id) => {
    const { make, patch } = resourcesOf(api, token, 'location')
    await patch(id, { parent_id: (await make()).id })
  }),
}

describe('PATCH 2: the response of GET can be sent back', () => {
  test.for(Object.entries(resources))(
    '%s: sent back unchanged, only updated_at changes, and microseconds stay',
    async ([, make], { api, token }) => {
      const { kind, made } = await make(api, token)
      const { patch, read } = resourcesOf(api, token, kind)
      let before = made
      for (let round = 0; round < 3; round += 1) {
        const reply = await patch(made.id, before)
        expect(reply.status, reply.text).toBe(200)
        expect(reply.body.data).toEqual({ ...made, updated_at: reply.body.data.updated_at })
        expect(reply.body.data.updated_at > before.updated_at).toBe(true)
        expect(await read(made.id)).toEqual(reply.body.data)
        before = reply.body.data
      }
    },
  )

  test.for(Object.entries(resources))(
    '%s: with one field changed, that field changes, or is refused with its code',
    async ([, make], { api, token }) => {
      const { kind, made } = await make(api, token)
      const { patch, read } = resourcesOf(api, token, kind)
      let before = made
      const altered = alterations(kind, made)
      for (const field of Object.keys(made)) {
        const { value, codes } = altered[field] ?? { value: 'Other' } // a text
        const reply = await patch(made.id, { ...before, [field]: value })
        expect(codesOf(reply), field).toEqual(codes ?? [])
        const expected = codes
          ? before
          : { ...before, [field]: value, updated_at: reply.body.data.updated_at }
        expect(await read(made.id), field).toEqual(expected)
        before = await read(made.id)
      }
    },
  )
})

type Alteration = { value: unknown; codes?: string[] }

/**
 * Different values for the fields that are not texts, with the codes that refuse them. Without codes, a value is
 * accepted.
 */
function alterations(kind: Kind, made: Made): Record<string, Alteration> {
  const { id, external_key, is_active, tags: attached } = made
  const home = 'home_location_id' in made ? made.home_location_id : null
  const past = '2018-01-01T00:00:00.000Z'
  return {
    id: { value: id + 1, codes: ['id read_only'] },
    external_key: { value: `${external_key}-X`, codes: ['external_key invalid_context'] },
    created_at: { value: past, codes: ['created_at read_only'] },
    updated_at: { value: past, codes: ['updated_at read_only'] },
    deleted_at: { value: past, codes: ['deleted_at read_only'] },
    tags: {
      value: attached.length > 0 ? attached.slice(1) : [{ id: 1, tag_type: 'ble', value: 'x' }],
      codes: ['tags invalid_context'],
    },
    ...(kind === 'location' && {
      // The other of the pair still names the old parent, or null.
      parent_id: { value: id, codes: AMBIGUOUS },
      parent_external_key: { value: external_key, codes: AMBIGUOUS },
    }),
    ...(kind === 'asset' && {
      home_location_id: { value: id, codes: HOMES_DIFFER },
      home_location_external_key: {
        value: external_key,
        codes: home === null ? HOMES_DIFFER : ['home_location_external_key fk_not_found'],
      },
    }),
    is_active: { value: !is_active },
    ...(kind === 'asset' && { type: { value: 'person' }, metadata: { value: { other: [] } } }),
    valid_from: { value: past },
    valid_to: { value: '2998-01-01T00:00:00.000Z' },
  }
}

const HOMES_DIFFER = ['home_location_id ambiguous_fields', 'home_location_external_key ambiguous_fields']
const AMBIGUOUS = ['parent_id ambiguous_fields', 'parent_external_key ambiguous_fields']
