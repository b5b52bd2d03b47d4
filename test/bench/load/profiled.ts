import { writeFileSync } from 'node:fs'
import type { ServiceControl } from '@whereabouts/deploy/workshop/stack/service-process'
import { attach } from './inspector.ts'

/** For the environment of a service: the address of an inspector, which listens only on request. */
export const inspectable = (port: number) => ({ NODE_OPTIONS: `--inspect-port=127.0.0.1:${port}` })

/** Runs `work`; with a file, writes a CPU profile of the service to it. */
export async function profiled<T>(
  service: ServiceControl,
  { file, port }: { file: string | undefined; port: number },
  work: () => Promise<T>,
): Promise<T> {
  if (file === undefined) return work()
  const inspected = await attach(service.pid ?? 0, port)
  try {
    await inspected.startProfile()
    const result = await work()
    writeFileSync(file, JSON.stringify(await inspected.stopProfile()))
    return result
  } finally {
    inspected.close()
  }
}
