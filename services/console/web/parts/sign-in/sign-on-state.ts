import { useQuery } from '@tanstack/react-query'
import { openApi } from '../load/open-api.ts'

/** Whether people sign in with a provider here, and whether that is the only way. */
export const useSignOnState = () =>
  useQuery({
    queryKey: ['sign-on'],
    staleTime: Infinity,
    retry: false, // without an answer, the form for passwords shows
    networkMode: 'always',
    queryFn: () => openApi.get('/api/v1/auth/oidc'),
  })
