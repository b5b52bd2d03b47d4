import { readId } from '@whereabouts/contracts/ids'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { otherOrganization } from '../errors.ts'

/**
 * Refuses another organization's id in the path (D9.6) before the rest of the request is looked at, which is where D2
 * puts a 403. Handlers do not depend on it: whatever the path says, they touch the principal's organization only.
 * An id that is no id is left to the path's schema.
 */
export function refuseOtherOrganizations(app: FastifyInstance): void {
  app.addHook('preParsing', async (request: FastifyRequest) => {
    const { org_id: raw } = (request.params ?? {}) as { org_id?: string }
    if (raw === undefined || !request.principal) return
    const reading = readId(raw)
    if ('id' in reading && reading.id !== request.principal.orgId) throw otherOrganization()
  })
}
