import { z } from 'zod'
import { distinct } from '../../rules/distinct.ts'
import { Id } from '../../rules/ids.ts'
import { openEnum } from '../../rules/open-enum.ts'
import { assetTypes } from '../catalog/assets.ts'
import { sentTypes } from './events.ts'

const retries = ['standard', 'extended'] as const
const MAX_LOCATIONS = 100
export const FILTER = { asset_types: ['asset'], location_ids: [4503599627370498], include_descendants: true }

/** Which events, and how long (D13.4, D13.9). Each may be left out. */
export const settingsInput = {
  event_types: distinct(sentTypes).min(1).optional(),
  retry: z.enum(retries).optional(),
  filter: z
    .strictObject({
      asset_types: distinct(assetTypes).optional(),
      location_ids: z.array(Id).max(MAX_LOCATIONS).optional(),
      include_descendants: z.boolean().optional(),
    })
    .meta({ id: 'WebhookFilterInput', example: FILTER })
    .nullable()
    .optional(),
}

/** The same as stored. */
export const settingsOutput = {
  event_types: z.array(openEnum(sentTypes)).meta({ description: 'The events that are sent.' }),
  retry: openEnum(
    retries,
    '`standard`: three attempts within about 7 seconds. `extended`: over 72 hours, and the events of one thing in order.',
  ),
  filter: z
    .object({
      asset_types: z.array(openEnum(assetTypes)),
      location_ids: z.array(Id),
      include_descendants: z.boolean(),
    })
    .meta({ id: 'WebhookFilter' })
    .nullable()
    .meta({ description: 'Which assets and locations events must be about. Null: any.' }),
}

/** What only the service changes. */
export const stateOutput = {
  primary: z.boolean().meta({ description: 'Whether it is the webhook of `/webhooks`.' }),
  health: openEnum(
    ['ok', 'failing', 'disabled'],
    '`failing`: no success for 15 minutes and three attempts. `disabled`: `enabled` is false.',
  ),
  disabled_because: openEnum(
    ['failing'],
    'Why deliveries were switched off without you: with `retry: "extended"`, after five days of failures. Otherwise null.',
  ).nullable(),
}
