// Changes passwords and keys in the Secrets of an installation in Kubernetes, step by step.
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { errorText } from '../error-text.ts'
import { dropOld, KINDS, takeBoth, useNew, type Kind, type SecretValues } from './rotation.ts'

const HELP = `kubectl get secret -o json | node deploy/kubernetes/rotate-secrets.ts STEP [KIND …] | kubectl replace -f -

Change passwords and keys without a failed request. Reads Secrets and prints those that change. Between the steps, replace
the Pods as docs/secrets.md says.

  take-both KIND …   services take new values and the present ones
  use-new            database, brokers and gateway use the new values
  drop-old           services take only the new values

KIND is one or more of
  database    passwords of the database roles
  broker      passwords of the broker's users (readers have their own)
  principal   the key pair with which the gateway signs callers

Without Node: docker run --rm --interactive IMAGE deploy/kubernetes/rotate-secrets.ts STEP …
`

const Secret = z.looseObject({
  kind: z.literal('Secret'),
  metadata: z.looseObject({ name: z.string(), resourceVersion: z.string() }),
  data: z.record(z.string(), z.string()).default({}),
})
const List = z.object({ items: z.array(Secret) })
type Secret = z.output<typeof Secret>

/** All that the steps look at. */
const NAMES = ['gateway', 'catalog', 'tracking', 'keys', 'webhook-dispatcher', 'topology', 'migrate', 'nats']

function read(json: string): Secret[] {
  const secrets = List.parse(JSON.parse(json)).items.filter(({ metadata }) => NAMES.includes(metadata.name))
  const found = new Set(secrets.map(({ metadata }) => metadata.name))
  const missing = NAMES.filter((name) => !found.has(name))
  if (missing.length > 0)
    throw new Error(`the input lacks the Secrets ${missing.join(', ')}: is it of the right namespace?`)
  return secrets
}

const decoded = (secrets: readonly Secret[]): SecretValues =>
  Object.fromEntries(
    secrets.map(({ metadata, data }) => [
      metadata.name,
      Object.fromEntries(
        Object.entries(data).map(([name, value]) => [name, Buffer.from(value, 'base64').toString()]),
      ),
    ]),
  )

/** The Secrets with other values. They keep their version, so that a change by somebody else meanwhile is noticed. */
function changedSecrets(secrets: readonly Secret[], next: SecretValues): Secret[] {
  const encoded = (values: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, Buffer.from(value).toString('base64')]),
    )
  return secrets.flatMap((secret) => {
    const data = encoded(next[secret.metadata.name] ?? {})
    const isSame =
      Object.keys(data).length === Object.keys(secret.data).length &&
      Object.entries(data).every(([name, value]) => secret.data[name] === value)
    return isSame ? [] : [{ ...secret, data }]
  })
}

function step(name: string | undefined, kinds: readonly string[], secrets: SecretValues): SecretValues {
  const unknown = kinds.filter((kind) => !(KINDS as readonly string[]).includes(kind))
  if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(', ')}; see --help`)
  if (name === 'take-both') {
    if (kinds.length === 0) throw new Error(`take-both needs one or more of ${KINDS.join(', ')}`)
    return takeBoth(secrets, kinds as Kind[])
  }
  if (kinds.length > 0) throw new Error(`only take-both has arguments; see --help`)
  if (name === 'use-new') return useNew(secrets)
  if (name === 'drop-old') return dropOld(secrets)
  throw new Error('the step is missing: take-both, use-new or drop-old; see --help')
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
  })
  if (values.help) return void process.stdout.write(HELP)
  const [name, ...kinds] = positionals
  if (process.stdin.isTTY) throw new Error('there is no input: pipe "kubectl get secret -o json" into it')
  const secrets = read(await text(process.stdin))
  const items = changedSecrets(secrets, step(name, kinds, decoded(secrets)))
  process.stdout.write(`${JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, null, 2)}\n`)
  const changed = items.map(({ metadata }) => metadata.name)
  process.stderr.write(changed.length > 0 ? `changes ${changed.join(', ')}\n` : 'nothing to change\n')
}

try {
  await main()
} catch (error) {
  process.stderr.write(`rotate-secrets failed: ${errorText(error)}\n`)
  process.exitCode = 2
}
