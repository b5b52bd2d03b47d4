import { OrgRetention } from '@whereabouts/contracts/messages/keys-state'
import type { AssetType } from '@whereabouts/contracts/resources/catalog/assets'
import { StateView } from '@whereabouts/messaging/state/state-view'
import { DAY_MS, dayOf, type Day } from '../packed/day-rows.ts'

/**
 * For how many days organizations keep history of assets of a type, from KEYS, where that is less than the installation keeps
 * (D22.2), and the time zone of their days. An organization whose state is unknown keeps all, in UTC.
 */
export class Retentions {
  readonly states = new StateView<{ org: OrgRetention }>(
    {
      org: {
        read: (payload) => OrgRetention.parse(payload),
        onChange: (id, state) => this.#keep(Number(id), state),
      },
    },
    () => {
      this.#days.clear()
      this.#zones.clear()
    },
  )
  readonly #days = new Map<number, Readonly<Record<string, number>>>()
  readonly #zones = new Map<number, string>()

  /** Each organization, and the first day of UTC that it keeps of each of its shorter types. */
  shorter(nowMs: number): { orgId: number; firstDays: [type: string, first: Day][] }[] {
    return Array.from(this.#days, ([orgId, days]) => ({
      orgId,
      firstDays: Object.entries(days).map(([type, n]): [string, Day] => [type, firstDay(nowMs, n)]),
    }))
  }

  /** Whether history of this time would be deleted soon, because its day is older than the organization keeps. */
  isExpired(orgId: number, type: AssetType, ms: number, nowMs: number): boolean {
    const days = this.#days.get(orgId)?.[type]
    return days !== undefined && dayOf(ms) < firstDay(nowMs, days)
  }

  /** The IANA name of its time zone. */
  zoneOf(orgId: number): string {
    return this.#zones.get(orgId) ?? 'UTC'
  }

  #keep(orgId: number, state: OrgRetention | undefined): void {
    if (state?.timezone === undefined) this.#zones.delete(orgId)
    else this.#zones.set(orgId, state.timezone)
    const days = state?.retention_days ?? {}
    if (Object.keys(days).length > 0) this.#days.set(orgId, days)
    else this.#days.delete(orgId)
  }
}

/** Days before it are wholly older than `days` times 24 hours. */
const firstDay = (nowMs: number, days: number): Day => dayOf(nowMs - days * DAY_MS)
