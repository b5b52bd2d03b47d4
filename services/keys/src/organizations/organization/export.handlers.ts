import { audit } from '@whereabouts/db/outbox/audit'
import { Reply, type Handlers } from '@whereabouts/service-kit/http/serve'
import type { Tenants } from '../../db.ts'
import { orgNotFound } from '../../errors.ts'
import { findOrg } from '../orgs/orgs.queries.ts'
import { organizationView } from './organization.views.ts'

type Deps = {
  tenants: Tenants
  /** Called after a commit that put something into the outbox. */
  onChange: () => void
  /** Milliseconds since 1970. */
  now: () => number
}

/**
 * Begins the export of an organization (ADR 129): records it and answers with the organization itself, one line. The gateway
 * makes the archive from it and from what it reads of all services.
 */
export const organizationExportHandlers = ({
  tenants,
  onChange,
  now,
}: Deps): Pick<Handlers<'keys'>, 'exportOrg'> => ({
  async exportOrg({ principal: { orgId }, isHead }) {
    const org = await tenants.transaction(orgId, async (tx) => {
      const found = await findOrg(tx, orgId)
      if (found && !isHead)
        await audit(tx, orgId, { action: 'export.create', subject: { type: 'org', id: orgId } })
      return found
    })
    if (!org) throw orgNotFound()
    onChange()
    const name = `${fileName(org.name)}-${new Date(now()).toISOString().slice(0, 10)}.zip`
    return new Reply(lines(organizationView(org)), {
      'content-disposition': `attachment; filename="${name}"`,
    })
  },
})

async function* lines(view: object): AsyncGenerator<string> {
  yield `${JSON.stringify(view)}\n`
}

/** Letters without accents, digits and hyphens: what every file system and header takes. */
const fileName = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 80) || 'organization'
