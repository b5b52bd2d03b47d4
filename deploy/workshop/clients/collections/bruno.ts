import { zip } from '../zip.ts'
import { INTRODUCTION, type Collection, type CollectedRequest, type Field } from './requests.ts'

/** Before each request. A token of another key or host is never sent. */
const BEFORE = `const value = (name) => bru.getEnvVar(name) || ''
const missing = ['baseUrl', 'client_id', 'client_secret'].filter((name) => value(name) === '')
if (missing.length > 0) throw new Error('Choose the environment Whereabouts, and set ' + missing.join(', ') + ' there.')
const base = value('baseUrl').replace(/\\/+$/, '')
req.setUrl(req.getUrl().replace('{{baseUrl}}', base))
const owner = base + ' ' + value('client_id')
const isValid = bru.getVar('token_owner') === owner && bru.getVar('token_ends') > Date.now() + 60000
if (!isValid && !req.getUrl().endsWith('/oauth/token')) {
  const response = await bru.sendRequest({
    method: 'POST',
    url: base + '/api/v1/oauth/token',
    headers: { 'Content-Type': 'application/json', 'User-Agent': 'whereabouts-bruno/1' },
    data: { grant_type: 'client_credentials', client_id: value('client_id'), client_secret: value('client_secret') },
  })
  if (response.status !== 200) throw new Error('No token: ' + response.status + ' ' + JSON.stringify(response.data))
  bru.setVar('access_token', response.data.access_token)
  bru.setVar('token_ends', Date.now() + response.data.expires_in * 1000)
  bru.setVar('token_owner', owner)
}`

const KEEP_TOKEN = `if (res.getStatus() === 200) {
  const token = res.getBody()
  bru.setVar('access_token', token.access_token)
  bru.setVar('token_ends', Date.now() + token.expires_in * 1000)
  bru.setVar('token_owner', bru.getEnvVar('baseUrl').replace(/\\/+$/, '') + ' ' + bru.getEnvVar('client_id'))
}`

const keepId = (variable: string) => `if (res.getStatus() < 300) {
  const { data } = res.getBody()
  const { id } = (Array.isArray(data) ? data[0] : data) || {}
  if (id !== undefined) bru.setVar('${variable}', String(id))
}`

/** The files of the collection for Bruno, by path. */
export function brunoFiles({ folders, variables }: Collection): [path: string, text: string][] {
  const manifest = { version: '1', name: 'Whereabouts', type: 'collection', ignore: [] }
  const collection = [
    block('auth', ['mode: bearer']),
    block('auth:bearer', ['token: {{access_token}}']),
    block('vars:pre-request', [...variables].map(([name, value]) => `${name}: ${value}`)),
    block('script:pre-request', BEFORE.split('\n')),
    block('docs', INTRODUCTION.split('\n')),
  ]
  const environment = [block('vars', ['baseUrl: ', 'client_id: ']), 'vars:secret [\n  client_secret\n]\n']
  return [
    ['bruno.json', `${JSON.stringify(manifest, null, 2)}\n`],
    ['collection.bru', collection.join('\n')],
    ['environments/Whereabouts.bru', environment.join('')],
    ...folders.flatMap(({ name, description, requests }, index): [string, string][] => [
      [`${name}/folder.bru`, [meta(name, 'folder', index), block('docs', description.split('\n'))].join('\n')],
      ...requests.map((one, seq): [string, string] => [`${name}/${fileName(one.name)}.bru`, requestFile(one, seq)]),
    ]),
  ]
} // oxfmt-ignore

/** The collection as a file that Bruno imports. */
export const brunoZip = (collection: Collection): Buffer =>
  zip(brunoFiles(collection).map(([path, text]) => [`Whereabouts/${path}`, Buffer.from(text)] as const))

/** Of characters that every file system takes. */
const fileName = (name: string) => name.replaceAll(/[^\w ,.()-]+/g, ' ').trim()

function requestFile(one: CollectedRequest, seq: number): string {
  const after = one.isForToken ? KEEP_TOKEN : one.keeps && keepId(one.keeps)
  // Bruno sends the query of the URL: the list of parameters is only its form.
  const query = one.query.filter(({ isOn }) => isOn).map(({ name, value }) => `${name}=${value}`)
  const path = one.path.replaceAll(/\{(\w+)\}/g, ':$1')
  const url = `{{baseUrl}}${[path, ...(query.length > 0 ? [query.join('&')] : [])].join('?')}`
  const body = `body: ${one.body === undefined ? 'none' : 'json'}`
  return [
    meta(one.name, 'http', seq),
    block(one.method.toLowerCase(), [`url: ${url}`, body, `auth: ${one.isForToken ? 'none' : 'inherit'}`]),
    ...fields('params:query', one.query),
    ...fields('params:path', one.ids),
    ...fields('headers', one.headers),
    ...(one.body === undefined ? [] : [block('body:json', one.body.split('\n'))]),
    ...(after === undefined ? [] : [block('script:post-response', after.split('\n'))]),
    block('docs', one.description.split('\n')),
  ].join('\n')
}

const meta = (name: string, type: string, index: number) =>
  block('meta', [`name: ${name}`, `type: ${type}`, `seq: ${index + 1}`])

/** A name behind `~` is switched off. Names in a path are always sent. */
const fields = (kind: string, rows: readonly Field[]): string[] =>
  rows.length === 0
    ? []
    : [
        block(
          kind,
          rows.map(({ name, value, isOn }) => `${isOn ? '' : '~'}${name}: ${value}`),
        ),
      ]

const block = (name: string, lines: readonly string[]) =>
  `${name} {\n${lines.map((line) => `  ${line}`).join('\n')}\n}\n`
