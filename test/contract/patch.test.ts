import { randomUUID } from 'node:crypto'
import { describe, expect } from 'vitest'
import { entry, nullEntry } from './support/entries.ts'
import { test } from './support/fixtures.ts'
import { succeed } from './support/organization.ts'
import { codesOf, kinds, resourcesOf } from './support/resources.ts'
import { UNKNOWN_ID } from './support/rows.ts'

const MERGE_PATCH = 'application/merge-patch+json'
const newTag = () => ({ tag_type: 'rfid', value: randomUUID() })

describe('PATCH 1: sent and omitted fields', () => {
  test.for(kinds)(
    'PATCH 1 D4.8 an empty body is accepted and advances updated_at of a %s, each time',
    async (kind, { api, token }) => {
      const { make, patch, read } = resourcesOf(api, token, kind)
      const made = await make({ description: 'kept', tags: [newTag()], valid_to: '2999-01-01T00:00:00Z' })
      const seen = [made.updated_at]
      for (let i = 0; i < 5; i += 1) {
        const reply = await patch(made.id, {})
        expect(reply.status).toBe(200)
        expect(reply.body.data).toEqual({ ...made, updated_at: reply.body.data.updated_at })
        seen.push(reply.body.data.updated_at)
      }
      expect(seen, 'later each time, on the wire too').toEqual([...new Set(seen)].toSorted())
      expect(await read(made.id)).toEqual({ ...made, updated_at: seen.at(-1) })
    },
  )

  test.for(kinds)(
    'PATCH 1 each field of a %s, sent alone, changes only that field',
    async (kind, { api, token }) => {
      const { make, patch, read } = resourcesOf(api, token, kind)
      let before = await make({ description: 'some', tags: [newTag()] })
      const changes = {
        name: 'Other',
        description: null,
        is_active: false,
        valid_from: '2020-01-01T00:00:00.000Z',
        valid_to: '2999-01-01T00:00:00.000Z',
        ...(kind === 'asset' && { type: 'person', metadata: { a: 1 } }),
      }
      for (const [field, value] of Object.entries(changes)) {
        const { data } = (await patch(before.id, { [field]: value })).body
        expect(data, field).toEqual({ ...before, [field]: value, updated_at: data.updated_at })
        expect(await read(before.id)).toEqual(data)
        before = data
      }
    },
  )

  test.for(kinds)('PATCH 1 null clears only the clearable fields of a %s', async (kind, { api, token }) => {
    const { make, patch, read } = resourcesOf(api, token, kind)
    const made = await make({ description: 'some', valid_to: '2999-01-01T00:00:00Z' })
    const clearing = { description: null, valid_to: null }
    expect((await patch(made.id, clearing)).body.data).toMatchObject(clearing)
    const before = await read(made.id)
    const types = { name: 'string', is_active: 'boolean', valid_from: 'string', ...(kind === 'asset' && { type: 'string', metadata: 'object' }) } // oxfmt-ignore
    for (const [field, type] of Object.entries(types))
      expect((await patch(made.id, { [field]: null })).body.error.fields).toEqual([nullEntry(field, type)])
    expect(await read(made.id)).toEqual(before)
  })

  test.for(kinds)(
    'is_active of a %s is the last value sent, and hides nothing',
    async (kind, { api, token }) => {
      const { make, patch, list } = resourcesOf(api, token, kind)
      const { id, external_key } = await make({ is_active: false })
      for (const is_active of [true, false]) {
        expect((await patch(id, { is_active })).body.data.is_active).toBe(is_active)
        expect((await list({ external_key, is_active })).body.total_count).toBe(1)
        expect((await list({ external_key, is_active: !is_active })).body.total_count).toBe(0)
        expect((await list({ external_key })).body.total_count).toBe(1)
      }
    },
  )
})

describe('PATCH: bodies and media types', () => {
  test.for(kinds)(
    'PATCH of a %s takes application/merge-patch+json and answers anything else with 415',
    async (kind, { api, token }) => {
      const { make, read } = resourcesOf(api, token, kind)
      const made = await make()
      const path = `/api/v1/${kind}s/${made.id}`
      const send = (type: string) =>
        api.request(path, {
          method: 'PATCH',
          token,
          headers: { 'content-type': type },
          body: '{"name":"Other"}',
        })
      for (const type of [
        'application/json',
        'text/plain',
        'application/json-patch+json',
        '',
        'application/merge-patch',
      ]) {
        expect((await send(type)).body.error, type).toMatchObject({
          type: 'unsupported_media_type',
          detail: `Content-Type must be ${MERGE_PATCH}`,
        })
      }
      expect(await read(made.id)).toEqual(made)
      for (const type of [`${MERGE_PATCH}; charset=utf-8`, MERGE_PATCH.toUpperCase()])
        expect((await send(type)).status).toBe(200)
    },
  )

  test.for(kinds)(
    'PATCH 5 of a %s: null, another JSON type, or invalid JSON is a bad_request',
    async (kind, { api, token }) => {
      const { make, patch, read } = resourcesOf(api, token, kind)
      const made = await make()
      const details = {
        null: 'Request body must be a JSON object (RFC 7396)',
        '[]': 'Request body must be a JSON object',
        '"name"': 'Request body must be a JSON object',
        '7': 'Request body must be a JSON object',
        '{': 'Request body is not valid JSON',
        '': 'Request body is not valid JSON',
      }
      for (const [body, detail] of Object.entries(details))
        expect((await patch(made.id, body)).body.error).toMatchObject({
          type: 'bad_request',
          status: 400,
          detail,
        })
      expect(await read(made.id)).toEqual(made)
    },
  )

  test.for(kinds)(
    'PATCH of a missing, deleted or foreign %s is 404 with any fields; a bad body comes first',
    async (kind, { api, token, newOrg }) => {
      const { make, patch, remove } = resourcesOf(api, token, kind)
      const [gone, theirs] = [await make(), await resourcesOf(api, (await newOrg()).admin, kind).make()]
      await remove(gone.id)
      for (const id of [UNKNOWN_ID, gone.id, theirs.id]) {
        expect((await patch(id, {})).status).toBe(404)
        expect(
          (await patch(id, { id: 5, updated_at: '2020-01-01T00:00:00Z', external_key: 'X' })).status,
        ).toBe(404)
        expect(codesOf(await patch(id, { name: '' }))).toEqual(['name too_short'])
      }
    },
  )
})

