import { z } from 'zod'
import { WireInstant } from '../../rules/instant.ts'
import { dataOf, pathId } from '../../rules/query.ts'
import type { Route } from '../../route.ts'
import { tagFields, tagRule } from '../catalog/tags.ts'

/** One read that a reader could send. */
export const TestRead = z
  .strictObject({ ...tagFields, antenna: z.int().min(1).max(65_535).optional() })
  .check(tagRule(({ tag_type }) => tag_type))
  .meta({
    id: 'TestRead',
    example: { tag_type: 'rfid', value: 'E28011606000020A1B2C3D4E', antenna: 1 },
  })
export type TestRead = z.infer<typeof TestRead>

export const TestReadSent = z
  .object({ published_at: WireInstant.meta({ description: 'When the broker had stored the message.' }) })
  .meta({ id: 'TestReadSent', example: { published_at: '2026-11-21T10:00:00.000Z' } })
export type TestReadSent = z.infer<typeof TestReadSent>

export const testReadRoutes = {
  sendTestRead: {
    method: 'POST',
    path: '/readers/{reader_id}/test-reads',
    upstream: 'tracking',
    access: 'session',
    counted: false,
    described: false,
    summary: 'Publish one read as a reader',
    description:
      'Publishes a message as the reader would. It is stored like every read, and may move the asset. The response ' +
      'arrives when the broker has the message, usually before it is stored.',
    params: z.strictObject({ reader_id: pathId }),
    body: TestRead,
    success: { status: 202, schema: dataOf(TestReadSent) },
    errors: ['validation_error', 'bad_request', 'not_found', 'rate_limited'],
  },
} as const satisfies Record<string, Route>
