import type { TypedAsset } from '@whereabouts/contracts/messages/catalog-state'
import type { RuleScope } from '@whereabouts/contracts/resources/rules/rules'
import { serviceUnavailable } from '@whereabouts/service-kit/errors/errors'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Kysely } from 'kysely'
import type { CatalogView } from '../../catalog/catalog-view.ts'
import type { Tables } from '../../db.ts'
import { compileRule, type CompiledRule } from './compile-rule.ts'
import type { MetadataMatches } from './metadata-matches.ts'
import type { RuleRow } from './rule-row.ts'
import { listEnabledRules } from './rules.queries.ts'

/** A rule as it decides, with the row of its settings. */
export type BookedRule = CompiledRule & { row: RuleRow }

type Options = {
  db: Kysely<Tables>
  view: CatalogView
  metadata: MetadataMatches
  /** The IANA name of the time zone of an organization. */
  zoneOf: (orgId: number) => string
  log: Logger
}

const PREPARE_MS = 10_000

type OrgRules = { version: number; rules: BookedRule[] }
const NO_RULES: OrgRules = { version: 0, rules: [] }

/**
 * The enabled rules of all organizations, in the memory of this process. PostgreSQL notifies every replica of a change. A
 * notification may be late or lost, so ingest compares `versionOf` with the database in its transaction.
 */
export class RuleBook {
  readonly #options: Options
  readonly #orgs = new Map<number, OrgRules>()

  constructor(options: Options) {
    this.#options = options
  }

  of(orgId: number): readonly BookedRule[] {
    return (this.#orgs.get(orgId) ?? NO_RULES).rules
  }

  find(orgId: number, id: number): BookedRule | undefined {
    return this.of(orgId).find((rule) => rule.id === id)
  }

  versionOf(orgId: number): number {
    return (this.#orgs.get(orgId) ?? NO_RULES).version
  }

  organizations(): number[] {
    return [...this.#orgs.keys()]
  }

  /** Reads the rules of an organization again, or of all. `db` may be an open transaction. */
  async read(orgId?: number, db: Parameters<typeof listEnabledRules>[0] = this.#options.db): Promise<void> {
    const found = await listEnabledRules(db, orgId)
    if (orgId === undefined)
      for (const known of this.#orgs.keys()) if (!found.has(known)) this.#orgs.delete(known)
    if (orgId !== undefined && !found.has(orgId)) this.#orgs.delete(orgId)
    for (const [id, { version, rows }] of found) {
      if (version < this.versionOf(id)) continue // read later, and committed before
      this.#orgs.set(id, { version, rules: rows.map((row) => this.compile(row)) })
    }
    for (const id of orgId === undefined ? this.#orgs.keys() : [orgId]) void this.#keepMetadata(id)
  }

  #keepMetadata(orgId: number): Promise<unknown> {
    const asked = this.of(orgId).map(({ row }) => row.scope.metadata)
    return this.#options.metadata.keep(
      orgId,
      asked.filter((condition) => Object.keys(condition).length > 0),
    )
  }

  /** Resolves when each rule can be judged. */
  async ready(): Promise<void> {
    await Promise.all(this.organizations().map((orgId) => this.#keepMetadata(orgId)))
  }

  /** Resolves when a rule with this scope can be judged. Throws if that takes longer than anybody waits. */
  async prepare(orgId: number, { metadata }: RuleScope): Promise<void> {
    if (Object.keys(metadata).length === 0) return
    const late = AbortSignal.timeout(PREPARE_MS)
    const isLate = new Promise<never>((_, reject) => {
      late.addEventListener('abort', () => reject(serviceUnavailable()), { once: true })
    })
    await Promise.race([this.#options.metadata.want(orgId, metadata), isLate])
  }

  /** Whether rules of the organization cannot be judged yet: nothing is to be said of them meanwhile. */
  isWaiting(orgId: number): boolean {
    return this.#options.metadata.isWaiting(orgId)
  }

  /** A state that its table has already, which this process may not have heard of. */
  apply(state: TypedAsset): void {
    this.#options.metadata.apply(state)
  }

  waiting(): number[] {
    return this.organizations().filter((orgId) => this.isWaiting(orgId))
  }

  compile(row: RuleRow): BookedRule {
    const { zoneOf } = this.#options
    return { ...compileRule(row, this.#options, zoneOf(row.org_id)), row }
  }

  /** A notification: reads in the background, and logs a failure, because ingest compares versions. */
  hear(payload: string): void {
    this.readSoon(Number(payload))
  }

  readSoon(orgId?: number): void {
    this.read(orgId).catch((error: unknown) =>
      this.#options.log.warn(
        { err: error, org_id: orgId },
        'rules could not be read; will retry with the next change',
      ),
    )
  }
}
