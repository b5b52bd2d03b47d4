import type { Handlers } from '@whereabouts/service-kit/serve'
import type { Db } from '../db.ts'
import { keyOnly, orgNotFound } from '../errors.ts'
import { findOrg } from './orgs.queries.ts'

export function orgHandlers({ db }: { db: Db }): Pick<Handlers<'keys'>, 'getCurrentOrg'> {
  return {
    async getCurrentOrg({ principal }) {
      if (principal.keyId === undefined) throw keyOnly() // a session has no key to show (D9.8)
      const org = await findOrg(db, principal.orgId)
      if (!org) throw orgNotFound()
      const { id, name } = org
      return { data: { id, name, scopes: [...principal.scopes], api_key_id: principal.keyId } }
    },
  }
}
