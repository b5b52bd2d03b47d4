import { unwrap, type Client, type Reply } from './client.ts'

/** Signs a user in. The access token is valid for one hour, the refresh token for one use. Throws `ApiError`. */
export async function signIn(
  client: Client,
  credentials: { email: string; password: string },
): Promise<Reply<'logIn'>['data']> {
  return unwrap(await client.POST('/api/v1/auth/login', { body: credentials })).data
}
