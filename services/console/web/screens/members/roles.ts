export type Role = 'admin' | 'member'

export const ROLES: { value: Role; label: string }[] = [
  { value: 'admin', label: 'Administrator: keys, webhook, members and all below' },
  { value: 'member', label: 'Member: assets, locations, readers, tracking' },
]

export const roleName = (role: string): string => (role === 'admin' ? 'Administrator' : 'Member')
