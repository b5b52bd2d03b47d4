import { readId } from '@whereabouts/contracts/ids'
import type { FastifyInstance } from 'fastify'
import type { Tenants } from '../db.ts'
import { memberNotFound } from '../errors.ts'
import { findMembership } from './members.queries.ts'
import { toMemberState } from './members.state.ts'

/** The state of a member in the database, for a gateway, like `/internal/keys` for keys. 404: not a member. */
export function serveMemberStates(app: FastifyInstance, tenants: Tenants): void {
  app.get<{ Params: { org: string; user: string } }>(
    '/internal/members/:org/:user',
    { config: { operationId: 'getMemberState' } },
    async (request, reply) => {
      const [org, user] = [readId(request.params.org), readId(request.params.user)]
      const isNamed = 'id' in org && 'id' in user
      const member = isNamed ? await findMembership(tenants.forOrg(org.id), org.id, user.id) : undefined
      if (!member) throw memberNotFound()
      return reply.header('cache-control', 'no-store').send(toMemberState(member))
    },
  )
}
