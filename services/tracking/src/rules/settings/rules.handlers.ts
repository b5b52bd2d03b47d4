import type { Role } from '@whereabouts/contracts/principal'
import { MOST_EXISTING, MOST_RULES, type RuleView } from '@whereabouts/contracts/resources/rules/rules'
import { API_PREFIX } from '@whereabouts/contracts/routes'
import { once } from '@whereabouts/db/answers/kept-answers'
import { audit, changesOf } from '@whereabouts/db/outbox/audit'
import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { rejectIfAny } from '@whereabouts/service-kit/errors/errors'
import { Reply, type Handlers } from '@whereabouts/service-kit/http/serve'
import { sql } from 'kysely'
import { isDeepStrictEqual } from 'node:util'
import type { Db, Tables, Tx } from '../../db.ts'
import { existingAlerts, ruleNotFound, tooManyRules } from '../../errors.ts'
import { countExisting } from '../preview/existing.ts'
import type { RuleBook } from './rule-book.ts'
import type { RuleRow } from './rule-row.ts'
import { mergeSettings, newSettings, settingProblems, type RuleSettings } from './rule-settings.ts'
import {
  beginChange,
  countRules,
  findRule,
  insertRule,
  listRules,
  lockRule,
  updateRule,
} from './rules.queries.ts'
import { resolveNotify, type Addressing } from './resolve-notify.ts'
import { NOTIFY_DEFAULTS, toNotifyView } from './stored-notify.ts'
import { isScopeEmpty, unknownIds, type FindLive } from './scope-ids.queries.ts'

export type RuleSettingDeps = {
  db: TenantDatabase<Tables>
  book: RuleBook
  findLive: FindLive
  addressing: Addressing
  /** Called when a rule has work to do. */
  wakeRules: () => void
  now?: () => number
}

/** Rules: what to tell (D14). */
export const ruleHandlers = ({
  db,
  book,
  findLive,
  addressing,
  wakeRules,
  now = Date.now,
}: RuleSettingDeps): Pick<
  Handlers<'tracking'>,
  'listRules' | 'createRule' | 'getRule' | 'updateRule' | 'deleteRule'
> => ({
  async listRules({ principal: { orgId, role }, query }) {
    const { rows, total } = await listRules(db.forOrg(orgId), orgId, query)
    return {
      data: rows.map((row) => toView(row, role)),
      limit: query.limit,
      offset: query.offset,
      total_count: total,
    }
  },

  async createRule({ principal: { orgId }, query: { raise_existing }, body, once: request }) {
    const settings = newSettings(body, await resolveNotify(addressing, orgId, body.notify))
    await book.prepare(orgId, settings.scope)
    const create = async (tx: Tx) => {
      rejectIfAny([
        ...settingProblems(settings),
        ...(await unknownIds(tx, findLive, orgId, { scope: settings.scope })),
      ])
      await beginChange(tx, orgId)
      if ((await countRules(tx, orgId)) >= MOST_RULES) throw tooManyRules(MOST_RULES)
      await admitExisting(tx, book, { orgId, settings, raise_existing, nowMs: now() })
      const made = await insertRule(tx, {
        org_id: orgId,
        ...toColumns(settings),
        raises_existing: raise_existing !== false,
        problem: null,
        check_after: settings.enabled ? 0 : null,
        closing: null,
        deleted_at: null,
      })
      await auditRule(tx, 'create', made, changesOf(undefined, shown(settings)))
      return new Reply({ data: toView(made) }, { location: `${API_PREFIX}/rules/${made.id}` })
    }
    const reply = await db.transaction(orgId, (tx) => once(tx, request, () => create(tx)))
    await changed(book, orgId, wakeRules)
    return reply
  },

  async getRule({ principal: { orgId, role }, params: { rule_id } }) {
    const row = await findRule(db.forOrg(orgId), orgId, rule_id)
    if (!row) throw ruleNotFound()
    return { data: toView(row, role) }
  },

  async updateRule({ principal: { orgId }, params: { rule_id }, query: { raise_existing }, body }) {
    const known = await findRule(db.forOrg(orgId), orgId, rule_id)
    if (known && body.scope?.metadata) await book.prepare(orgId, mergeSettings(settingsOf(known), body).scope)
    const notify = known && body.notify && (await resolveNotify(addressing, orgId, body.notify, known.notify))
    const row = await db.transaction(orgId, async (tx) => {
      await beginChange(tx, orgId)
      const stored = await lockRule(tx, orgId, rule_id)
      if (!stored) throw ruleNotFound()
      const before = settingsOf(stored)
      const settings = mergeSettings(before, body, notify)
      rejectIfAny([
        ...settingProblems(settings),
        ...(await unknownIds(tx, findLive, orgId, { scope: settings.scope, stored: stored.scope })),
      ])
      const isNew = countsAsNew(before, settings, body.enabled)
      if (isNew && settings.enabled)
        await admitExisting(tx, book, { orgId, settings, raise_existing, nowMs: now() })
      const saved = await updateRule(tx, stored, {
        ...toColumns(settings),
        ...(isNew ? asNew(stored, settings, raise_existing !== false) : {}),
        problem:
          settings.enabled && (await isScopeEmpty(tx, orgId, settings.scope))
            ? 'scope_empty'
            : problemAfter(stored, { isNew, tellsOthers: notify !== undefined }),
        // Reminders count from what was told already.
        ...(notify && { notice_due_at: sql<string>`clock_timestamp()` }),
      })
      await auditRule(tx, 'update', saved, changesOf(shown(before), shown(settings)))
      return saved
    })
    await changed(book, orgId, wakeRules)
    return { data: toView(row) }
  },

  async deleteRule({ principal: { orgId }, params: { rule_id } }) {
    await db.transaction(orgId, async (tx) => {
      await beginChange(tx, orgId)
      const stored = await lockRule(tx, orgId, rule_id)
      if (!stored) throw ruleNotFound()
      await updateRule(tx, stored, {
        deleted_at: sql<string>`clock_timestamp()`,
        revision: stored.revision + 1,
        check_after: null,
        closing: 'rule_deleted',
      })
      await auditRule(tx, 'delete', stored, {})
    })
    await changed(book, orgId, wakeRules)
  },
})

