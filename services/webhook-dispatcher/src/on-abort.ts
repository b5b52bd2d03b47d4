const watched = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * Calls `listener` once when `signal` aborts; the answer takes it back. For signals that live as long as the process and
 * have hundreds of listeners: the signal itself looks through all of them whenever one is added.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  const listeners = watched.get(signal) ?? watch(signal)
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

function watch(signal: AbortSignal): Set<() => void> {
  const listeners = new Set<() => void>()
  watched.set(signal, listeners)
  const abort = () => {
    for (const listener of listeners) {
      listeners.delete(listener)
      listener()
    }
  }
  signal.addEventListener('abort', abort, { once: true })
  return listeners
}
