import { headersSignedWith } from '@whereabouts/testing/caller'
import pg from 'pg'
import { Client } from 'undici'
import { ORG_ID } from './fill.ts'
import type { Question } from './questions.ts'

/** One way to an answer, over a connection of its own that is kept open. Resolves with how many rows came. */
export type Way = { ask: (question: ReturnType<Question['ask']>) => Promise<number>; close(): Promise<void> }

/** Over HTTP, directly at the service, as the gateway would ask. Throws when it is not answered with success. */
export async function overHttp(origin: string, principalKey: string): Promise<Way> {
  const principal = { kind: 'key' as const, orgId: ORG_ID, scopes: [], keyId: 'bench' }
  const signed = {
    'user-agent': 'whereabouts-bench/1',
    ...(await headersSignedWith(principalKey, principal)),
  }
  const client = new Client(origin, { pipelining: 1 })
  return {
    async ask({ request: { method, path, body } }) {
      const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
      const headers = body ? { ...signed, 'content-type': type } : signed
      const answer = await client.request({
        method,
        path,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      })
      const text = await answer.body.text()
      if (answer.statusCode >= 300)
        throw new Error(`${method} ${path} answered ${answer.statusCode}: ${text}`)
      return rowsIn(text)
    },
    close: () => client.close(),
  }
}

/** Without parsing the answer, which is the client's own affair: every row has this field once. */
const rowsIn = (text: string): number => text.split('"deleted_at"').length - 1

/** As a program that holds the tables' own rights. */
export async function bareSql(url: string, prepare = ''): Promise<Way> {
  const client = new pg.Client({ connectionString: url, types })
  await client.connect()
  if (prepare !== '') await client.query(prepare)
  const names = new Map<string, string>()
  return {
    async ask({ statement: { text, values, isPlannedAnew } }) {
      if (isPlannedAnew) return (await client.query({ text, values })).rows.length
      const name = names.get(text) ?? `s${names.size}`
      names.set(text, name)
      return (await client.query({ name, text, values })).rows.length
    },
    close: () => client.end(),
  }
}

/** Columns as the service reads them: ids as numbers, times as text. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: Parameters<typeof pg.types.getTypeParser>[0], format?: 'text' | 'binary') => {
    if (oid === pg.types.builtins.INT8) return Number
    if (oid === pg.types.builtins.TIMESTAMPTZ) return String
    return pg.types.getTypeParser(oid, format)
  }) as pg.CustomTypesConfig['getTypeParser'],
}
