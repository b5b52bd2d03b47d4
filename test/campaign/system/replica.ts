import { writeFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { Replica } from '../../system/replicas.ts'

/** A process that ended although nobody stopped it. */
export type Exit = { replica: string; atMs: number; reason: string; log: string }

/** A replica whose process is killed, stopped and started again. It is also restarted when it ends by itself. */
export class CampaignReplica {
  readonly name: string
  readonly service: string
  /** Of its own gateway or service, past the balancer. */
  readonly api: string
  readonly #replica: Replica
  readonly #clockFile: string
  readonly #onExit: (exit: Exit) => void
  #isMeantToRun = true

  constructor(name: string, replica: Replica, clockFile: string, onExit: (exit: Exit) => void) {
    this.name = name
    this.service = replica.name
    this.api = replica.api
    this.#replica = replica
    this.#clockFile = clockFile
    this.#onExit = onExit
    void this.#restartWhenEnded()
  }

  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    this.#isMeantToRun = false
    if (signal === 'SIGKILL') await this.#replica.control.kill(signal)
    else await this.#replica.control.stop()
  }

  /** Starts it if it does not run, and resolves when it is ready. Tries again when what it needs is away. */
  async run(): Promise<void> {
    for (;;) {
      this.#start()
      const isReady = await this.#replica.control.waitReady().then(
        () => true,
        () => false,
      )
      if (isReady) return
      await wait(500)
    }
  }

  isReady(): Promise<boolean> {
    return fetch(`${this.#replica.ops}/readyz`, { signal: AbortSignal.timeout(2_000) }).then(
      async (reply) => {
        await reply.arrayBuffer()
        return reply.ok
      },
      () => false,
    )
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    const { pid, isRunning } = this.#replica.control
    if (pid !== undefined && isRunning) process.kill(pid, signal)
  }

  shiftClock(ms: number): void {
    writeFileSync(this.#clockFile, String(ms))
  }

  async stop(): Promise<void> {
    this.#isMeantToRun = false
    this.signal('SIGCONT')
    await this.#replica.control.stop()
  }

  #start(): void {
    if (this.#replica.control.isRunning) return
    this.#isMeantToRun = true
    this.#replica.control.start()
    void this.#restartWhenEnded()
  }

  async #restartWhenEnded(): Promise<void> {
    const reason = await this.#replica.control.ended()
    if (!this.#isMeantToRun) return
    this.#onExit({ replica: this.name, atMs: Date.now(), reason, log: this.#replica.control.logs(8) })
    await wait(1_000) // as every supervisor does
    if (this.#isMeantToRun) this.#start()
  }
}
