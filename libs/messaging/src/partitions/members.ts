import { randomUUID } from 'node:crypto'
import { natsOf, type Broker } from '../connect/connection.ts'

const EVERY_MS = 1_000
/** Four hearings missed. */
const GONE_MS = 4_000

type Options = {
  /** What they share: one subject for each kind of work. */
  group: string
  /** Called when a member came or went. */
  onChange: () => void
}

/**
 * The processes that share some work, as this one hears them: each says once a second that it is there, and when it leaves. Two may
 * disagree for some seconds, so nothing may depend on it but who tries.
 */
export class Members {
  readonly self = randomUUID()
  readonly #broker: Broker
  readonly #options: Options
  readonly #heardAt = new Map<string, number>()
  readonly #timer: NodeJS.Timeout
  readonly #unsubscribe: () => void

  constructor(broker: Broker, options: Options) {
    this.#broker = broker
    this.#options = options
    const nc = natsOf(broker)
    const subscription = nc.subscribe(this.#subject('*'), {
      callback: (error, { subject, data }) => {
        if (error) return
        const name = subject.slice(subject.lastIndexOf('.') + 1)
        if (name !== this.self) this.#heard(name, data.length === 0)
      },
    })
    this.#unsubscribe = () => {
      if (!nc.isClosed()) subscription.unsubscribe()
    }
    this.#timer = setInterval(() => this.#turn(), EVERY_MS)
    this.#say('')
  }

  /** This one included. */
  get names(): string[] {
    return [this.self, ...this.#heardAt.keys()]
  }

  /** Tells the others, who take over at once. */
  leave(): void {
    clearInterval(this.#timer)
    this.#unsubscribe()
    this.#say('left')
  }

  #subject(name: string): string {
    return `members.${this.#options.group}.${name}`
  }

  #say(what: '' | 'left'): void {
    if (this.#broker.isConnected()) natsOf(this.#broker).publish(this.#subject(this.self), what)
  }

  #turn(): void {
    this.#say('')
    // Without a broker nobody is heard, and nothing can be taken over.
    if (!this.#broker.isConnected()) {
      for (const name of this.#heardAt.keys()) this.#heardAt.set(name, Date.now())
      return
    }
    const gone = [...this.#heardAt].filter(([, at]) => Date.now() - at > GONE_MS)
    for (const [name] of gone) this.#heardAt.delete(name)
    if (gone.length > 0) this.#options.onChange()
  }

  #heard(name: string, isThere: boolean): void {
    const isKnown = this.#heardAt.has(name)
    if (isThere) this.#heardAt.set(name, Date.now())
    else this.#heardAt.delete(name)
    if (isKnown === isThere) return
    if (isThere) this.#say('') // so that a new one knows at once who is there
    this.#options.onChange()
  }
}
