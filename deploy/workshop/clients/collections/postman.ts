import { RELEASE } from '@whereabouts/contracts/release'
import { INTRODUCTION, type Collection, type CollectedRequest, type Field } from './requests.ts'

/**
 * Before each request. A token of another key or host is never sent. An error that is only thrown would be in the console, and the
 * request sent without a token; a failed test is beside the request.
 */
const BEFORE = `const value = (name) => pm.variables.get(name) || ''
const missing = ['baseUrl', 'client_id', 'client_secret'].filter((name) => value(name) === '')
const stop = (reason) => {
  pm.test('Token', () => { throw new Error(reason) })
  pm.execution.skipRequest()
}
if (missing.length > 0) stop('Set ' + missing.join(', ') + ' in the variables of the collection.')
pm.variables.set('baseUrl', value('baseUrl').replace(/\\/+$/, ''))
const owner = value('baseUrl') + ' ' + value('client_id')
const isValid = value('token_owner') === owner && Number(value('token_ends')) > Date.now() + 60000
if (!isValid && !pm.request.url.getPath().endsWith('/oauth/token')) {
  const body = { grant_type: 'client_credentials', client_id: value('client_id'), client_secret: value('client_secret') }
  const request = {
    method: 'POST',
    url: value('baseUrl') + '/api/v1/oauth/token',
    header: { 'Content-Type': 'application/json' },
    body: { mode: 'raw', raw: JSON.stringify(body) },
  }
  pm.sendRequest(request, (error, response) => {
    if (error || response.code !== 200) return stop('No token: ' + (error || response.code + ' ' + response.text()))
    const token = response.json()
    pm.collectionVariables.set('access_token', token.access_token)
    pm.collectionVariables.set('token_ends', String(Date.now() + token.expires_in * 1000))
    pm.collectionVariables.set('token_owner', owner)
  })
}`

const KEEP_TOKEN = `if (pm.response.code === 200) {
  const token = pm.response.json()
  pm.collectionVariables.set('access_token', token.access_token)
  pm.collectionVariables.set('token_ends', String(Date.now() + token.expires_in * 1000))
  pm.collectionVariables.set('token_owner', pm.variables.get('baseUrl').replace(/\\/+$/, '') + ' ' + pm.variables.get('client_id'))
}`

const keepId = (variable: string) => `if (pm.response.code < 300) {
  const { data } = pm.response.json()
  const { id } = (Array.isArray(data) ? data[0] : data) || {}
  if (id !== undefined) pm.collectionVariables.set('${variable}', String(id))
}`

/** The collection for Postman, format 2.1. */
export function postmanCollection({ folders, variables }: Collection): object {
  const shown = { baseUrl: '', client_id: '', client_secret: '', ...Object.fromEntries(variables) }
  return {
    info: {
      name: 'Whereabouts',
      description: INTRODUCTION,
      version: RELEASE,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{access_token}}', type: 'string' }] },
    event: [script('prerequest', BEFORE)],
    variable: Object.entries(shown).map(([key, value]) => ({ key, value, type: 'string' })),
    item: folders.map(({ name, description, requests }) => ({
      name,
      description,
      item: requests.map(item),
    })),
  }
}

function item(one: CollectedRequest): object {
  const path = one.path.replaceAll(/\{(\w+)\}/g, ':$1')
  const after = one.isForToken ? KEEP_TOKEN : one.keeps && keepId(one.keeps)
  const body = { mode: 'raw', raw: one.body, options: { raw: { language: 'json' } } }
  return {
    name: one.name,
    event: after === undefined ? [] : [script('test', after)],
    request: {
      method: one.method,
      description: one.description,
      ...(one.isForToken && { auth: { type: 'noauth' } }),
      header: one.headers.map(row),
      url: {
        raw: `{{baseUrl}}${path}`,
        host: ['{{baseUrl}}'],
        path: path.split('/').slice(1),
        query: one.query.map(row),
        variable: one.ids.map(({ name: key, value, description }) => ({ key, value, description })),
      },
      ...(one.body !== undefined && { body }),
    },
  }
}

const row = ({ name, value, description, isOn }: Field) => ({
  key: name,
  value,
  description,
  disabled: !isOn,
})

const script = (listen: string, text: string) => ({
  listen,
  script: { type: 'text/javascript', exec: text.split('\n') },
})
