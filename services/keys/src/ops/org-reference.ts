import type { Db } from '../db.ts'
import { OpsError } from './failures.ts'
import { listOrgs, listOrgsNamed, type OrgSummary } from './ops.queries.ts'
import { printable } from './report.ts'

const SHOWN = 10

/**
 * The id of an organization that is named by id or name. A name must be whole; case does not count. Throws an OpsError with
 * the organizations that may be meant, if there is not exactly one.
 */
export async function findOrgId(db: Db, reference: number | string): Promise<number> {
  if (typeof reference === 'number') return reference
  const named = await listOrgsNamed(db, reference, SHOWN)
  const [org] = named
  if (org && named.length === 1) return org.id
  const name = `"${printable(reference)}"`
  if (org)
    throw new OpsError(
      'conflict',
      `Several organizations have the name ${name}. Give the id:\n${linesOf(named)}`,
      {
        candidates: named,
      },
    )
  const similar = await listOrgs(db, { q: reference, limit: SHOWN, offset: 0 })
  const hint = similar.length > 0 ? ` Similar ones:\n${linesOf(similar)}` : ''
  throw new OpsError('not_found', `There is no organization with the name ${name}.${hint}`, {
    candidates: similar,
  })
}

const linesOf = (orgs: readonly OrgSummary[]) =>
  orgs
    .map(({ id, name, admins }) =>
      `  ${id}  ${printable(name)}  ${admins.map(printable).join(', ')}`.trimEnd(),
    )
    .join('\n')
