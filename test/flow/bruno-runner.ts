import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { randomUUID } from 'node:crypto'
import { bruToJsonV2, collectionBruToJson } from '@usebruno/lang'

export type Answer = { name: string; status: number; text: string }
export type Variables = Map<string, string | number>

const read = (...path: string[]) => readFileSync(join(...path), 'utf8')

/** The requests of a folder, in their order. */
const requestsIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name !== 'folder.bru')
    .map((name) => bruToJsonV2(read(folder, name)))
    .toSorted((a, b) => Number(a.meta.seq) - Number(b.meta.seq))

/**
 * Runs requests of a collection as Bruno does, with Bruno's own parser: scripts, variables, authorization, bodies. The whole
 * program would be 500 packages. `runtime`: the variables that scripts set. `between`: after each request.
 */
export async function runBruno(
  collection: string,
  folders: readonly string[],
  environment: Record<string, string>,
  between: (runtime: Variables) => void = () => {},
): Promise<Answer[]> {
  const root = collectionBruToJson(read(collection, 'collection.bru'))
  const runtime: Variables = new Map()
  const own = new Map(root.vars.req.map(({ name, value }) => [name, value]))
  const valueOf = (name: string) => runtime.get(name) ?? environment[name] ?? own.get(name) ?? `{{${name}}}`
  const fill = (text: string) =>
    text.replaceAll(/\{\{(\$?\w+)\}\}/g, (_, name: string) => String(name === '$guid' ? randomUUID() : valueOf(name)))
  const bru = {
    getEnvVar: (name: string) => environment[name],
    getVar: (name: string) => runtime.get(name),
    setVar: (name: string, value: string | number) => void runtime.set(name, value),
    sendRequest: async ({ method, url, headers, data }: { method: string; url: string; headers: Record<string, string>; data: object }) => {
      const response = await fetch(url, { method, headers, body: JSON.stringify(data) })
      return { status: response.status, data: await response.json() }
    },
  }
  const run = async (script: string | undefined, scope: object): Promise<void> => {
    await runInNewContext(`(async () => {${script ?? ''}\n})()`, { bru, Date, Number, String, Array, Error, JSON, ...scope })
  }
  const answers: Answer[] = []
  for (const request of folders.flatMap((folder) => requestsIn(join(collection, folder)))) {
    let { url } = request.http
    await run(root.script.req, { req: { getUrl: () => url, setUrl: (next: string) => void (url = next) } })
    for (const { name, value, type } of request.params ?? [])
      if (type === 'path') url = url.replace(`:${name}`, encodeURIComponent(fill(value)))
    const headers = new Headers({ 'user-agent': 'bruno-runtime/4' })
    for (const { name, value, enabled } of request.headers ?? []) if (enabled) headers.set(name, fill(value))
    if (request.http.auth === 'inherit') headers.set('authorization', `Bearer ${fill(root.auth.bearer.token)}`)
    const body = request.body?.json === undefined ? {} : { body: fill(request.body.json) }
    const response = await fetch(fill(url), { method: request.http.method.toUpperCase(), headers, ...body })
    const text = await response.text()
    answers.push({ name: request.meta.name, status: response.status, text })
    await run(request.script?.res, { res: { getStatus: () => response.status, getBody: () => JSON.parse(text) } })
    between(runtime)
  }
  return answers
} // oxfmt-ignore
