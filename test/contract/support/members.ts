import type { Role } from '@whereabouts/contracts/principal'
import { randomUUID } from 'node:crypto'
import type { Api } from './api.ts'
import { succeed, type Organization } from './organization.ts'

/** Invites somebody new, who joins. Returns their session. */
export async function newMember(api: Api, { id, admin }: Pick<Organization, 'id' | 'admin'>, role: Role) {
  const invited = { email: `bob-${randomUUID()}@example.com`, role }
  const inviting = api.call('createInvitation', { params: { org_id: id }, token: admin, body: invited })
  const { token } = (await succeed(inviting)).body.data
  const body = { token, name: 'Bob', password: 'correct horse battery' }
  return (await succeed(api.call('acceptInvitation', { body }))).body.data
}