async function changed(book: RuleBook, orgId: number, wakeRules: () => void): Promise<void> {
  await book.read(orgId)
  wakeRules()
}

/** Throws if more is true already than may be raised without being asked. */
async function admitExisting(
  tx: Db,
  book: RuleBook,
  wanted: { orgId: number; settings: RuleSettings; raise_existing: boolean | undefined; nowMs: number },
): Promise<void> {
  if (wanted.raise_existing !== undefined || !wanted.settings.enabled) return
  const { count } = await countExisting(tx, book, wanted)
  if (count > MOST_EXISTING) throw existingAlerts(count, MOST_EXISTING)
}

/** A change of what it decides by, and `enabled: true`. */
const countsAsNew = (before: RuleSettings, after: RuleSettings, enabled: boolean | undefined): boolean =>
  before.enabled !== after.enabled ||
  (enabled === true && !before.enabled) ||
  !isDeepStrictEqual(decisive(before), decisive(after))

const decisive = ({ kind, scope, params, for_seconds }: RuleSettings) => ({
  kind,
  scope,
  params,
  for_seconds,
})

const asNew = (stored: RuleRow, { enabled }: RuleSettings, raisesExisting: boolean) => ({
  revision: stored.revision + 1,
  active_from: sql<string>`clock_timestamp()`,
  checked_until: sql<string>`clock_timestamp()`,
  raises_existing: raisesExisting,
  check_after: enabled ? 0 : null,
  closing: stored.enabled
    ? enabled
      ? ('rule_changed' as const)
      : ('rule_disabled' as const)
    : stored.closing,
})

/** A change of what it decides by ends all problems; one of whom it tells, that somebody could not be told. */
const problemAfter = (
  { problem }: RuleRow,
  { isNew, tellsOthers }: { isNew: boolean; tellsOthers: boolean },
) => (isNew || problem === 'scope_empty' || (tellsOthers && problem === 'notify_failed') ? null : problem)

const settingsOf = (row: RuleRow): RuleSettings => ({
  name: row.name,
  kind: row.kind,
  enabled: row.enabled,
  severity: row.severity,
  scope: row.scope,
  params: row.params,
  for_seconds: row.for_seconds,
  schedule: row.schedule,
  notify: { ...NOTIFY_DEFAULTS, ...row.notify },
})

/** pg would write a list as an array of PostgreSQL, so JSON is sent as text. */
export const toColumns = (settings: RuleSettings) => ({
  ...settings,
  scope: JSON.stringify(settings.scope) as never,
  params: JSON.stringify(settings.params) as never,
  schedule: (settings.schedule && JSON.stringify(settings.schedule)) as never,
  notify: JSON.stringify(settings.notify) as never,
})

/** Viewers do not see addresses of people. */
const toView = (row: RuleRow, role?: Role): RuleView => ({
  id: row.id,
  ...shown(settingsOf(row), role),
  problem: row.problem,
  open_alerts: row.open_alerts,
  created_at: row.created_at,
  updated_at: row.updated_at,
})

/** Without the addresses of channels, which are secrets. */
const shown = (settings: RuleSettings, role?: Role) => ({
  ...settings,
  notify: toNotifyView(settings.notify, role),
})

const auditRule = (
  tx: Tx,
  verb: string,
  { org_id, id, name }: RuleRow,
  changes: ReturnType<typeof changesOf>,
) =>
  audit(tx, org_id, {
    action: `rule.${verb}`,
    subject: { type: 'rule', id, external_key: name },
    changes,
  })
