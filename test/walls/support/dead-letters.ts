import type { Watcher } from './watcher.ts'

export type Letter = {
  seq: number
  subject: string
  originalSubject: string
  reason: string
  size: number
  head: string
}

/** The dead letters for which `isWanted` is true, oldest first. */
export async function lettersOf(watcher: Watcher, isWanted: (letter: Letter) => boolean): Promise<Letter[]> {
  const { first, last } = await watcher.stream('DEAD')
  const letters: Letter[] = []
  for (let seq = Math.max(first, 1); seq <= last; seq += 1) {
    const stored = await watcher.message('DEAD', seq)
    if (!stored) continue
    const letter = {
      seq,
      subject: stored.subject,
      originalSubject: decodeURIComponent(stored.header('original_subject')),
      reason: stored.header('reason'),
      size: stored.data.length,
      head: Buffer.from(stored.data.subarray(0, 32)).toString(),
    }
    if (isWanted(letter)) letters.push(letter)
  }
  return letters
}
