import { fromLocalInput } from '../../../parts/time/local-time.ts'

/** As in the address. `from` and `to` are local times. `thing`: the id of what was changed. */
export const DEFAULTS = { actor: '', type: '', action: '', thing: '', from: '', to: '', offset: '0' }
export type Filter = typeof DEFAULTS

/** The filter as the API takes it. What cannot be a value, such as a letter in a number of a link, is left out. */
export function queryOf({ actor, type, action, thing, from, to }: Filter) {
  const [first, last] = [fromLocalInput(from), fromLocalInput(to)]
  return {
    ...(isId(actor) && { actor_id: Number(actor) }),
    ...(isId(thing) && { subject_id: Number(thing) }),
    ...(type !== '' && { subject_type: type }),
    ...(action !== '' && { action }),
    ...(first !== null && { from: first }),
    ...(last !== null && { to: last }),
  }
}

const isId = (text: string): boolean => /^[1-9]\d{0,15}$/.test(text)
