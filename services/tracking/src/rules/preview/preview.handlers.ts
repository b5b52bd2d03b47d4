import type { FieldEntry } from '@whereabouts/contracts/errors'
import {
  LONGEST_PREVIEW_DAYS,
  MOST_PREVIEWED_ALERTS,
  MOST_PREVIEWED_SUBJECTS,
  type AlertSubject,
  type RulePreview,
} from '@whereabouts/contracts/resources/rules/rules'
import { epochMs } from '@whereabouts/contracts/rules/instant'
import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { rejectIfAny, validationFailed } from '@whereabouts/service-kit/errors/errors'
import type { Handlers } from '@whereabouts/service-kit/http/serve'
import type { CatalogView } from '../../catalog/catalog-view.ts'
import type { Db, Tables } from '../../db.ts'
import { previewTooLarge, tooManyPreviews } from '../../errors.ts'
import type { ReplayedAlert } from '../decide/replay.ts'
import type { RuleBook } from '../settings/rule-book.ts'
import { newSettings, settingProblems, type RuleSettings } from '../settings/rule-settings.ts'
import { unknownIds, type FindLive } from '../settings/scope-ids.queries.ts'
import { countExisting, draftOf } from './existing.ts'
import { replayPast } from './preview.ts'

export type RulePreviewDeps = {
  /** For reads that may take seconds. */
  longReads: TenantDatabase<Tables>
  book: RuleBook
  findLive: FindLive
  view: CatalogView
  now?: () => number
}

const DAY_MS = 86_400_000
const USUAL_DAYS = 7
/** At once, of one organization, in one replica. */
const AT_ONCE = 2

/** Of a preview (D14.4). */
const LONGEST_MS = 5_000

type Asked = {
  orgId: number
  settings: RuleSettings
  span: { fromMs: number; toMs: number }
  nowMs: number
  signal: AbortSignal
}

/** What a rule would have raised, and would raise (D14.4). */
export function rulePreviewHandlers({
  longReads,
  book,
  findLive,
  view,
  now = Date.now,
}: RulePreviewDeps): Pick<Handlers<'tracking'>, 'previewRule'> {
  const running: number[] = []

  async function preview(db: Db, { orgId, settings, span, nowMs, signal }: Asked): Promise<RulePreview> {
    const existing = await countExisting(db, book, { orgId, settings, nowMs }, MOST_PREVIEWED_SUBJECTS)
    signal.throwIfAborted()
    const rule = draftOf(book, orgId, settings, -Infinity)
    const isOfReaders = rule.kind === 'reader_silent'
    const past = isOfReaders
      ? null
      : await replayPast(db, rule, span, { most: MOST_PREVIEWED_ALERTS, signal })
    const subjects = isOfReaders
      ? await readersOf(db, orgId, existing.ids)
      : existing.ids.map((id) => assetOf(view, orgId, id))
    return {
      now: { count: existing.count, subjects },
      past: past && { count: past.count, alerts: past.alerts.map((each) => toView(each, orgId, view)) },
    }
  }

  return {
    async previewRule({ principal: { orgId }, body }) {
      const settings = newSettings(body.rule)
      const db = longReads.forOrg(orgId)
      const problems = [
        ...settingProblems(settings),
        ...(await unknownIds(db, findLive, orgId, { scope: settings.scope })),
      ]
      rejectIfAny(problems.map(inRule))
      const nowMs = now()
      const span = spanOf(body, nowMs)
      await book.prepare(orgId, settings.scope)
      if (running.filter((id) => id === orgId).length >= AT_ONCE) throw tooManyPreviews()
      running.push(orgId)
      const signal = AbortSignal.timeout(LONGEST_MS)
      const work = preview(db, { orgId, settings, span, nowMs, signal }).finally(() =>
        running.splice(running.indexOf(orgId), 1),
      )
      try {
        return { data: await inTime(work, signal) }
      } catch (error) {
        if (isTimeout(error) || signal.aborted) throw previewTooLarge()
        throw error
      }
    },
  }
}

/** The result, unless the signal aborts before. The work goes on until its next pause. */
function inTime<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const isOver = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
  return Promise.race([work, isOver])
}

const STATEMENT_TIMEOUT = '57014'
const isTimeout = (error: unknown) => (error as { code?: unknown }).code === STATEMENT_TIMEOUT

/** A preview has the rule inside. */
const inRule = ({ field, message, ...entry }: FieldEntry): FieldEntry => ({
  ...entry,
  field: `rule.${field}`,
  message: message.replaceAll(field, `rule.${field}`),
})

function spanOf({ from, to }: { from?: string | undefined; to?: string | undefined }, nowMs: number) {
  const toMs = Math.min(to === undefined ? nowMs : epochMs(to), nowMs)
  const fromMs = from === undefined ? toMs - USUAL_DAYS * DAY_MS : epochMs(from)
  if (fromMs >= toMs)
    throw validationFailed([{ field: 'to', code: 'invalid_value', message: 'to must be later than from' }])
  if (toMs - fromMs <= LONGEST_PREVIEW_DAYS * DAY_MS) return { fromMs, toMs }
  const max = new Date(fromMs + LONGEST_PREVIEW_DAYS * DAY_MS).toISOString()
  throw validationFailed([
    { field: 'to', code: 'too_large', message: `to must be ≤ ${max}`, params: { max } },
  ])
}

function assetOf(view: CatalogView, orgId: number, id: number): AlertSubject {
  const asset = view.asset(orgId, id)
  return { type: 'asset', id, external_key: asset?.key ?? '', name: asset?.name ?? '' }
}

async function readersOf(db: Db, orgId: number, ids: readonly number[]): Promise<AlertSubject[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('reader')
    .select(['id', 'reader_key', 'name'])
    .where('org_id', '=', orgId)
    .where('id', 'in', [...ids])
    .orderBy('id')
    .execute()
  return rows.map(({ id, reader_key, name }) => ({ type: 'reader', id, reader_key, name }))
}

type PreviewedAlert = NonNullable<RulePreview['past']>['alerts'][number]

function toView(alert: ReplayedAlert, orgId: number, view: CatalogView): PreviewedAlert {
  const { assetId, placeId, raisedMs, resolvedMs, because } = alert
  const place = placeId === null ? undefined : view.location(orgId, placeId)
  return {
    subject: assetOf(view, orgId, assetId),
    location: place ? { id: place.id, external_key: place.key, name: place.name } : null,
    raised_at: new Date(raisedMs).toISOString(),
    resolved_at: resolvedMs === null ? null : new Date(resolvedMs).toISOString(),
    resolved_because: because,
  }
}
