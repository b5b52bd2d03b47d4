import { ApiError } from '@whereabouts/client/client'

export type FieldMessages = Readonly<Record<string, string>>

export type Failure = {
  title: string
  detail: string
  requestId: string | undefined
  /** Messages of the API, by JSON path of the field. */
  fields: FieldMessages
}

/** Turns any error into text for people. Uses the words of the API if it answered. */
export function failureOf(error: unknown): Failure {
  if (error instanceof ApiError && error.error) {
    const { title, detail, request_id: requestId, fields = [] } = error.error
    const messages = fields.map(({ field, message }) => [field, sentence(message)])
    return { title, detail: sentence(detail), requestId, fields: Object.fromEntries(messages) }
  }
  if (error instanceof ApiError)
    return plain('Server error', `The server answered with status ${error.status}. Try again in a moment.`)
  if (error instanceof TypeError)
    return plain('The server cannot be reached', 'Check your network connection and try again.')
  return plain('Something went wrong', error instanceof Error ? error.message : String(error))
}

const plain = (title: string, detail: string): Failure => ({
  title,
  detail,
  requestId: undefined,
  fields: {},
})

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
