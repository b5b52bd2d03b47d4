import { startBackgroundJob, type BackgroundJob } from '@whereabouts/service-kit/service/background-job'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Registry } from '@whereabouts/service-kit/observe/metrics'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db.ts'
import type { Channels } from './channels.ts'
import { composeNotice } from './compose.ts'
import {
  claimNotice,
  endNotice,
  listChatRules,
  listDueRules,
  postpone,
  replaceChats,
  type NoticeRow,
} from './notices.queries.ts'
import type { StoredChat } from '../settings/stored-notify.ts'

type Options = {
  db: Kysely<Tables>
  channels: Channels
  /** The IANA name of the time zone of an organization. */
  zoneOf: (orgId: number) => string
  log: Logger
  registry?: Registry
  now?: () => number
}

const EVERY_MS = 1_000
const RESEAL_EVERY_MS = 3_600_000
const RULES_AT_ONCE = 100
const RESEAL_RETRY_MS = 60_000
const RESEAL_AT_ONCE = 100
/** Messages that are on their way from one replica: a channel that hangs keeps one for half a minute. */
const AT_ONCE = 32
const AT_ONCE_OF_ORGANIZATION = 2
/** Attempts without an answer of keys or the dispatcher: about five hours. */
const MOST_ATTEMPTS = 15

/**
 * Tells people of alerts: writes notices (`compose.ts`), and sends what they cause. Any replica does each piece of work. A message is
 * sent at least once: twice if a process dies after it was taken and before its row is deleted.
 */
export class RuleNotices {
  readonly #options: Options
  readonly #sending = new Map<Promise<void>, number>()
  #job: BackgroundJob | undefined
  #resealMs = -Infinity

  constructor(options: Options) {
    this.#options = options
  }

  start(): void {
    const { log, registry } = this.#options
    this.#job = startBackgroundJob({ name: 'rule-notices', everyMs: EVERY_MS, log, registry }, (stopping) =>
      this.turn(stopping),
    )
  }

  /** Waits for what is on its way. */
  async stop(): Promise<void> {
    await this.#job?.stop()
    await this.idle()
  }

  async idle(): Promise<void> {
    while (this.#sending.size > 0) await Promise.all(this.#sending.keys())
  }

  async turn(stopping?: AbortSignal): Promise<void> {
    const { db, zoneOf, log, now = Date.now } = this.#options
    const nowMs = now()
    for (let left = true; left;) {
      const due = await listDueRules(db, nowMs, RULES_AT_ONCE)
      left = due.length === RULES_AT_ONCE
      for (const rule of due) {
        if (stopping?.aborted) return
        await db
          .transaction()
          .execute((tx) => composeNotice(tx, rule, { nowMs, zoneOf }))
          .catch(async (error: unknown) => {
            log.warn(
              { err: error, org_id: rule.org_id, rule_id: rule.id },
              'a notice could not be written; will retry',
            )
            await postpone(db, rule, nowMs)
          })
      }
    }
    while (!stopping?.aborted && this.#sending.size < AT_ONCE) {
      const claimed = await claimNotice(db, this.#busy())
      if (!claimed) break
      const sent = this.#send(claimed).finally(() => this.#sending.delete(sent))
      this.#sending.set(sent, claimed.org_id)
    }
    if (nowMs < this.#resealMs) return
    this.#resealMs = nowMs + RESEAL_EVERY_MS
    await this.#reseal().catch((error: unknown) => {
      this.#resealMs = nowMs + RESEAL_RETRY_MS
      log.warn({ err: error }, 'addresses of channels could not be encrypted with the newest key; will retry')
    })
  }

  /** Organizations with as much on its way as one may have. */
  #busy(): number[] {
    const counts = new Map<number, number>()
    for (const orgId of this.#sending.values()) counts.set(orgId, (counts.get(orgId) ?? 0) + 1)
    return [...counts].flatMap(([orgId, count]) => (count >= AT_ONCE_OF_ORGANIZATION ? [orgId] : []))
  }

  async #send(row: NoticeRow): Promise<void> {
    const { db, log } = this.#options
    const fields = { org_id: row.org_id, rule_id: row.rule_id, attempts: row.failed_before }
    try {
      const failure = await this.#deliver(row)
      if (failure !== undefined)
        log.warn({ ...fields, failure }, 'a message about alerts could not be delivered')
      await endNotice(db, row, failure !== undefined)
    } catch (error) {
      const isOver = row.failed_before >= MOST_ATTEMPTS
      log.warn(
        { ...fields, err: error },
        isOver ? 'a message about alerts is given up' : 'a message about alerts waits; will retry',
      )
      if (isOver) await endNotice(db, row, true).catch(() => undefined)
    }
  }

  /** Returns why nobody gets it; undefined if somebody does. Rejects if that is not known. */
  async #deliver({ org_id, id, chat, notice, email }: NoticeRow): Promise<string | undefined> {
    const { channels } = this.#options
    if (chat) return (await channels.post(org_id, chat, 3, notice)).error ?? undefined
    if (email.length === 0) return undefined // nobody is to be told any more
    const mails = await channels.mail(org_id, email, id, notice)
    return (
      mails.find(({ mail }) => mail !== 'sent')?.mail ?? (mails.length === 0 ? 'no recipients' : undefined)
    )
  }

  /** Encrypts addresses with the newest key, so that an older one can go. */
  async #reseal(): Promise<void> {
    const { db, channels } = this.#options
    let after = { org_id: 0, id: 0 }
    for (;;) {
      const rules = await listChatRules(db, after, RESEAL_AT_ONCE)
      const last = rules.at(-1)
      if (!last) return
      const sealed = await channels.reseal(
        rules.flatMap(({ org_id, chat }) => chat.map((one) => ({ org_id, sealed: one.sealed }))),
      )
      for (const rule of rules) {
        const own = sealed.splice(0, rule.chat.length)
        const chats = rule.chat.map((one, i): StoredChat => ({ ...one, sealed: own[i] ?? one.sealed }))
        if (own.some((one) => one !== null)) await replaceChats(db, rule, rule.chat, chats)
      }
      after = last
    }
  }
}
