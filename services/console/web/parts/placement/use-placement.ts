import type { components } from '@whereabouts/client/client'
import { api } from '../../session/api.ts'
import { useRead } from '../load/use-read.ts'
import { useSession } from '../../session/use-session.ts'

export type Placement = components['schemas']['PlacementSettings']
export type PlacementChange = components['schemas']['PlacementUpdate']

/** How the organization wants positions to be decided. */
export function usePlacement() {
  const { org } = useSession()
  return useRead(['placement', org.id], '/api/v1/orgs/{org_id}/placement', { path: { org_id: org.id } })
}

/** Changes the settings that are given; the others stay. */
export const savePlacement = (orgId: number, body: PlacementChange): Promise<Placement> =>
  api.patch('/api/v1/orgs/{org_id}/placement', { path: { org_id: orgId }, body })
