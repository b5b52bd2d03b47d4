import { setTimeout as wait } from 'node:timers/promises'
import { checkThing, type State, type Thing } from '../ledger/things.ts'
import type { Answer, Call, Caller } from './caller.ts'
import type { Work } from './saves.ts'
import type { Tenant } from './tenant.ts'

const PAUSE_MS = 120
const MOST_WRITES = 6

/** A write of a thing, and the state that it leads to. */
type Write = { call: Omit<Call, 'needs' | 'token'>; next: State | undefined; done?: (answer: Answer) => void }

/** The view of an asset or a location, as far as writes concern it. */
type View = {
  id: number
  name: string
  external_key: string
  tags: { id: number; tag_type: string; value: string }[]
}

const stateOf = ({ name, external_key: externalKey, tags }: View): State => ({
  name,
  externalKey,
  tags: tags.map((tag) => `${tag.tag_type}:${tag.value}`),
})

/** Creates, changes and deletes assets or locations until it is told to stop. `name` makes the keys unique. */
export async function writeThings(
  { tenant, caller, random, isStopping }: Work,
  resource: Thing['resource'],
  name: string,
): Promise<Thing[]> {
  const things: Thing[] = []
  while (!isStopping()) {
    const thing = await create({ tenant, caller }, resource, `${name}-${things.length}`)
    things.push(thing)
    const writes = random.whole(0, MOST_WRITES)
    // After a write without an answer, the thing is left alone: it is in one of two states.
    for (let i = 0; i < writes && thing.states.length === 1 && thing.states[0] && !isStopping(); i += 1) {
      await wait(PAUSE_MS)
      await write({ tenant, caller }, thing, nextWrite(thing, thing.states[0], random.whole(0, 9), i))
      if (thing.states.length === 1) caller.findings.push(...(await readBack({ tenant, caller }, thing)))
    }
    await wait(PAUSE_MS)
  }
  return things
}

type Access = { tenant: Tenant; caller: Caller }

async function create({ tenant, caller }: Access, resource: Thing['resource'], key: string): Promise<Thing> {
  const state: State = { name: `New ${key}`, externalKey: key, tags: [`barcode:${key}`] }
  const body = { name: state.name, external_key: key, tags: [{ tag_type: 'barcode', value: key }] }
  const call = { operation: `create ${resource}`, method: 'POST', path: `/api/v1/${resource}`, body } as const
  const answer = await caller.call({ ...call, needs: ['catalog'], token: tenant.keyToken, expect: [201] })
  const id = answer.status === 201 ? (answer.data as View).id : undefined
  return { resource, orgId: tenant.id, id, key, states: id === undefined ? [undefined, state] : [state] }
}

async function write({ tenant, caller }: Access, thing: Thing, { call, next }: Write): Promise<void> {
  const { status } = await caller.call({ ...call, needs: ['catalog'], token: tenant.keyToken })
  if (status === undefined) thing.states = [...thing.states, next]
  else if (status < 300) thing.states = [next]
}

function nextWrite({ resource, id }: Thing, state: State, choice: number, n: number): Write {
  const path = `/api/v1/${resource}/${id}`
  if (choice < 4) {
    const name = `${state.name.slice(0, 40)} ${n}`
    return {
      call: { operation: `update ${resource}`, method: 'PATCH', path, body: { name }, expect: [200] },
      next: { ...state, name },
    }
  }
  if (choice < 6) {
    const value = `${state.externalKey}-T${n}`
    return {
      call: { operation: 'attach tag', method: 'POST', path: `${path}/tags`, body: { tag_type: 'barcode', value }, expect: [201] },
      next: { ...state, tags: [...state.tags, `barcode:${value}`] },
    } // oxfmt-ignore
  }
  if (choice < 8) {
    const externalKey = `${state.externalKey}-R${n}`
    return {
      call: { operation: `rename ${resource}`, method: 'POST', path: `${path}/rename`, body: { external_key: externalKey }, expect: [200] },
      next: { ...state, externalKey },
    } // oxfmt-ignore
  }
  return { call: { operation: `delete ${resource}`, method: 'DELETE', path, expect: [204] }, next: undefined }
}

/** What was answered is true for every following request (D8.9). */
export async function readBack({ tenant, caller }: Access, thing: Thing, when = 'right after its write') {
  const shown = await show({ tenant, caller }, thing)
  return shown === 'unknown' ? [] : checkThing(thing, shown, when)
}

async function show(
  { tenant, caller }: Access,
  { resource, id, key }: Thing,
): Promise<State | undefined | 'unknown'> {
  const common = { needs: ['catalog'], token: tenant.keyToken } as const
  if (id === undefined) {
    const path = `/api/v1/${resource}?external_key=${key}`
    const { status, data } = await caller.call({
      ...common,
      operation: `find ${resource}`,
      path,
      expect: [200],
    })
    const [found] = status === undefined ? [] : (data as View[])
    return status === undefined ? 'unknown' : found && stateOf(found)
  }
  const path = `/api/v1/${resource}/${id}`
  const { status, data } = await caller.call({
    ...common,
    operation: `get ${resource}`,
    path,
    expect: [200, 404],
  })
  if (status === undefined) return 'unknown'
  return status === 404 ? undefined : stateOf(data as View)
}
