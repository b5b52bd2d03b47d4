export type Role = 'admin' | 'member'

export const ROLES: { value: Role; label: string }[] = [
  { value: 'admin', label: 'Administrator: also API keys, webhook, readers and members' },
  { value: 'member', label: 'Member: assets, locations, inventory and imports' },
]

export const roleName = (role: string): string => (role === 'admin' ? 'Administrator' : 'Member')
