import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { PostgresQueryCompiler, type Kysely, type KyselyPlugin } from 'kysely'
import type { Tables } from '../../src/db.ts'

/** A statement of the service, and the request that caused it. */
export type Recorded = {
  during: string
  text: string
  values: readonly unknown[]
  /** Undefined for statements of the worker, which concern all organizations. */
  orgId: number | undefined
}

/** Records each distinct statement of the databases that it wraps. */
export class Recorder {
  readonly recorded: Recorded[] = []
  /** The current request. */
  during = ''
  readonly #seen = new Set<string>()

  tenants(db: TenantDatabase<Tables>): TenantDatabase<Tables> {
    const forOrg = (orgId: number) => db.forOrg(orgId).withPlugin(this.#plugin(orgId))
    return {
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
        // Per request, because the plan depends on the values: a search for two characters has another than one for
        // ten.
        const key = `${this.during} ${text}`
        if (!this.#seen.has(key)) this.recorded.push({ during: this.during, text, values, orgId })
        this.#seen.add(key)
        return node
      },
      transformResult: async ({ result }) => result,
    }
  }
}
