import { hasRole, type Principal, type Role } from '@whereabouts/contracts/principal'
import { leastRole, type Access, type Route, type Scope } from '@whereabouts/contracts/route'
import { AppError } from '@whereabouts/service-kit/errors/app-error'
import { missingScope, roleRequired } from '@whereabouts/service-kit/errors/errors'

const sessionOnly = () => new AppError('forbidden', 'A signed-in user is required')

type Guarded = Pick<Route, 'access' | 'method' | 'role'>

/** Throws the 403 of D2.6 unless the caller may use the operation. `types`: of the events that it asks for. */
export function checkAccess(row: Guarded, principal: Principal, types: readonly string[] = []): void {
  if (row.access === 'none') return
  if (principal.kind === 'key') checkKey(row.access, principal, types)
  else checkRole(leastRole(row), principal) // a session for `key` was refused earlier, with 401 (D9.8)
}

function checkKey(access: Exclude<Access, 'none'>, principal: Principal, types: readonly string[]): void {
  if (access === 'session') throw sessionOnly()
  if (access !== 'any' && access !== 'key') checkScope(scopeOf(access, principal, types), principal)
}

function checkRole(least: Role, { role }: Principal): void {
  if (!hasRole(role, least)) throw roleRequired(least)
}

/** Who may read where things are may also follow that alone (D13.2). */
function scopeOf(access: Scope, { scopes }: Principal, types: readonly string[]): Scope {
  const onlyMoves = types.length > 0 && types.every((type) => type === 'asset.moved')
  return access === 'events:read' && onlyMoves && !scopes.includes(access) ? 'scans:read' : access
}

function checkScope(scope: string, { scopes }: Principal): void {
  if (scopes.includes(scope)) return
  if (scope === 'scans:read' && scopes.includes('tracking:read')) return // one scope under two names (D8.4)
  throw missingScope(scope)
}

/** Whether a caller may use the operation. */
export function mayUse(row: Guarded, principal: Principal): boolean {
  try {
    checkAccess(row, principal)
    return true
  } catch {
    return false
  }
}
