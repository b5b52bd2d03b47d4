import { readerStatuses } from '@whereabouts/contracts/resources/tracking/readers'
import { z } from 'zod'
import { MaybeInstant, paged, pagedOf, paging, ReaderUrl } from '../rows.ts'
import { tool } from '../tool.ts'

export const readerHealth = tool({
  name: 'reader_health',
  title: 'How are the readers?',
  description: 'Lists readers with their health, those with a problem first.',
  needs: ['listReaders'],
  input: z.strictObject({
    text: z.string().optional().describe('Only readers with this text in their key or name.'),
    status: z.enum(readerStatuses).optional(),
    ...paging,
  }),
  output: z.object({
    readers: z.array(
      z.object({
        reader_key: z.string(),
        name: z.string().nullable(),
        url: ReaderUrl,
        status: z
          .string()
          .describe('`silent`: not heard for longer than usual. `degraded`: it sends, but with problems.'),
        last_seen_at: MaybeInstant,
        reads_per_minute: z.number(),
        reads_unknown_tag: z.int(),
        reads_unplaced: z.int().describe('Reads without a location.'),
        clock: z.string(),
        last_problem: z.string().nullable(),
        last_problem_at: MaybeInstant,
      }),
    ),
    ...paged,
  }),
  async run({ text, ...sent }, { read, screens }) {
    const page = await read('listReaders', { query: { ...sent, q: text, sort: '-severity' } })
    const readers = page.data.map(({ id, reader_key, name, health }) => ({
      reader_key,
      name,
      url: id === null ? null : screens.reader(id),
      status: health.status,
      last_seen_at: health.last_seen_at,
      reads_per_minute: health.reads_per_minute,
      reads_unknown_tag: health.reads_unknown_tag,
      reads_unplaced: health.reads_unplaced,
      clock: health.clock,
      last_problem: health.last_problem,
      last_problem_at: health.last_problem_at,
    }))
    return { readers, ...pagedOf(page) }
  },
})
