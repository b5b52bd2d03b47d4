import type { ServiceControl } from './service-process.ts'

export type StopReason = { text: string; exitCode: number }

// One Ctrl-C reaches us up to three times: from the terminal, from npm and from our own wrapper.
const SAME_SIGNAL_MS = 700

/**
 * Resolves when somebody asks us to stop (a signal, or the wrapper that started us is gone) or when a service ends by
 * itself. From then on, a second signal ends this process at once, and the guards the rest.
 */
export function untilStopped(services: readonly ServiceControl[]): Promise<StopReason> {
  const { promise, resolve } = Promise.withResolvers<StopReason>()
  let firstAt: number | undefined
  const onSignal = (signal: string) => {
    firstAt ??= Date.now()
    if (Date.now() - firstAt > SAME_SIGNAL_MS) process.exit(130)
    resolve({ text: signal === 'SIGINT' ? 'Ctrl-C (once more to stop at once)' : signal, exitCode: 0 })
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, onSignal)
  process.on('disconnect', () => onSignal('the terminal is gone'))
  if ('connected' in process && !process.connected) onSignal('the terminal is gone') // it went while we started
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
