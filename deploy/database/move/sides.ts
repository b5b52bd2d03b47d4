import { Client, escapeIdentifier } from 'pg'
import { ROLES, SERVICES } from '../../installation/services.ts'
import type { DatabaseRole } from '../../installation/secrets.ts'

/** The name of the publication, the subscription and the replication slot. */
export const NAME = 'whereabouts_move'

/** A move in progress: administrators of both servers, in the database of the product. */
export type Sides = {
  from: Client
  to: Client
  /** The schemas that move, each with the name of its owner. */
  schemas: readonly DatabaseRole[]
  /** How the new server reaches the old one. */
  source: string
}

/** A table that can move, or a partition of one. */
export type Table = { schema: string; name: string }

export const quoted = ({ schema, name }: Table): string =>
  `${escapeIdentifier(schema)}.${escapeIdentifier(name)}`

/** The schemas of these services, or of all. Throws for a service that has none. */
export function schemasOf(services: readonly string[] | undefined): DatabaseRole[] {
  const known = SERVICES.flatMap((service) => {
    const schema = ROLES[service]
    return schema ? [{ service, schema }] : []
  })
  const wrong = services?.find((name) => !known.some(({ service }) => service === name))
  if (wrong !== undefined)
    throw new Error(
      `no schema of a service "${wrong}": give some of ${known.map(({ service }) => service).join(', ')}`,
    )
  return known.flatMap(({ service, schema }) => (!services || services.includes(service) ? [schema] : []))
}

type Addresses = { from: string; to: string; source?: string | undefined }

/** Runs `work` with a connection to each server. */
export async function withSides<T>(
  { from, to, source = from }: Addresses,
  schemas: readonly DatabaseRole[],
  work: (sides: Sides) => Promise<T>,
): Promise<T> {
  const open = async (connectionString: string) => {
    const client = new Client({
      connectionString,
      connectionTimeoutMillis: 10_000,
      application_name: 'move-database',
    })
    client.on('error', () => undefined) // the next statement fails
    await client.connect()
    return client
  }
  const fromClient = await open(from)
  try {
    const toClient = await open(to)
    try {
      return await work({ from: fromClient, to: toClient, schemas, source })
    } finally {
      await toClient.end()
    }
  } finally {
    await fromClient.end()
  }
}

/** The rows of a statement. */
export async function ask<R extends object>(
  client: Client,
  text: string,
  values: readonly unknown[] = [],
): Promise<R[]> {
  const { rows } = await client.query<R>(text, [...values])
  return rows
}
