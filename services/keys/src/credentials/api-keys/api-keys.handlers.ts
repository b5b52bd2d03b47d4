import { ApiKeyView } from '@whereabouts/contracts/resources/keys/api-keys'
import { pick } from '@whereabouts/contracts/rules/fields'
import { epochMs } from '@whereabouts/contracts/rules/instant'
import type { Principal } from '@whereabouts/contracts/principal'
import { roleRequired } from '@whereabouts/service-kit/errors/errors'
import { Reply, type Handlers } from '@whereabouts/service-kit/http/serve'
import type { ApiKeyRow, Tenants, Tx } from '../../db.ts'
import {
  apiKeyNotFound,
  boundToMoreThanScans,
  expiresInThePast,
  keyRevoked,
  orgNotFound,
} from '../../errors.ts'
import { userOf } from '../../organizations/members/acting-member.ts'
import { NO_STORE } from '../secrets.ts'
import { lockMember } from '../../organizations/members/find-members.queries.ts'
import { lockOrg } from '../../organizations/orgs/orgs.queries.ts'
import { countKeys, listKeys, lockKey, lockUsableKey } from './api-keys.queries.ts'
import { issueKey } from './issue-key.ts'
import { revokeLockedKey, revokeWithDescendants } from './revocation.ts'

export type ApiKeyDeps = {
  tenants: Tenants
  now: () => number
  /** Called after a commit that put something into the outbox. */
  onChange: () => void
}

type ApiKeyOperation = 'listApiKeys' | 'createApiKey' | 'revokeApiKey'

/** The gateway decides who may call (access of the row). Here each query is limited to the caller's organization. */
export function apiKeyHandlers({
  tenants,
  now,
  onChange,
}: ApiKeyDeps): Pick<Handlers<'keys'>, ApiKeyOperation> {
  return {
    async listApiKeys({ principal: { orgId }, query }) {
      const own = tenants.forOrg(orgId)
      const [rows, total_count] = await Promise.all([listKeys(own, orgId, query), countKeys(own, orgId)])
      return { data: rows.map(toView), limit: query.limit, offset: query.offset, total_count }
    },

    async createApiKey({ principal, body }) {
      const expiresAt = body.expires_at ?? null
      if (expiresAt !== null && epochMs(expiresAt) <= now()) throw expiresInThePast()
      const readerKey = body.reader_key ?? null
      const scopes = [...new Set(body.scopes)]
      if (readerKey !== null && scopes.join() !== 'scans:write') throw boundToMoreThanScans()
      const { key, secret } = await tenants.transaction(principal.orgId, async (tx) => {
        const org = await lockOrg(tx, principal.orgId)
        const createdBy = await creator(tx, principal)
        if (!org) throw orgNotFound()
        return issueKey(tx, org, {
          name: body.name,
          scopes,
          reader_key: readerKey,
          expires_at: expiresAt,
          ...createdBy,
        })
      })
      onChange()
      return new Reply({ data: { ...toCreated(key), client_secret: secret } }, NO_STORE)
    },

    async revokeApiKey({ principal: { orgId }, params, query }) {
      await tenants.transaction(orgId, async (tx) => {
        if (query.descendants === true) {
          if (!(await revokeWithDescendants(tx, orgId, params.key_id))) throw apiKeyNotFound()
          return
        }
        const key = await lockKey(tx, orgId, params.key_id)
        if (!key) throw apiKeyNotFound()
        await revokeLockedKey(tx, key)
      })
      onChange()
      return undefined
    },
  }
}

/** The creator to record. Throws if it has lost the right to create keys since the gateway checked. */
async function creator(tx: Tx, principal: Principal) {
  if (principal.keyId === undefined) {
    const member = await lockMember(tx, principal.orgId, userOf(principal))
    if (member?.role !== 'admin') throw roleRequired('admin')
    return { created_by: member.id, created_by_key_id: null }
  }
  const key = await lockUsableKey(tx, principal.orgId, principal.keyId)
  if (!key) throw keyRevoked()
  return { created_by: null, created_by_key_id: key.id }
}

const toCreated = (key: ApiKeyRow) => ({
  ...pick(key, ['id', 'jti']),
  client_id: key.jti,
  ...pick(key, ['name', 'scopes', 'reader_key', 'created_at', 'expires_at']),
})

const viewNames = ApiKeyView.keyof().options
const toView = (key: ApiKeyRow): ApiKeyView => pick(key, viewNames)
