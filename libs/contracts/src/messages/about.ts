import { z } from 'zod'

/**
 * What filters of webhooks look at (ADR 105). It travels beside the data of an event and is never shown. Left out: the
 * event has no asset or no location, or the release that sent it did not say.
 */
export const About = z.object({
  asset_type: z.string().optional(),
  /** The locations that it concerns; of a movement both ends. */
  at: z.array(z.int()).optional(),
  /** These, and all that they are in. */
  within: z.array(z.int()).optional(),
})
export type About = z.infer<typeof About>
