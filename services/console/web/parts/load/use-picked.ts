import { useQuery } from '@tanstack/react-query'
import { api } from '../../session/api.ts'

/** The asset or location that the address names. */
export const usePicked = (of: 'assets' | 'locations', id: string) =>
  useQuery({
    queryKey: [of, 'picked', id],
    enabled: id !== '',
    queryFn: async ({ signal }) => {
      const asked = { query: { id: [Number(id)], limit: 1 }, signal }
      const found = of === 'assets' ? api.get('/api/v1/assets', asked) : api.get('/api/v1/locations', asked)
      return (await found)[0] ?? null
    },
  }).data ?? null
