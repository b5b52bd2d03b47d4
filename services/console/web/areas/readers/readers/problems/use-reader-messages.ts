import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { components } from '@whereabouts/client/client'
import { useRead } from '../../../../parts/load/use-read.ts'
import { api } from '../../../../session/api.ts'

type Schemas = components['schemas']
export type ReaderMessage = Schemas['ReaderMessage']
export type DecodedRead = Schemas['DecodedRead']

const REFRESH_MS = 10_000

/** The last messages of a reader with a problem, newest first. */
export const useReaderMessages = (readerId: number) =>
  useRead(['reader', readerId, 'messages'], '/api/v1/readers/{reader_id}/messages', {
    path: { reader_id: readerId },
    refetchInterval: REFRESH_MS,
  })

/** Not a message: the broker reports that a device used the key, and nothing arrived. */
export const isLost = ({ problems }: ReaderMessage) => problems.some(({ code }) => code === 'nothing_arrived')

/** What would become of a message. Asks nothing for an empty one. The answer of the last one stays while the next is out. */
export const useDecoded = (readerId: number, body: Schemas['DecodeRequest'] & { message: string }) =>
  useQuery({
    queryKey: ['decoded', readerId, body],
    enabled: body.message.trim() !== '',
    placeholderData: keepPreviousData,
    retry: false,
    queryFn: ({ signal }) =>
      api.post('/api/v1/readers/{reader_id}/decode', { path: { reader_id: readerId }, body, signal }),
  })

/** Mappings of known devices and programs, to start from. */
export const useReaderPresets = () =>
  useRead(['reader-presets'], '/api/v1/reader-presets', { staleTime: Number.POSITIVE_INFINITY })
