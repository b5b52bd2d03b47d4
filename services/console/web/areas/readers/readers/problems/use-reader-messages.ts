import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type components, unwrap } from '@whereabouts/client/client'
import { api } from '../../../../session/api.ts'

type Schemas = components['schemas']
export type ReaderMessage = Schemas['ReaderMessage']
export type DecodedRead = Schemas['DecodedRead']

const REFRESH_MS = 10_000

/** The last messages of a reader with a problem, newest first. */
export const useReaderMessages = (readerId: number) =>
  useQuery({
    queryKey: ['reader', readerId, 'messages'],
    refetchInterval: REFRESH_MS,
    queryFn: async ({ signal }) => {
      const params = { path: { reader_id: readerId } }
      return unwrap(await api.GET('/api/v1/readers/{reader_id}/messages', { params, signal })).data
    },
  })

/** What would become of a message. Asks nothing for an empty one. The answer of the last one stays while the next is out. */
export const useDecoded = (readerId: number, body: Schemas['DecodeRequest'] & { message: string }) =>
  useQuery({
    queryKey: ['decoded', readerId, body],
    enabled: body.message.trim() !== '',
    placeholderData: keepPreviousData,
    retry: false,
    queryFn: async ({ signal }) => {
      const params = { path: { reader_id: readerId } }
      return unwrap(await api.POST('/api/v1/readers/{reader_id}/decode', { params, body, signal })).data
    },
  })

/** Mappings of known devices and programs, to start from. */
export const useReaderPresets = () =>
  useQuery({
    queryKey: ['reader-presets'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => unwrap(await api.GET('/api/v1/reader-presets', { signal })).data,
  })
