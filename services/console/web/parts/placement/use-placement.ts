import { useQuery } from '@tanstack/react-query'
import { type components, unwrap } from '@whereabouts/client/client'
import { api } from '../../session/api.ts'
import { useSession } from '../../session/use-session.ts'

export type Placement = components['schemas']['PlacementSettings']
export type PlacementChange = components['schemas']['PlacementUpdate']

/** How the organization wants positions to be decided. */
export function usePlacement() {
  const { org } = useSession()
  return useQuery({
    queryKey: ['placement', org.id],
    queryFn: async ({ signal }): Promise<Placement> => {
      const params = { path: { org_id: org.id } }
      return unwrap(await api.GET('/api/v1/orgs/{org_id}/placement', { params, signal })).data
    },
  })
}

/** Changes the settings that are given; the others stay. */
export async function savePlacement(orgId: number, body: PlacementChange): Promise<Placement> {
  const params = { path: { org_id: orgId } }
  return unwrap(await api.PATCH('/api/v1/orgs/{org_id}/placement', { params, body })).data
}
