import { audit, changesOf } from '@whereabouts/db/outbox/audit'
import type { PlacementSettings } from '@whereabouts/contracts/resources/tracking/placement'
import type { Principal } from '@whereabouts/contracts/principal'
import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import type { Handlers } from '@whereabouts/service-kit/http/serve'
import type { Tables } from '../../db.ts'
import { orgNotFound } from '../../errors.ts'
import { listPlacementRules } from '../../positions/rules.queries.ts'
import { DEFAULT_RULES, type PlacementRules } from '../../positions/rules.ts'
import { carryNothing, carryWaiting } from '../../positions/waiting.queries.ts'
import type { ReaderDirectory } from '../../readers/reader-directory.ts'
import { notifyReadersChanged } from '../../readers/readers.queries.ts'
import { updateRules } from './placement-settings.queries.ts'

export type PlacementSettingsDeps = {
  db: TenantDatabase<Tables>
  directory: ReaderDirectory
  now?: () => number
}

/** How an organization wants positions to be decided (D18.7). */
export const placementSettingsHandlers = ({
  db,
  directory,
  now = Date.now,
}: PlacementSettingsDeps): Pick<Handlers<'tracking'>, 'getPlacement' | 'updatePlacement'> => ({
  async getPlacement({ principal, params }) {
    const orgId = ownOrganization(principal, params.org_id)
    const rules = await listPlacementRules(db.forOrg(orgId), orgId)
    return { data: toSettings(rules.get(orgId) ?? DEFAULT_RULES) }
  },

  async updatePlacement({ principal, params, body }) {
    const orgId = ownOrganization(principal, params.org_id)
    const saved = await db.transaction(orgId, async (tx) => {
      const before = (await listPlacementRules(tx, orgId)).get(orgId) ?? DEFAULT_RULES
      const rules = await updateRules(tx, orgId, body)
      const changes = changesOf(toSettings(before), toSettings(rules))
      await audit(tx, orgId, {
        action: 'placement.update',
        subject: { type: 'placement', id: null },
        changes,
      })
      if (rules.passages === 'carry') await carryWaiting(tx, now(), orgId)
      else await carryNothing(tx, orgId)
      return { rules, change: await notifyReadersChanged(tx, orgId) }
    })
    await directory.reload(orgId, saved.change)
    return { data: toSettings(saved.rules) }
  },
})

/** Another organization is as unknown as one that does not exist. */
function ownOrganization({ orgId }: Principal, named: number): number {
  if (named !== orgId) throw orgNotFound()
  return orgId
}

const toSettings = (rules: PlacementRules): PlacementSettings => ({
  passages: rules.passages,
  tag_types: [...rules.tagTypes],
  margin_db: rules.marginDb,
  exit_delay_seconds: rules.exitDelaySeconds,
  min_rssi_dbm: rules.minRssiDbm,
})
