import type { InvitationView } from '@whereabouts/contracts/resources/keys/members'
import { Reply, type Handlers } from '@whereabouts/service-kit/http/serve'
import type { Tenants } from '../../db.ts'
import type { Attempts } from '../../attempts/attempts.ts'
import { alreadyMember, invitationNotFound, tooManyAttempts } from '../../errors.ts'
import { lockMembersAsAdmin, userOf } from '../../organizations/members/acting-member.ts'
import { isMemberByEmail } from '../../organizations/members/members.queries.ts'
import { hashSecret, NO_STORE, randomToken } from '../../credentials/secrets.ts'
import { findMember } from '../../organizations/members/find-members.queries.ts'
import { auditInvitation } from './invitation-audit.ts'
import type { Mails } from '../mail/mails.ts'
import {
  countInvitations,
  listInvitations,
  putInvitation,
  takeInvitation,
  type ListedInvitation,
} from './invitations.queries.ts'

type InvitationOperation = 'listInvitations' | 'createInvitation' | 'revokeInvitation'

type InvitationDeps = {
  tenants: Tenants
  mails: Mails
  attempts: Pick<Attempts, 'mayMail'>
  onChange: () => void
}

/** For administrators. For guests: acceptance.ts. */
export function invitationHandlers({
  tenants,
  mails,
  attempts,
  onChange,
}: InvitationDeps): Pick<Handlers<'keys'>, InvitationOperation> {
  /** Anybody can sign up and invite, so an address that nobody has proved sends no mail. */
  async function mailOf(orgId: number, userId: number, to: string) {
    if (!mails.isConfigured) return { outcome: 'not configured' as const }
    const host = await findMember(tenants.forOrg(orgId), orgId, userId)
    if (!host?.email_verified) return { outcome: 'address not verified' as const }
    if (!(await attempts.mayMail('invitation', to))) throw tooManyAttempts(1200)
    return { outcome: 'sent' as const, id: mails.newId() }
  }

  return {
    async listInvitations({ principal: { orgId }, query }) {
      const own = tenants.forOrg(orgId)
      const [rows, total_count] = await Promise.all([
        listInvitations(own, orgId, query),
        countInvitations(own, orgId),
      ])
      return { data: rows.map(toView), limit: query.limit, offset: query.offset, total_count }
    },

    async createInvitation({ principal, body }) {
      const token = randomToken()
      const mail = await mailOf(principal.orgId, userOf(principal), body.email)
      const invitation = await tenants.transaction(principal.orgId, async (tx) => {
        const { orgId, userId } = await lockMembersAsAdmin(tx, principal)
        if (await isMemberByEmail(tx, orgId, body.email)) throw alreadyMember()
        const row = await putInvitation(tx, orgId, {
          ...body,
          tokenHash: hashSecret(token),
          createdBy: userId,
          mail:
            mail.id === undefined
              ? undefined
              : { id: mail.id, tokenHash: hashSecret(mails.tokenOf(mail.id)) },
        })
        const host = await findMember(tx, orgId, userId)
        const [org, invited_by] = [host?.org_name ?? '', host?.name ?? '']
        if (mail.id !== undefined)
          await mails.write(tx, {
            id: mail.id,
            template: 'invitation',
            to: body.email,
            values: { org, invited_by },
          })
        await auditInvitation(tx, 'create', row)
        return { ...row, created_by_name: invited_by }
      })
      if (mail.id !== undefined) onChange()
      return new Reply({ data: { ...toView(invitation), token, mail: mail.outcome } }, NO_STORE)
    },

    async revokeInvitation({ principal, params }) {
      await tenants.transaction(principal.orgId, async (tx) => {
        const { orgId } = await lockMembersAsAdmin(tx, principal)
        const taken = await takeInvitation(tx, orgId, params.invitation_id)
        if (!taken) throw invitationNotFound()
        await auditInvitation(tx, 'delete', taken)
      })
      return undefined
    },
  }
}

const toView = ({ id, email, role, created_at, expires_at, ...by }: ListedInvitation): InvitationView => ({
  id,
  email,
  role,
  created_at,
  created_by: by.created_by,
  created_by_name: by.created_by_name,
  expires_at,
  mail_failed: by.mail_failed_at !== null,
})
