import { useQuery } from '@tanstack/react-query'
import { allPages } from '../../../parts/load/all-pages.ts'
import { api } from '../../../session/api.ts'
import { useSession } from '../../../session/use-session.ts'

/** Of each group. Who is not among them is reached by the links of members and keys. */
const MOST = 1_000

/** People and API keys of the organization, as choices. Those who left are found by what they did. */
export function useActors() {
  const { org } = useSession()
  const path = { org_id: org.id }
  const { data } = useQuery({
    queryKey: ['members', 'actors', org.id],
    queryFn: async ({ signal }) => {
      const [people, keys] = await Promise.all([
        allPages((query) => api.page('/api/v1/orgs/{org_id}/members', { path, query, signal }), MOST),
        allPages((query) => api.page('/api/v1/orgs/{org_id}/api-keys', { path, query, signal }), MOST),
      ])
      return [
        { group: 'People', items: people.rows.map(choiceOf) },
        { group: 'API keys', items: keys.rows.map(choiceOf) },
      ]
    },
  })
  return data ?? []
}

const choiceOf = ({ id, name }: { id: number; name: string }) => ({ value: String(id), label: name })
