const MIN_CHARACTERS = 4
/** Mean time of one character. Scanners need 1 to 20 ms, people more than 80. */
const MAX_CHARACTER_MS = 50
const PAUSE_MS = 200

type Key = Pick<KeyboardEvent, 'key' | 'timeStamp'>

/** Returns, for each key pressed in a field, the scan that it ends: characters too fast for a person, then Enter or Tab. */
export function scanTyping(): (key: Key) => string | undefined {
  let [value, startedAt, lastAt] = ['', 0, 0]
  return ({ key, timeStamp }) => {
    if (key === 'Shift') return undefined // a scanner presses it for capitals
    if (timeStamp - lastAt > PAUSE_MS) value = ''
    if (value === '') startedAt = timeStamp
    lastAt = timeStamp
    if (key.length === 1) {
      value += key
      return undefined
    }
    const typed = value
    value = ''
    const isScan =
      (key === 'Enter' || key === 'Tab') &&
      typed.length >= MIN_CHARACTERS &&
      (timeStamp - startedAt) / typed.length <= MAX_CHARACTER_MS
    return isScan ? typed : undefined
  }
}
