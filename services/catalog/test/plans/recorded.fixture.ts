import type { TenantDatabase } from '@whereabouts/db/tenant-database'
import { PostgresQueryCompiler, type Kysely, type KyselyPlugin } from 'kysely'
import type { Tables } from '../../src/db.ts'

/** A statement as the service sent it, and what it was doing. */
export type Recorded = {
  during: string
  text: string
  values: readonly unknown[]
  /** Undefined for what is of all organizations, which the worker does. */
  orgId: number | undefined
}

/** Writes down each different statement that goes through the databases it wraps. */
export class Recorder {
  readonly recorded: Recorded[] = []
  /** What the service is asked at the moment. */
  during = ''
  readonly #seen = new Set<string>()

  tenants(db: TenantDatabase<Tables>): TenantDatabase<Tables> {
    const forOrg = (orgId: number) => db.forOrg(orgId).withPlugin(this.#plugin(orgId))
    return {
      connections: db.connections,
      load: () => db.load(),
      forOrg,
      transaction: (orgId, work) => forOrg(orgId).transaction().execute(work),
      close: async () => undefined,
    }
  }

  across(db: Kysely<Tables>): Kysely<Tables> {
    return db.withPlugin(this.#plugin(undefined))
  }

  #plugin(orgId: number | undefined): KyselyPlugin {
    return {
      transformQuery: ({ node, queryId }) => {
        const { sql: text, parameters: values } = new PostgresQueryCompiler().compileQuery(node, queryId)
        // The values matter: a search for two characters is planned unlike one for ten.
        const key = `${this.during} ${text}`
        if (!this.#seen.has(key)) this.recorded.push({ during: this.during, text, values, orgId })
        this.#seen.add(key)
        return node
      },
      transformResult: async ({ result }) => result,
    }
  }
}
