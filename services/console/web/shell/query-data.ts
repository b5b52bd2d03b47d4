import { replaceEqualDeep } from '@tanstack/react-query'

/**
 * The data of a query, with the parts that did not change kept from before, so that what uses only those is not drawn
 * again. Throws if lists and objects in it form a circle: comparing two such circles takes minutes, and the page hangs at
 * the first refresh. Keep rows in the cache, and build what points back and forth in `useMemo`.
 */
export function shareUnchanged(before: unknown, data: unknown): unknown {
  refuseCircles(data)
  return replaceEqualDeep(before, data)
}

/** Looks at what the comparison enters: lists and plain objects. */
function refuseCircles(data: unknown): void {
  const [around, done] = [new Set<object>(), new Set<object>()]
  const enter = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || done.has(value)) return
    if (!Array.isArray(value) && Object.getPrototypeOf(value) !== Object.prototype) return
    if (around.has(value)) throw new TypeError('the data of a query must not contain itself')
    around.add(value)
    Object.values(value).forEach(enter)
    around.delete(value)
    done.add(value)
  }
  enter(data)
}
