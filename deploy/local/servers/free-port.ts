import { randomInt } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync, readlinkSync } from 'node:fs'
import { type Server, createServer } from 'node:net'
import { processCommand } from './process-record.ts'

// Below the range from which Linux and macOS take ports for outgoing connections: a port found free now would otherwise
// be taken by any connection that is opened before the server listens.
const FIRST_PORT = 20_000
const LAST_PORT = 32_000

// A port is found free some time before its server listens. Processes that look at the same time have different pids, so
// each begins in a slice of its own and never hands out a port twice in a row.
const SLICE = 60
const SLICES = (LAST_PORT - FIRST_PORT) / SLICE
let tries = 0

function nextCandidate(): number {
  tries += 1
  if (tries % (2 * SLICE) >= SLICE) return randomInt(FIRST_PORT, LAST_PORT) // the slice is full, or another's
  return FIRST_PORT + (process.pid % SLICES) * SLICE + (tries % SLICE)
}

/** `count` different ports on which nobody listens. */
export async function freePorts(count: number): Promise<number[]> {
  // Held until all are found, so that no port comes twice.
  const held = await Promise.all(Array.from({ length: count }, holdFreePort))
  await Promise.all(held.map(({ server }) => close(server)))
  return held.map(({ port }) => port)
}

async function holdFreePort(): Promise<{ port: number; server: Server }> {
  const port = nextCandidate()
  const server = await listen(port, '127.0.0.1')
  return server ? { port, server } : holdFreePort()
}

/** `wanted` when it is free on the loopback interface, otherwise some other free port. */
export async function freePort(wanted?: number): Promise<number> {
  if (wanted !== undefined && (await isPortFree(wanted))) return wanted
  const [port] = await freePorts(1)
  return port!
}

/** Whether a server could listen on this port of this interface now. */
export async function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  const server = await listen(port, host)
  if (server) await close(server)
  return server !== undefined
}

/** The command that listens on a TCP port and its pid, or undefined where the system does not tell (another user's). */
export function portHolder(port: number): { pid: number; command: string } | undefined {
  const pid = process.platform === 'linux' ? linuxPortHolder(port) : lsofPortHolder(port)
  const command = pid === undefined ? undefined : processCommand(pid)
  return pid === undefined || command === undefined ? undefined : { pid, command: command.slice(0, 120) }
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

/** Looks the socket up in the kernel's table and then for the process that has it open. */
function linuxPortHolder(port: number): number | undefined {
  const inode = listeningInode(port)
  if (inode === undefined) return undefined
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    if (holdsSocket(pid, inode)) return Number(pid)
  }
  return undefined
}

function listeningInode(port: number): string | undefined {
  const hex = port.toString(16).toUpperCase().padStart(4, '0')
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const rows = readLines(table).map((line) => line.trim().split(/\s+/))
    const row = rows.find((fields) => fields[1]?.endsWith(`:${hex}`) && fields[3] === '0A') // 0A: listening
    if (row) return row[9]
  }
  return undefined
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n')
  } catch {
    return [] // no IPv6
  }
}

function holdsSocket(pid: string, inode: string): boolean {
  try {
    const open = readdirSync(`/proc/${pid}/fd`)
    return open.some((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`) === `socket:[${inode}]`)
  } catch {
    return false // another user's process, or one that has just ended
  }
}

function lsofPortHolder(port: number): number | undefined {
  try {
    const listed = execFileSync('lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-t'], { encoding: 'utf8' })
    return Number(listed.split('\n')[0]) || undefined
  } catch {
    return undefined // lsof is missing or found nobody
  }
}
