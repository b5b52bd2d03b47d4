import type { ServiceControl } from './service-process.ts'

export type StopReason = { text: string; exitCode: number }

// One Ctrl-C reaches us up to three times: from the terminal, from npm and from our own wrapper.
const SAME_SIGNAL_MS = 700

/**
 * Resolves at a signal, when the wrapper of this process is gone, or when a service ends by itself. After that, a
 * second signal ends this process at once, and the guards stop the rest.
 */
export function untilStopped(services: readonly ServiceControl[]): Promise<StopReason> {
  const { promise, resolve } = Promise.withResolvers<StopReason>()
  let firstAt: number | undefined
  const onSignal = (signal: string) => {
    firstAt ??= Date.now()
    if (Date.now() - firstAt > SAME_SIGNAL_MS) process.exit(130)
    process.channel?.unref() // a listener for 'disconnect' keeps the channel to the wrapper open, and so this process
    resolve({ text: signal === 'SIGINT' ? 'Ctrl-C (press it again to stop at once)' : signal, exitCode: 0 })
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, onSignal)
  process.on('disconnect', () => onSignal('the terminal was closed'))
  if ('connected' in process && !process.connected) onSignal('the terminal was closed') // closed during the start
  for (const service of services) void reportEnd(service, resolve)
  return promise
}

async function reportEnd(service: ServiceControl, report: (reason: StopReason) => void): Promise<void> {
  const how = await service.ended()
  report({
    text: `${service.name} ended by itself (${how}). Its last lines:\n${service.logs(10)}`,
    exitCode: 1,
  })
}
