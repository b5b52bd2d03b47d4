import { headersSignedWith } from '@whereabouts/testing/caller'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { Client } from 'undici'
import { ORG_ID } from './fill.ts'
import type { Question, Request, Statement } from './questions.ts'

type Asked = ReturnType<Question['ask']>

/** One way to an answer, over a connection of its own that is kept open. Resolves with how many rows came. */
export type Way = { ask: (asked: Asked) => Promise<number>; close(): Promise<void> }

/** Directly at the service, as the gateway would ask. Throws when it is not answered with success. */
export async function atService(origin: string, principalKey: string): Promise<Way> {
  const principal = { kind: 'key' as const, orgId: ORG_ID, scopes: [], keyId: 'bench' }
  const signed = {
    'user-agent': 'whereabouts-bench/1',
    ...(await headersSignedWith(principalKey, principal, 'catalog')),
  }
  return overHttp(origin, signed, ({ request }) => request)
}

/** The least that HTTP costs: a server of our own process that passes the statement on, see `startFloor`. */
export const atFloor = async (origin: string): Promise<Way> =>
  overHttp(origin, {}, ({ statement }) => ({ method: 'POST', path: '/', body: statement }))

function overHttp(origin: string, common: Record<string, string>, requestOf: (asked: Asked) => Request): Way {
  const client = new Client(origin, { pipelining: 1 })
  return {
    async ask(asked) {
      const { method, path, body, rowField = 'deleted_at' } = requestOf(asked)
      const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
      const headers = body ? { ...common, 'content-type': type } : common
      const answer = await client.request({
        method,
        path,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      })
      const text = await answer.body.text()
      if (answer.statusCode >= 300)
        throw new Error(`${method} ${path} answered ${answer.statusCode}: ${text}`)
      return rowsIn(text, rowField)
    },
    close: () => client.close(),
  }
}

/** Without parsing the answer, which is the client's own affair. */
const rowsIn = (text: string, rowField: string): number => text.split(`"${rowField}"`).length - 1

/** Without any HTTP: as a program that holds the tables' own rights. `setting` is run once. */
export async function bareSql(url: string, setting = ''): Promise<Way> {
  const client = new pg.Client({ connectionString: url, types })
  await client.connect()
  if (setting !== '') await client.query(setting)
  return {
    ask: async ({ statement }) => (await client.query(prepared(statement))).rows.length,
    close: () => client.end(),
  }
}

export type Floor = { origin: string; stop(): Promise<void> }

/** Starts the process that `atFloor` asks. */
export async function startFloor(url: string): Promise<Floor> {
  const child = fork(new URL('floor-process.ts', import.meta.url), [url])
  const exit = once(child, 'exit')
  const [address] = (await Promise.race([once(child, 'message'), exit])) as [AddressInfo | number]
  if (typeof address === 'number') throw new Error('the bare HTTP server ended by itself')
  return {
    origin: `http://127.0.0.1:${address.port}`,
    async stop() {
      if (child.connected) child.disconnect()
      await exit
    },
  }
}

const names = new Map<string, string>()

/** Under a name of its own, unless it is to be planned anew. */
export function prepared({ text, values, isPlannedAnew }: Statement): pg.QueryConfig {
  if (isPlannedAnew) return { text, values }
  const name = names.get(text) ?? `s${names.size}`
  names.set(text, name)
  return { name, text, values }
}

/** Columns as the service reads them: ids as numbers, times as text. */
export const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: Parameters<typeof pg.types.getTypeParser>[0], format?: 'text' | 'binary') => {
    if (oid === pg.types.builtins.INT8) return Number
    if (oid === pg.types.builtins.TIMESTAMPTZ) return String
    return pg.types.getTypeParser(oid, format)
  }) as pg.CustomTypesConfig['getTypeParser'],
}
