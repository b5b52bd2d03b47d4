import { randomInt } from 'node:crypto'
import { type Server, createServer } from 'node:net'

// Below the range for outgoing connections on Linux and macOS: any connection could take a port there before the server
// listens. The package get-port takes its ports from that range.
const FIRST_PORT = 20_000
const LAST_PORT = 32_000

// A port is found some time before its server listens. Each process searches its own slice, by pid, so that two test
// runs do not take the same port.
const SLICE = 60
const SLICES = (LAST_PORT - FIRST_PORT) / SLICE
let tries = 0

function nextCandidate(): number {
  tries += 1
  if (tries % (2 * SLICE) >= SLICE) return randomInt(FIRST_PORT, LAST_PORT) // the slice is full
  return FIRST_PORT + (process.pid % SLICES) * SLICE + (tries % SLICE)
}

/** `count` different ports without a listener. */
export async function freePorts(count: number): Promise<number[]> {
  // Held until all are found, so that all differ.
  const held = await Promise.all(Array.from({ length: count }, holdFreePort))
  await Promise.all(held.map(({ server }) => close(server)))
  return held.map(({ port }) => port)
}

async function holdFreePort(): Promise<{ port: number; server: Server }> {
  const port = nextCandidate()
  const server = await listen(port, '127.0.0.1')
  return server ? { port, server } : holdFreePort()
}

/** `wanted` when it is free on the loopback interface, else another free port. */
export async function freePort(wanted?: number): Promise<number> {
  if (wanted !== undefined && (await isPortFree(wanted))) return wanted
  const { port, server } = await holdFreePort()
  await close(server)
  return port
}

/** Whether a server could listen on this port of this interface now. */
export async function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  const server = await listen(port, host)
  if (server) await close(server)
  return server !== undefined
}

function listen(port: number, host: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(undefined)
      else reject(error)
    })
    server.listen({ port, host, exclusive: true }, () => resolve(server))
  })
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
  })
}
