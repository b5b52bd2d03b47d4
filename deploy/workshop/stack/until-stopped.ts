// One Ctrl-C reaches us up to three times: from the terminal, from npm and from our own wrapper.
const SAME_SIGNAL_MS = 700

/**
 * Resolves at a signal or when the wrapper of this process is gone, with the reason. After that, a second signal ends
 * this process at once, and the guards stop the rest.
 */
export function untilStopped(): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  let firstAt: number | undefined
  const onSignal = (signal: string) => {
    firstAt ??= Date.now()
    if (Date.now() - firstAt > SAME_SIGNAL_MS) process.exit(130)
    process.channel?.unref() // a listener for 'disconnect' keeps the channel to the wrapper open, and so this process
    resolve(signal === 'SIGINT' ? 'Ctrl-C (press it again to stop at once)' : signal)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, onSignal)
  process.on('disconnect', () => onSignal('the terminal was closed'))
  if ('connected' in process && !process.connected) onSignal('the terminal was closed') // closed during the start
  return promise
}