describe('PATCH 2 to 4: fields that are compared', () => {
  const OTHER = '2020-01-01T00:00:00.000Z'
  const readOnly = (field: string) => entry(field, 'read_only', expect.any(String))
  const elsewhere = (field: string) => entry(field, 'invalid_context', expect.any(String))

  test.for(kinds)(
    'PATCH 3, PATCH 4, D4.8: each differing field of a %s is named with its code, and nothing changes',
    async (kind, { api, token }) => {
      const { make, patch, read } = resourcesOf(api, token, kind)
      const made = await make({ tags: [newTag(), newTag()] })
      const [one, two] = made.tags
      const differing: [body: object, expected: object][] = [
        [{ id: made.id + 1 }, readOnly('id')],
        [{ created_at: OTHER }, readOnly('created_at')],
        [{ updated_at: OTHER }, readOnly('updated_at')],
        [{ updated_at: new Date(Date.parse(made.updated_at) + 1).toISOString() }, readOnly('updated_at')],
        [{ deleted_at: OTHER }, readOnly('deleted_at')],
        [{ external_key: `${made.external_key}-X` }, elsewhere('external_key')],
        [{ external_key: made.external_key.toLowerCase() }, elsewhere('external_key')],
        [{ tags: [] }, elsewhere('tags')],
        [{ tags: [one] }, elsewhere('tags')],
        [{ tags: [one, two, { id: UNKNOWN_ID, ...newTag() }] }, elsewhere('tags')],
        [{ tags: [one, { ...two, value: 'other' }] }, elsewhere('tags')],
        [{ tags: [one, { ...two, id: one?.id }] }, elsewhere('tags')],
      ]
      for (const [body, expected] of differing) {
        const reply = await patch(made.id, { name: 'Other', ...body })
        expect([reply.status, reply.body.error?.fields], JSON.stringify(body)).toEqual([400, [expected]])
      }
      expect(await read(made.id), 'a refused PATCH leaves updated_at too').toEqual(made)
    },
  )

  test.for(kinds)(
    'PATCH 2 the same instants and tags of a %s in another spelling and order match',
    async (kind, { api, token }) => {
      const { make, patch } = resourcesOf(api, token, kind)
      const made = await make({ tags: [newTag(), newTag(), newTag()] })
      const shift = (at: string) =>
        new Date(Date.parse(at) + 19_800_000).toISOString().replace('Z', '000+05:30')
      const reply = await patch(made.id, {
        created_at: shift(made.created_at),
        updated_at: shift(made.updated_at),
        tags: made.tags.toReversed(),
        deleted_at: null,
      })
      expect(reply.status, reply.text).toBe(200)
    },
  )

  test.for(kinds)('D4.8 several mismatches of a %s are reported together', async (kind, { api, token }) => {
    const { make, patch, read } = resourcesOf(api, token, kind)
    const made = await make()
    const reply = await patch(made.id, {
      tags: [{ id: 1, ...newTag() }],
      valid_to: '2001-01-01T00:00:00Z',
      updated_at: OTHER,
      id: 1,
      external_key: 'OTHER',
      created_at: OTHER,
      deleted_at: OTHER,
    })
    const codes = ['id read_only', 'external_key invalid_context', 'valid_to invalid_value', 'created_at read_only', 'updated_at read_only', 'deleted_at read_only', 'tags invalid_context'] // oxfmt-ignore
    expect(codesOf(reply)).toEqual(codes)
    expect(await read(made.id)).toEqual(made)
  })

  test.for(kinds)(
    'PATCH 3 D4.8 of PATCHes of a %s with the same updated_at exactly one succeeds',
    async (kind, { api, token }) => {
      const { make, patch, read } = resourcesOf(api, token, kind)
      const made = await make()
      const names = ['a', 'b', 'c', 'd', 'e', 'f']
      const replies = await Promise.all(
        names.map((name) => patch(made.id, { name, updated_at: made.updated_at })),
      )
      const [winner, ...more] = replies.filter(({ status }) => status === 200)
      expect(more).toEqual([])
      for (const reply of replies.filter((one) => one !== winner)) {
        expect(reply.body.error.fields?.[0]).toMatchObject({ field: 'updated_at', code: 'read_only' })
        expect(codesOf(reply)).toHaveLength(1)
      }
      expect(await read(made.id)).toEqual(winner?.body.data)
    },
  )

  test.for(kinds)(
    'PATCH 3 PATCHes of a %s that each send the previous updated_at all succeed',
    async (kind, { api, token }) => {
      const { make, patch } = resourcesOf(api, token, kind)
      let last = await make()
      for (const name of ['a', 'b', 'c', 'd'])
        last = (await succeed(patch(last.id, { name, updated_at: last.updated_at }))).body.data
      expect(last.name).toBe('d')
    },
  )
})
