import { audit, changesOf } from '@whereabouts/db/outbox/audit'
import { limits } from '@whereabouts/contracts/limits'
import { Reply, type Handlers } from '@whereabouts/service-kit/http/serve'
import { issueKey } from '../api-keys/issue-key.ts'
import type { Attempts } from '../../attempts/attempts.ts'
import type { Db, Tenants } from '../../db.ts'
import { linkUnusable, tooManyLinks } from '../../errors.ts'
import { lockMembersAsAdmin } from '../../organizations/members/acting-member.ts'
import { lockOrg } from '../../organizations/orgs/orgs.queries.ts'
import { hashSecret, NO_STORE, randomToken } from '../secrets.ts'
import { countOpenLinks, findLinkOrg, insertLink, takeLink } from './provisioning.queries.ts'

type ProvisioningDeps = {
  tenants: Tenants
  /** Sees all organizations, because a token does not name one. */
  db: Db
  attempts: Attempts
  /** Called after a commit that put something into the outbox. */
  onChange: () => void
}

/**
 * A link that shows the settings of a reader once. Its API key is created when the link is used, so that no secret waits
 * anywhere (D16.1).
 */
export function provisioningHandlers({
  tenants,
  db,
  attempts,
  onChange,
}: ProvisioningDeps): Pick<Handlers<'keys'>, 'createProvisioningLink' | 'provisionReader'> {
  return {
    async createProvisioningLink({ principal, body }) {
      const token = randomToken()
      const link = await tenants.transaction(principal.orgId, async (tx) => {
        const { orgId, userId } = await lockMembersAsAdmin(tx, principal)
        const most = limits.provisioningLinks.organization
        if ((await countOpenLinks(tx, orgId)) >= most) throw tooManyLinks(most)
        const made = await insertLink(tx, orgId, {
          ...body,
          token_hash: hashSecret(token),
          created_by: userId,
        })
        const subject = { type: 'provisioning_link', id: made.id }
        const changes = changesOf(undefined, body)
        await audit(tx, orgId, { action: 'provisioning_link.create', subject, changes })
        return made
      })
      return new Reply({ data: { id: link.id, token, expires_at: link.expires_at } }, NO_STORE)
    },

    async provisionReader({ body: { token }, clientAddress }) {
      await attempts.admit(clientAddress)
      const tokenHash = hashSecret(token)
      const orgId = await findLinkOrg(db, tokenHash)
      if (orgId === undefined) throw linkUnusable()
      const settings = await tenants.transaction(orgId, async (tx) => {
        const org = await lockOrg(tx, orgId)
        const link = await takeLink(tx, orgId, tokenHash)
        if (!org || !link) throw linkUnusable()
        const { reader_key, format } = link
        // A limit that is reached rolls the transaction back: the link works later.
        const { key, secret } = await issueKey(tx, org, {
          name: `${reader_key} (provisioned)`,
          scopes: ['scans:write'],
          reader_key,
          expires_at: null,
          created_by: link.created_by,
          created_by_key_id: null,
        })
        return { org_id: orgId, reader_key, format, client_id: key.jti, client_secret: secret }
      })
      onChange()
      return new Reply({ data: settings }, NO_STORE)
    },
  }
}
