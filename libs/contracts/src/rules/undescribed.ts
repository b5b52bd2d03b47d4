/** Marks a field of a request that is known but always refused. The description omits it. */
export const UNDESCRIBED = 'x-undescribed'
