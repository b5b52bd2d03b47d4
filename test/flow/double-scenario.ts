import scenario from '../fixtures/clients/double.json' with { type: 'json' }

/** `settles`: how many rows the answer has once all that happened before is in it. */
export type Step = {
  method: string
  path: string
  body?: unknown
  keep?: Record<string, string>
  settles?: number
}
export type Answer = { step: string; status: number; body: unknown }
export type Send = (
  method: string,
  path: string,
  body?: unknown,
) => Promise<{ status: number; body: unknown }>

export const steps: readonly Step[] = scenario

/** Makes the requests in turn. What an answer has at a path of `keep` fills the braces of later requests. */
export async function play(
  send: Send,
  settled: (ask: () => Promise<number>, rows: number) => Promise<void>,
): Promise<Answer[]> {
  const kept: Record<string, string> = {}
  const answers: Answer[] = []
  for (const { method, path, body, keep = {}, settles } of steps) {
    const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(kept[name] ?? name))
    const ask = () => send(method, url, body)
    if (settles !== undefined) await settled(async () => rowsOf((await ask()).body), settles)
    const answer = await ask()
    answers.push({ step: `${method} ${path}`, ...answer })
    for (const [name, where] of Object.entries(keep)) kept[name] = String(at(answer.body, where.split('.')))
  }
  return answers.map((answer) => comparable(answer, kept))
}

const rowsOf = (body: unknown) => ((body as { data?: unknown[] }).data ?? []).length
const at = (value: unknown, [key, ...rest]: string[]): unknown =>
  key === undefined ? value : at((value as Record<string, unknown>)[key], rest)

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/^\d{4}-\d\d-\d\dT[\d:.]+Z$/, '<instant>'],
  [/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/, '<uuid>'],
]
const CHANGING = new Set(['request_id', 'cursor', 'dwell_seconds'])

/** Ids, instants and the like by what they are: they differ between two runs on the same system. */
function comparable(answer: Answer, kept: Readonly<Record<string, string>>): Answer {
  const names = new Map(Object.entries(kept).map(([name, value]) => [value, `<${name}>`]))
  const plain = (value: unknown, key = ''): unknown => {
    if (Array.isArray(value)) return value.map((one) => plain(one))
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, own]) => [name, plain(own, name)]))
    if (CHANGING.has(key) && value !== null) return `<${key}>`
    if (typeof value === 'number')
      return /(?:^|_)id$/.test(key) ? (names.get(String(value)) ?? '<id>') : value
    if (key === 'instance') return String(value).replaceAll(/\d{4,}/g, '#')
    if (typeof value !== 'string') return value
    return PATTERNS.find(([pattern]) => pattern.test(value))?.[1] ?? value
  }
  const result = plain(answer) as Answer
  // Services publish side by side: the order of what happened at the same time is not promised.
  if (result.step.startsWith('GET /api/v1/events')) inAnyOrder(result.body as { data: unknown[] })
  return result
}

function inAnyOrder(page: { data: unknown[] }): void {
  const textOf = (value: unknown) =>
    JSON.stringify(value, (_, own: unknown) =>
      isPlain(own)
        ? Object.fromEntries(Object.entries(own).toSorted(([one], [other]) => (one < other ? -1 : 1)))
        : own,
    )
  page.data.sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1))
}

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
