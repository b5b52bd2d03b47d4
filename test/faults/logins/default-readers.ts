import { execFile, spawn } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import mqtt from 'mqtt'
import { connect } from 'nats'
import type { ApiKey } from '../../system/organization.ts'

/** A reader that sets no option of its library but address, user and password. */
export type DefaultReader = {
  /** Resolves when the broker has acknowledged the message, after any number of attempts. Rejects if the reader ended. */
  store(subject: string, body: string): Promise<void>
  close(): Promise<void>
}
export type Library = (urls: { nats: string; mqtt: string }, key: ApiKey) => Promise<DefaultReader>

const PROGRAMS = join(import.meta.dirname, 'programs')
const PIP = ['-m', 'pip', '--quiet', '--disable-pip-version-check', 'install', '--retries=1', '--timeout=10']
const NATS_GO = 'github.com/nats-io/nats.go@v1.55.0'
const run = promisify(execFile)

export const natsJs: Library = async (urls, { clientId, clientSecret }) => {
  const nc = await connect({ servers: urls.nats, user: clientId, pass: clientSecret })
  return {
    async store(subject, body) {
      const isStored = () =>
        nc
          .jetstream()
          .publish(subject, body)
          .then(
            () => true,
            () => false,
          )
      while (!(await isStored())) {
        if (nc.isClosed()) throw new Error('the reader has ended')
        await delay(200)
      }
    },
    close: () => nc.close(),
  }
}

export const mqttJs: Library = async (urls, { clientId, clientSecret }) => {
  // The broker speaks MQTT 3.1.1 only, which is not the default of every release of the library.
  const client = await mqtt.connectAsync(urls.mqtt, {
    protocolVersion: 4,
    username: clientId,
    password: clientSecret,
  })
  const ended = new Promise<never>((_, reject) =>
    client.once('error', (error) => reject(new Error(`the reader has ended: ${error.message}`))),
  )
  ended.catch(() => undefined)
  return {
    async store(subject, body) {
      await Promise.race([client.publishAsync(subject.replaceAll('.', '/'), body, { qos: 1 }), ended])
    },
    close: () => client.endAsync(true),
  }
}

/** Undefined where the package cannot be had, with the reason on standard error. */
export async function pythonReaders(folder: string): Promise<{ natsPy: Library; paho: Library } | undefined> {
  const python = join(folder, 'venv/bin/python')
  const isInstalled = await attempt('Python clients', async () => {
    await run('python3', ['-m', 'venv', join(folder, 'venv')])
    await run(python, [...PIP, 'nats-py', 'paho-mqtt'], { timeout: 60_000 })
  })
  if (!isInstalled) return undefined
  return {
    natsPy: (urls, key) => startProgram(python, [join(PROGRAMS, 'nats_reader.py'), urls.nats], key),
    paho: (urls, key) => startProgram(python, [join(PROGRAMS, 'mqtt_reader.py'), urls.mqtt], key),
  }
}

/** Like `pythonReaders`. */
export async function goReader(folder: string): Promise<Library | undefined> {
  const cwd = join(folder, 'go')
  const isBuilt = await attempt('Go client', async () => {
    mkdirSync(cwd)
    cpSync(join(PROGRAMS, 'main.go'), join(cwd, 'main.go'))
    writeFileSync(join(cwd, 'go.mod'), 'module reader\n\ngo 1.24\n')
    await run('go', ['get', NATS_GO], { cwd, timeout: 60_000 })
    await run('go', ['build', '-o', 'reader', '.'], { cwd, timeout: 120_000 })
  })
  return isBuilt ? (urls, key) => startProgram(join(cwd, 'reader'), [urls.nats], key) : undefined
}

async function attempt(what: string, work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    const reason = (error as { stderr?: string }).stderr || String(error)
    process.stderr.write(`The ${what} cannot be tested here: ${reason.trim().split('\n').at(-1)}\n`)
    return false
  }
}

async function startProgram(command: string, args: readonly string[], key: ApiKey): Promise<DefaultReader> {
  const child = spawn(command, [...args, key.clientId, key.clientSecret], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let errors = '' // the libraries report each attempt that fails
  child.stderr.on('data', (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(-1_000)))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const until = async (wanted: string) => {
    for (;;) {
      const { value, done } = await lines.next()
      if (value === wanted) return
      if (done === true || value?.startsWith('closed'))
        throw new Error(`the reader has ended: ${value ?? errors}`)
    }
  }
  await until('connected')
  return {
    async store(subject, body) {
      child.stdin.write(`${subject}\t${body}\n`)
      await until('stored')
    },
    async close() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill()
      await ended
    },
  }
}
