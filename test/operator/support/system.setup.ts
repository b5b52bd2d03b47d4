import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { ServiceName } from '@whereabouts/deploy/installation/services'
import type { TestProject } from 'vitest/node'
import type { StackPlace } from '../../system/replicas.ts'
import { startSystem, type System } from '../../system/system.ts'

declare module 'vitest' {
  interface ProvidedContext {
    place: StackPlace
    /** Where webhooks can be sent. */
    receiver: string
    /** Answers `/<service>/stop`, `/<service>/restart` and `/received`. */
    control: string
  }
}

/** One system for all operator files, which run one after the other: some stop services, or count what happened. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const system = await startSystem()
  const { urls, secrets, dataDir } = system.stack
  const control = createServer((request, response) => {
    void reply(system, request.url ?? '').then(
      (body) => response.end(JSON.stringify(body)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  await once(control.listen(0, '127.0.0.1'), 'listening')
  const { port } = control.address() as AddressInfo
  project.provide('place', { urls, secrets, dataDir })
  project.provide('receiver', system.receiver.url)
  project.provide('control', `http://127.0.0.1:${port}`)
  return async () => {
    control.close()
    await system.stop()
  }
}

async function reply({ stack, receiver }: System, path: string): Promise<unknown> {
  const [, name, action] = path.split('/')
  if (name === 'received')
    return receiver.received.map((each) => ({ path: each.path, body: each.body.toString() }))
  const service = stack.service(name as ServiceName)
  await service.stop()
  if (action === 'restart') {
    service.start()
    await service.waitReady()
  }
  return null
}
