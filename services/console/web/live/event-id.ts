/** An event id is a sequence, a dash and the epoch of the stream; a re-created stream has another epoch. */
const partsOf = (id: string) => {
  const [, seq = '', epoch = ''] = /^(\d+)-(.+)$/.exec(id) ?? []
  return { seq: Number(seq), epoch }
}

/** True as well for an event of another epoch: its sequence says nothing. */
export function isAfter(id: string, earlier: string): boolean {
  const [a, b] = [partsOf(id), partsOf(earlier)]
  return a.epoch !== b.epoch || a.seq > b.seq
}
