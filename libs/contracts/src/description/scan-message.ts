import { z } from 'zod'

/** Reads of a message of the format `canonical`. */
export const MAX_CANONICAL_READS = 1000

/** A message of the format `canonical` as a program should write it. Tracking also takes numbers as text. */
export const ScanMessage = z
  .object({
    reads: z
      .array(
        z
          .object({
            tag: z
              .object({
                type: z.enum(['rfid', 'ble', 'barcode']),
                value: z.string().min(1).max(255).meta({ example: 'E28011606000020A1B2C3D4E' }),
              })
              .meta({ id: 'ScanTag' }),
            antenna: z.int().min(1).max(65_535).optional().meta({
              description: 'The default is 1. Each antenna needs a scan point.',
              example: 1,
            }),
            location: z.string().optional().meta({
              description: 'The `external_key` of a location, instead of the scan point.',
              example: 'DOCK-1',
            }),
            read_at: z.iso.datetime({ offset: true }).optional().meta({
              description: 'Without it, the time of receipt counts.',
              example: '2026-11-21T10:00:00.123Z',
            }),
            rssi_dbm: z.number().min(-128).lt(0).optional().meta({
              description: 'The signal strength.',
              example: -54.5,
            }),
            read_count: z.int().min(1).max(2_147_483_647).optional().meta({
              description: 'How often the tag was read.',
              example: 3,
            }),
          })
          .meta({ id: 'ScanRead' }),
      )
      .min(1)
      .max(MAX_CANONICAL_READS),
  })
  .meta({ id: 'ScanMessage' })

/** With every field. */
export const SCAN_MESSAGE_EXAMPLE: z.infer<typeof ScanMessage> = {
  reads: [
    {
      tag: { type: 'rfid', value: 'E28011606000020A1B2C3D4E' },
      antenna: 1,
      location: 'DOCK-1',
      read_at: '2026-11-21T10:00:00.123Z',
      rssi_dbm: -54.5,
      read_count: 3,
    },
  ],
}
