import { useSend } from '../../parts/form/use-send.ts'
import { api } from '../../session/api.ts'
import type { TagType } from '../../parts/things/tag-types.ts'

export type TestRead = { tag_type: TagType; value: string; antenna: number }

/** Sends one read as the reader. It is stored like the reads of a device. */
export const useTestRead = (readerId: number, options: { onDone?: () => void } = {}) =>
  useSend(
    (body: TestRead) =>
      api.post('/api/v1/readers/{reader_id}/test-reads', { path: { reader_id: readerId }, body }),
    {
      ...options,
      check: ({ value }) => ({ value: value.trim() === '' ? 'Enter the value of a tag.' : undefined }),
      reload: [['reader', readerId], ['readers'], ['reports']],
    },
  )
