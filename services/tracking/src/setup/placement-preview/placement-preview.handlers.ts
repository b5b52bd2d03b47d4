import type { PreviewedAsset } from '@whereabouts/contracts/resources/tracking/placement'
import type { Handlers } from '@whereabouts/service-kit/http/serve'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import { serviceUnavailable } from '@whereabouts/service-kit/errors/errors'
import { orgNotFound, previewTooLong, tooManyPreviews } from '../../errors.ts'
import { withChanges } from '../../positions/rules.ts'
import { preview, type Preview, type PreviewDeps } from './preview.ts'

export type PlacementPreviewDeps = PreviewDeps & { log: Logger; now?: () => number; previewMs?: number }

const HOUR_MS = 3_600_000
/** The gateway waits for longer. */
const LONGEST_MS = 30_000
/** At once, of one organization and of all, in one replica. */
const AT_ONCE = { organization: 2, all: 4 }
const SHOWN = 20

/** What other settings would have done with the reads of the last hours (D18.8). */
export function placementPreviewHandlers(
  deps: PlacementPreviewDeps,
): Pick<Handlers<'tracking'>, 'previewPlacement'> {
  const { directory, log, now = Date.now, previewMs = LONGEST_MS } = deps
  const running: number[] = []
  return {
    async previewPlacement({ principal: { orgId }, params: { org_id }, body: { settings, hours } }) {
      if (org_id !== orgId) throw orgNotFound()
      const ofOrg = running.filter((id) => id === orgId).length
      if (ofOrg >= AT_ONCE.organization || running.length >= AT_ONCE.all) throw tooManyPreviews()
      running.push(orgId)
      const timeout = AbortSignal.timeout(previewMs)
      try {
        const current = directory.rules(orgId)
        const rules = { before: current, after: withChanges(current, settings) }
        const since = new Date(now() - hours * HOUR_MS)
        return { data: toView(await preview(deps, { orgId, since, rules }, timeout), orgId, deps) }
      } catch (error) {
        if (timeout.aborted) throw previewTooLong()
        log.warn({ err: error, org_id: orgId }, 'messages of readers could not be read back')
        throw serviceUnavailable(error)
      } finally {
        running.splice(running.indexOf(orgId), 1)
      }
    },
  }
}

function toView({ fromMs, before, after, byAsset }: Preview, orgId: number, { view }: PreviewDeps) {
  const change = (one: Preview['byAsset'][number]) => Math.abs(one.before - one.after)
  const most_changed = byAsset
    .toSorted((a, b) => change(b) - change(a) || a.assetId - b.assetId)
    .flatMap(({ assetId, before: now, after: then }): PreviewedAsset[] => {
      const asset = view.asset(orgId, assetId)
      if (!asset || asset.deleted) return []
      const { id, key: external_key, name } = asset
      return [{ asset: { id, external_key, name }, now, then }]
    })
    .slice(0, SHOWN)
  return {
    from: fromMs === null ? null : new Date(fromMs).toISOString(),
    movements_now: before,
    movements_then: after,
    most_changed,
  }
}
