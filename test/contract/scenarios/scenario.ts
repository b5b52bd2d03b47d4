import { randomUUID } from 'node:crypto'
import { expect, inject } from 'vitest'
import { connectReader } from '../../system/readers.ts'
import type { Api, CallOptions } from '../support/api.ts'
import { succeed, type Organization } from '../support/organization.ts'

/** The input of a scenario: an organization of the file, and the token of a key with every scope and a full bucket. */
export type Given = { api: Api; org: Organization; token: string }

/** Prepares a request and returns it. Without a token, the caller of the table is used. */
export type Make = (given: Given) => Promise<CallOptions> | CallOptions

/**
 * For one operation: how to produce each documented status, or the reason why no client can. `common.ts` has the
 * statuses that all operations share, such as a missing token.
 */
export type Scenario = Readonly<Record<number, Make | string>>

/** A unique name or natural key. */
export const unique = (prefix: string): string => `${prefix}-${randomUUID()}`

export async function newAsset({ api, token }: Given, body: object = {}) {
  return (await succeed(api.call('createAsset', { token, body: { name: 'Forklift', ...body } }))).body.data
}

export async function newLocation({ api, token }: Given, body: object = {}) {
  return (await succeed(api.call('createLocation', { token, body: { name: 'Dock', ...body } }))).body.data
}

export async function newReader({ api, org }: Given): Promise<number> {
  const body = { reader_key: unique('r'), name: 'Gate', format: 'canonical' }
  return (await succeed(api.call('createReader', { token: org.admin, body }))).body.data.id ?? 0
}

/** An unknown tag that a reader read. */
export async function newUnknownTag({ api, org }: Given): Promise<number> {
  const value = unique('tag')
  const key = await org.key({ scopes: ['scans:write'] })
  const link = await connectReader({ urls: inject('urls') }, key, 'nats')
  const bytes = Buffer.from(JSON.stringify({ reads: [{ tag: { type: 'barcode', value } }] }))
  await link.publish(org.id, 'unknown-tag-reader', 'canonical', bytes)
  await link.close()
  const find = () => api.call('listUnknownTags', { token: org.admin, query: { q: value } })
  await expect.poll(async () => (await find()).body.total_count, { timeout: 15_000, interval: 200 }).toBe(1)
  return (await find()).body.data[0]?.id ?? 0
}

export const newTag = () => ({ tag_type: 'rfid', value: unique('tag') })
