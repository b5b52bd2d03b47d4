import type { Principal } from '@whereabouts/contracts/principal'
import type { Access, Scope } from '@whereabouts/contracts/route'
import { AppError } from '@whereabouts/service-kit/errors/app-error'
import { adminOnly, missingScope } from '@whereabouts/service-kit/errors/errors'

const sessionOnly = () => new AppError('forbidden', 'A signed-in user is required')

/** Throws the 403 of D2.6 unless the caller may use an operation with this access. `types`: of the events that it asks for. */
export function checkAccess(access: Access, principal: Principal, types: readonly string[] = []): void {
  switch (access) {
    case 'none':
    case 'any':
    case 'key': // a session was refused earlier, with 401 (D9.8)
      return
    case 'session':
      if (principal.kind !== 'session') throw sessionOnly()
      return
    case 'admin':
      if (principal.kind !== 'session') throw sessionOnly()
      if (principal.role !== 'admin') throw adminOnly()
      return
    case 'session-or-keys-admin':
      if (principal.kind === 'key') checkScope('keys:admin', principal)
      else if (principal.role !== 'admin') throw adminOnly()
      return
    case 'session-or-webhooks-admin':
      if (principal.kind === 'key') checkScope('webhooks:admin', principal)
      else if (principal.role !== 'admin') throw adminOnly()
      return
    default:
      if (principal.kind === 'key') checkScope(scopeOf(access, principal, types), principal)
  }
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

/** Whether a caller may use an operation with this access. */
export function mayUse(access: Access, principal: Principal): boolean {
  try {
    checkAccess(access, principal)
    return true
  } catch {
    return false
  }
}
