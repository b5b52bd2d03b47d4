import { setTimeout as wait } from 'node:timers/promises'

/** The inspector of a running Node process. It listens on loopback after `attach`. */
export type Inspected = {
  /** Bytes of the heap in use after a full collection. */
  heapAfterCollection(): Promise<number>
  startProfile(): Promise<void>
  /** The CPU profile since then, as the content of a .cpuprofile. */
  stopProfile(): Promise<unknown>
  close(): void
}

type Reply = { id?: number; result?: Record<string, unknown>; error?: { message: string } }

/** Asks `pid` (started with `--inspect-port=<port>`) to open its inspector, and connects to it. */
export async function attach(pid: number, port: number): Promise<Inspected> {
  process.kill(pid, 'SIGUSR1')
  const socket = new WebSocket(await addressOf(port))
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve())
    socket.addEventListener('error', () => reject(new Error('the inspector refuses the connection')))
  })
  const call = caller(socket)
  await call('HeapProfiler.enable')
  await call('Profiler.enable')
  return {
    async heapAfterCollection() {
      await call('HeapProfiler.collectGarbage')
      return Number((await call('Runtime.getHeapUsage'))['usedSize'])
    },
    async startProfile() {
      await call('Profiler.setSamplingInterval', { interval: 500 })
      await call('Profiler.start')
    },
    stopProfile: async () => (await call('Profiler.stop'))['profile'],
    close: () => socket.close(),
  }
}

async function addressOf(port: number): Promise<string> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const response = await fetch(`http://127.0.0.1:${port}/json/list`).catch(() => undefined)
    if (response?.ok) {
      const [target] = (await response.json()) as { webSocketDebuggerUrl: string }[]
      if (target) return target.webSocketDebuggerUrl
    }
    await wait(50)
  }
  throw new Error(`no inspector on port ${port}`)
}

function caller(socket: WebSocket) {
  const waiting = new Map<number, PromiseWithResolvers<Record<string, unknown>>>()
  let calls = 0
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error } = JSON.parse(String(data)) as Reply
    const call = waiting.get(id ?? 0)
    waiting.delete(id ?? 0)
    if (error) call?.reject(new Error(error.message))
    else call?.resolve(result ?? {})
  })
  return (method: string, params = {}): Promise<Record<string, unknown>> => {
    const call = Promise.withResolvers<Record<string, unknown>>()
    calls += 1
    waiting.set(calls, call)
    socket.send(JSON.stringify({ id: calls, method, params }))
    return call.promise
  }
}
