import { ApiError } from '@whereabouts/client/client'

export type FieldMessages = Readonly<Record<string, string>>

export type Failure = {
  title: string
  detail: string | undefined
  /** An operator can search for it. */
  requestId: string | undefined
  /** Messages by JSON path of the field, without its name. */
  fields: FieldMessages
  /** The thing does not exist, or no longer: the same request would fail again. */
  isMissing: boolean
}

type Sentence = { title: string; detail?: string }

/** A failure that a screen says in its own words: in a sentence, or at fields. */
export class SaidError extends Error {
  readonly sentence: Sentence
  readonly fields: FieldMessages

  constructor(sentence: Sentence, fields: FieldMessages = {}) {
    super(sentence.title)
    this.sentence = sentence
    this.fields = fields
  }
}

type ErrorBody = NonNullable<ApiError['error']>
type FieldEntry = NonNullable<ErrorBody['fields']>[number]

/** Turns any error into text for people who do not know the API. */
export function failureOf(error: unknown): Failure {
  if (error instanceof SaidError) return { ...said(error.sentence), fields: error.fields }
  if (error instanceof ApiError && error.error) return ofApi(error.error)
  if (error instanceof ApiError && (error.status ?? 500) < 500)
    return said({ title: 'The request was refused', detail: `The server answered with status ${error.status}.` }) // oxfmt-ignore
  if (error instanceof ApiError)
    return said({ title: 'The server has a problem', detail: `It answered with status ${error.status}. Try again in a moment.` }) // oxfmt-ignore
  if (error instanceof TypeError)
    return said({ title: 'The server cannot be reached', detail: 'Check your network connection and try again.' }) // oxfmt-ignore
  return said({ title: 'Something went wrong', detail: error instanceof Error ? error.message : String(error) }) // oxfmt-ignore
}

const said = ({ title, detail }: Sentence): Failure => ({
  title,
  detail,
  requestId: undefined,
  fields: {},
  isMissing: false,
})

function ofApi(body: ErrorBody): Failure {
  const fields = Object.fromEntries((body.fields ?? []).map((entry) => [entry.field, fieldMessage(entry)]))
  const isMissing = body.type === 'not_found' || body.type === 'gone'
  return {
    ...said(sentenceOf(body)),
    fields,
    requestId: isMissing ? undefined : body.request_id,
    isMissing,
  }
}

function sentenceOf({ type, status, detail }: ErrorBody): Sentence {
  const text = sentence(detail)
  switch (type) {
    case 'validation_error':
      return { title: 'Some of this cannot be saved' }
    case 'unauthorized':
      return { title: 'Please sign in again' }
    case 'forbidden':
      return { title: 'You may not do this', detail: text }
    case 'rate_limited':
      return { title: 'Too many requests', detail: waitText(detail) }
    case 'payload_too_large':
      return { title: 'This is too large', detail: text }
    case 'service_unavailable':
      return { title: 'This does not work right now', detail: `${text} Try again in a moment.` }
    default:
      return status >= 500
        ? { title: 'The server has a problem', detail: text }
        : { title: text.replace(/\.$/, '') }
  }
}

const waitText = (detail: string) => {
  const [, seconds] = /^Retry after (\d+) seconds?$/.exec(detail) ?? []
  if (seconds === undefined) return sentence(detail)
  return seconds === '1' ? 'Try again in a second.' : `Try again in ${seconds} seconds.`
}

/** For the `error` of an input: the label is above it, so the message does not repeat the name. */
function fieldMessage({ field, code, message, params }: FieldEntry): string {
  if (code === 'required' || (code === 'too_short' && params?.['min_length'] === 1))
    return 'Fill in this field.'
  const rest = message.startsWith(`${field} `) ? message.slice(field.length + 1) : message
  return sentence(inWords(rest))
}

/** Names of other fields as words, such as `valid_from`, and symbols as words. */
export const inWords = (text: string): string =>
  text
    .replaceAll(/\b[a-z]+(?:_[a-z]+)+\b/g, (name) => name.replaceAll('_', ' '))
    .replaceAll(/must be ≥ ([^\s,]+)/g, 'must be $1 or more')
    .replaceAll(/must be ≤ ([^\s,]+)/g, 'must be $1 or less')

/** With a capital and a full stop. */
const sentence = (text: string) => {
  const capital = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(capital) ? capital : `${capital}.`
}
