import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ApiError } from '@whereabouts/client/client'
import { type ChangeEvent, type ReactNode, useContext, useState } from 'react'
import { type Checks, problemsIn } from './checks.ts'
import { failureOf, type FieldMessages, SaidError } from '../load/failure.ts'
import { UnsavedContext } from './unsaved.ts'

type Options<Input, T> = {
  /** Query keys that are reloaded after success, and once more when reports have the change. */
  reload?: readonly (readonly unknown[])[]
  onDone?: (result: T) => void
  /** Gets the messages by field. `isSending` stays true until it has resolved. */
  onFailure?: (fields: FieldMessages) => unknown
  /** Messages by field. If there is one, nothing is sent. */
  check?: (input: Input) => Checks
  /** The failure in the words of this form; undefined for the usual words. */
  explain?: (error: NonNullable<ApiError['error']>) => { title: string; detail?: string } | undefined
}

type Typed = ChangeEvent<HTMLInputElement>
type Entry = { value: string; onChange: (event: Typed) => void; error: ReactNode }

export type Send<Input, T> = {
  send: (input: Input) => void
  isSending: boolean
  error: unknown
  /** Messages by field, for the `error` of inputs: of `check`, or of the API. */
  fields: FieldMessages
  /** The props of a text input for a field: its value, who gets what is typed, its message. */
  entry: (field: string, value: string, onText: (text: string) => void) => Entry
  result: T | undefined
  reset: () => void
}

/** Reports show a rename, a deletion or a new location up to two seconds late (D8.9). */
const REPORTED_MS = 2_000

/** A request that changes data. Never retried automatically. */
export function useSend<Input, T>(
  work: (input: Input) => Promise<T>,
  options: Options<Input, T> = {},
): Send<Input, T> {
  const client = useQueryClient()
  const unsaved = useContext(UnsavedContext)
  const [problems, setProblems] = useState<FieldMessages>({})
  const { mutate, isPending, error, data, reset } = useMutation({
    mutationFn: (input: Input) => work(input).catch((failed: unknown) => throwSaid(failed, options.explain)),
    networkMode: 'always', // offline it fails immediately; a delayed change would surprise
    onSuccess: async (result) => {
      unsaved?.setUnsaved(false)
      const { reload = [] } = options
      await Promise.all(reload.map((queryKey) => client.invalidateQueries({ queryKey })))
      setTimeout(() => {
        for (const queryKey of reload) void client.invalidateQueries({ queryKey })
      }, REPORTED_MS)
      options.onDone?.(result)
    },
    onError: (failed) => options.onFailure?.(failureOf(failed).fields),
  })
  const send = (input: Input) => {
    const found = problemsIn(options.check?.(input) ?? {})
    setProblems(found)
    if (Object.keys(found).length === 0) mutate(input)
    else reset()
  }
  const fields = error ? failureOf(error).fields : problems
  return {
    send,
    isSending: isPending,
    error: error ?? undefined,
    fields,
    entry: (field, value, onText) => ({
      value,
      onChange: ({ currentTarget }) => onText(currentTarget.value),
      error: fields[field],
    }),
    result: data,
    reset: () => {
      setProblems({})
      reset()
    },
  }
}

function throwSaid(failed: unknown, explain: Options<never, never>['explain']): never {
  const sentence = failed instanceof ApiError && failed.error ? explain?.(failed.error) : undefined
  throw sentence ? new SaidError(sentence) : failed
}
