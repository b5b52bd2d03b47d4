import { natsOf, type Broker } from '../connect/connection.ts'
import { findDeadLetter, type DeadLetter } from './dead-letters.ts'

/** Up to `limit` dead letters, newest first. */
export async function listDeadLetters(broker: Broker, limit: number): Promise<DeadLetter[]> {
  const jsm = await natsOf(broker).jetstreamManager({ checkAPI: false })
  const { state } = await jsm.streams.info('DEAD')
  const letters: DeadLetter[] = []
  for (let seq = state.last_seq; seq >= state.first_seq && seq > 0 && letters.length < limit; seq -= 1) {
    const letter = await findDeadLetter(broker, seq)
    if (letter) letters.push(letter)
  }
  return letters
}
