import type { Stack } from '@whereabouts/deploy/local/stack'
import { headersSignedWith } from '@whereabouts/testing/caller'
import pg from 'pg'
import { Client } from 'undici'
import { ORG_ID } from './catalog-fill.ts'

/** The same question for the service and the database, with different values each time. */
export type Question = {
  name: string
  /** Target for the p99 of the service in milliseconds. */
  wantedP99Ms?: number
  ask: (i: number) => Asked
}
type Asked = {
  path: string
  /** A field that occurs once in each row of the response. */
  rowField: string
  statement: { text: string; values: unknown[] }
}

/** One way to ask, over its own connection. `ask` resolves with the number of rows. */
export type Way = { ask: (asked: Asked) => Promise<number>; close(): Promise<void> }

/** Directly to the service, like the gateway. Throws unless the request succeeds. */
export async function atService({ urls, secrets }: Stack, service: 'catalog' | 'tracking'): Promise<Way> {
  const principal = { kind: 'key' as const, orgId: ORG_ID, scopes: [], keyId: 'bench' }
  const signed = await headersSignedWith(secrets.principal_private_key, principal, service)
  const headers = { 'user-agent': 'whereabouts-bench/1', ...signed }
  const client = new Client(urls.api[service], { pipelining: 1 })
  return {
    async ask({ path, rowField }) {
      const reply = await client.request({ method: 'GET', path, headers })
      const text = await reply.body.text()
      if (reply.statusCode >= 300) throw new Error(`GET ${path} answered ${reply.statusCode}: ${text}`)
      return text.split(`"${rowField}"`).length - 1 // parsing would cost the client, not the service
    },
    close: () => client.close(),
  }
}

/** Without HTTP: the statement through `pg`. `setting` runs once at the start. */
export async function bareSql(url: string, setting: string): Promise<Way> {
  const client = new pg.Client({ connectionString: url, types })
  await client.connect()
  await client.query(setting)
  return {
    ask: async ({ statement }) => (await client.query(statement)).rows.length,
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
