import { useQuery } from '@tanstack/react-query'
import { unwrap } from '@whereabouts/client/client'
import { api } from '../../session/api.ts'

/** The signed-in person, with all their organizations. */
export const useMe = () =>
  useQuery({
    queryKey: ['me'],
    queryFn: async ({ signal }) => unwrap(await api.GET('/api/v1/users/me', { signal })).data,
  })
