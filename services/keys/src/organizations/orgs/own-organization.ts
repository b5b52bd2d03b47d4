import { readId } from '@whereabouts/contracts/rules/ids'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { otherOrganization } from '../../errors.ts'

/**
 * Refuses another organization's id in the path (D9.6) before the rest of the request is checked, as D2 orders.
 * Handlers do not depend on it: they use only the principal's organization. The path's schema refuses a malformed id.
 */
export function refuseOtherOrganizations(app: FastifyInstance): void {
  app.addHook('preParsing', async (request: FastifyRequest) => {
    const { org_id: raw } = (request.params ?? {}) as { org_id?: string }
    if (raw === undefined || !request.principal) return
    const reading = readId(raw)
    if ('id' in reading && reading.id !== request.principal.orgId) throw otherOrganization()
  })
}
