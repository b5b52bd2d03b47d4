import { hasRole, roles, type Role } from '@whereabouts/contracts/principal'

/** Members of the provider's group get the role in the organization. */
export type GroupRole = { group: string; orgId: number; role: Role }

/** Reads `group=org_id:role,…`; undefined if it is not of this form. A group may contain `=` and `:`, but no comma. */
export function groupRoles(text: string): GroupRole[] | undefined {
  const parts = text.split(',').map((part) => part.trim())
  const read = parts.filter((part) => part !== '').map(groupRole)
  return read.every((entry) => entry !== undefined) ? read : undefined
}

function groupRole(text: string): GroupRole | undefined {
  const [, group, orgId = '', roleName] = /^(.+)=([1-9]\d{0,15}):([a-z]+)$/.exec(text) ?? []
  const role = roles.find((known) => known === roleName)
  return group !== undefined && role !== undefined && Number.isSafeInteger(Number(orgId))
    ? { group, orgId: Number(orgId), role }
    : undefined
}

/** The role in each organization, by its id in ascending order: of several groups the highest. */
export function rolesOf(
  groups: readonly string[],
  mapped: readonly GroupRole[],
): [orgId: number, role: Role][] {
  const highest = new Map<number, Role>()
  for (const { group, orgId, role } of mapped)
    if (groups.includes(group) && !hasRole(highest.get(orgId), role)) highest.set(orgId, role)
  return [...highest].toSorted(([a], [b]) => a - b)
}
