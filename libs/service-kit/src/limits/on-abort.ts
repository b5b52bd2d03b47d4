const watched = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * Calls `listener` once when `signal` aborts. Returns a function that removes it. For signals that live as long as the
 * process and have hundreds of listeners: an AbortSignal searches all its listeners whenever one is added.
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
