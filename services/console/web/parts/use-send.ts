import { useMutation, useQueryClient } from '@tanstack/react-query'
import { failureOf, type FieldMessages } from './failure.ts'

type Options<T> = {
  /** Query keys that are reloaded after success. */
  reload?: readonly (readonly unknown[])[]
  onDone?: (result: T) => void
  /** Gets the messages of the API by field. */
  onFailure?: (fields: FieldMessages) => void
}

export type Send<Input, T> = {
  send: (input: Input) => void
  isSending: boolean
  error: unknown
  /** Messages of the API by field, for the `error` of inputs. */
  fields: FieldMessages
  result: T | undefined
  reset: () => void
}

/** A request that changes data. Never retried automatically. */
export function useSend<Input, T>(
  work: (input: Input) => Promise<T>,
  options: Options<T> = {},
): Send<Input, T> {
  const client = useQueryClient()
  const { mutate, isPending, error, data, reset } = useMutation({
    mutationFn: work,
    networkMode: 'always', // offline it fails immediately; a delayed change would surprise
    onSuccess: async (result) => {
      await Promise.all((options.reload ?? []).map((queryKey) => client.invalidateQueries({ queryKey })))
      options.onDone?.(result)
    },
    onError: (failed) => options.onFailure?.(failureOf(failed).fields),
  })
  return {
    send: (input) => mutate(input),
    isSending: isPending,
    error: error ?? undefined,
    fields: error ? failureOf(error).fields : {},
    result: data,
    reset,
  }
}
