const NAME = 'whereabouts-session'

/**
 * One tab at a time renews the session, because a refresh token can be used only once: without turns, eight tabs that
 * loaded together ended the session, and three of them never showed their list. Browsers have locks only over HTTPS
 * and on localhost.
 */
export function oneTabAtATime<T>(work: () => Promise<T>): Promise<T> {
  return isSecureContext ? navigator.locks.request(NAME, work) : inTransaction(work)
}

/**
 * Over plain HTTP, browsers still run the writing transactions of all tabs one by one, and end those of a closed tab.
 * A transaction without requests ends, so it has one until the work is done.
 */
async function inTransaction<T>(work: () => Promise<T>): Promise<T> {
  const database = await openDatabase().catch(() => undefined)
  if (!database) return work() // the person has blocked storage
  const store = database.transaction(NAME, 'readwrite').objectStore(NAME)
  let isDone = false
  const hold = () => {
    if (!isDone) store.count().addEventListener('success', hold)
  }
  await new Promise((resolve) => store.count().addEventListener('success', resolve))
  hold()
  try {
    return await work()
  } finally {
    isDone = true
    database.close()
  }
}

function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(NAME)
    opening.addEventListener('upgradeneeded', () => opening.result.createObjectStore(NAME))
    opening.addEventListener('success', () => resolve(opening.result))
    opening.addEventListener('error', () => reject(opening.error ?? new Error('no database')))
  })
}
