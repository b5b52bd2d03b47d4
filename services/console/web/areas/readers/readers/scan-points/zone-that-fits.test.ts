import { expect, test } from 'vitest'
import { zoneThatFits, type Times } from './zone-that-fits.ts'

const HOUR = 3_600_000
const AT = Date.UTC(2026, 10, 26, 12)
const OWN = 'America/New_York' // five hours behind UTC then

const zone = (
  timezone: string | null,
  health: Partial<Times['health']>,
  time_source: Times['time_source'] = 'reader',
) =>
  zoneThatFits(
    { timezone, time_source, health: { clock: 'ok', clock_offset_ms: null, last_problem: null, ...health } },
    OWN,
    AT,
  )

const behind = { clock: 'behind', clock_offset_ms: -5 * HOUR - 30_000 }

test.for([
  { name: 'the difference of the zones', timezone: 'UTC', health: behind, want: OWN },
  {
    name: 'six hours from Berlin',
    timezone: 'Europe/Berlin',
    health: { ...behind, clock_offset_ms: -6 * HOUR },
    want: OWN,
  },
  { name: 'another difference', timezone: 'Europe/Berlin', health: behind, want: undefined },
  { name: 'times that name a zone', timezone: null, health: behind, want: undefined },
  {
    name: 'times that name none',
    timezone: null,
    health: { last_problem: 'missing_zone at /at' },
    want: OWN,
  },
  { name: 'its own zone', timezone: OWN, health: behind, want: undefined },
  { name: 'a right clock', timezone: 'UTC', health: { clock_offset_ms: -5 * HOUR }, want: undefined },
  {
    name: 'the time of receipt',
    timezone: 'UTC',
    health: behind,
    source: 'receipt' as const,
    want: undefined,
  },
])('$name: $want', ({ timezone, health, source, want }) => expect(zone(timezone, health, source)).toBe(want))
