import { unwrap } from '@whereabouts/client/client'
import { clientFromNewAddress, type Organization } from '../../system/organization.ts'
import { STACK } from './visitor.fixture.ts'

/** Adds Grace to the organization. */
export async function join(organization: Organization, role: 'admin' | 'member' | 'viewer') {
  const email = `grace-${process.pid}-${Date.now()}@example.com`
  const created = await organization.admin.POST('/api/v1/orgs/{org_id}/invitations', {
    params: { path: { org_id: organization.id } },
    body: { email, role },
  })
  const body = { token: unwrap(created).data.token, name: 'Grace', password: 'a password of hers' }
  const joined = await clientFromNewAddress(STACK).POST('/api/v1/auth/accept-invitation', { body })
  return { email, password: body.password, userId: unwrap(joined).data.user.id }
}
