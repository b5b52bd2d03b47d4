import type { NatsConnection } from 'nats'

/** Receives every message in the account of the services. */
export type Spy = {
  /** The subjects among `subjects` on which the broker acknowledged a stored message. */
  acknowledgedOn(subjects: readonly string[]): Promise<string[]>
  stop(): void
}

/**
 * The beginning of the broker's replies. `{"seq":` begins a request instead: services ask `STREAM.MSG.GET` for one
 * message.
 */
const REPLY = /^\{"(?:stream|type|error)":/

export function startSpy(app: NatsConnection): Spy {
  const heard = new Set<string>()
  const subscription = app.subscribe('>', {
    callback: (_error, { subject, data }) => {
      const begin = Buffer.from(data.subarray(0, 16)).toString()
      // There, the broker reports requests of the suite itself.
      const isAdvisory = subject.startsWith('$JS.EVENT.ADVISORY.') && begin.startsWith('{"type":')
      if (REPLY.test(begin) && !isAdvisory) heard.add(subject)
    },
  })
  return {
    async acknowledgedOn(subjects) {
      await app.flush()
      return subjects.filter((subject) => heard.has(subject))
    },
    stop: () => subscription.unsubscribe(),
  }
}
