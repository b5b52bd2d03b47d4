import { ReaderMapping } from '@whereabouts/contracts/resources/tracking/reader-mapping'
import { fc } from '@whereabouts/testing/fuzz'
import { expect, test } from 'vitest'
import {
  checkDecoded,
  context,
  counterexample,
  mutatedText,
  oddity,
  textOf,
} from '../../../test/formats/decoder-properties.ts'
import { decodeMapping } from './mapping.ts'

const name = fc.oneof(
  fc.constantFrom(
    'reads',
    'tags',
    'data',
    'dev_list',
    'epc',
    'mac',
    'tag',
    'value',
    'rssi',
    'timestamp',
    '0',
  ),
  fc.constantFrom('__proto__', 'constructor', 'length', 'toString', '', '~', '/', '-', '00'),
  fc.string({ maxLength: 5 }),
)
const plain = fc
  .array(name, { maxLength: 3 })
  .map((names) => names.map((one) => `/${one.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''))
const pointer = fc.oneof(
  { weight: 6, arbitrary: plain },
  plain.map((one) => `^${one}`),
  fc.constantFrom('$key', '$topic/1', '$topic/2', '$topic/9'),
)
const reads = fc.oneof(
  { weight: 2, arbitrary: plain },
  fc.tuple(plain, fc.constantFrom('/*', '/*/*', '/*/*/*', '/*/tags/*')).map((parts) => parts.join('')),
)
const events = fc.array(fc.oneof(fc.string({ maxLength: 3 }), fc.integer(), fc.boolean()), {
  minLength: 1,
  maxLength: 3,
})
const sometimes = <T>(arbitrary: fc.Arbitrary<T>, freq = 1) => fc.option(arbitrary, { nil: {}, freq })

const beacon = fc.oneof(
  pointer,
  fc.record({ manufacturer_data: pointer }),
  fc.record({
    uuid: pointer,
    major: pointer,
    minor: pointer,
    number_format: fc.constantFrom('decimal', 'hex'),
  }),
)

/** Further parts, which usually read the same items. */
const also = fc.array(
  fc.record({ reads, tag: pointer, tag_type: fc.constantFrom('rfid', 'ble', 'barcode') }),
  {
    minLength: 1,
    maxLength: 4,
  },
)

/** Usually a mapping that the API accepts, sometimes with a wrong value. */
const mappingLike = fc
  .tuple(
    fc.record({ reads, tag: pointer }),
    fc.constantFrom(
      { tag_type: 'rfid' },
      { tag_type: 'rfid', tag_format: 'base64url' },
      { tag_type: 'ble' },
      { tag_type: 'barcode', tag_format: 'text' },
      { tag_type: 'ble', tag_format: 'hex' },
    ),
    fc.record(
      { identity: pointer, antenna: pointer, location: pointer, count: pointer },
      { requiredKeys: [] },
    ),
    sometimes(fc.record({ rssi: pointer, rssi_unit: fc.constantFrom('dBm', 'dBm/10', 'dBm/100') })),
    sometimes(
      fc.record({
        time: pointer,
        time_format: fc.constantFrom('iso', 'local', 'epoch', 'epoch_s', 'epoch_ms', 'epoch_us'),
        zone: pointer,
      }),
    ),
    sometimes(fc.record({ beacon })),
    sometimes(fc.record({ also })),
    sometimes(fc.record({ event: pointer, read_events: events, heartbeat_events: events })),
    fc.oneof(
      { weight: 4, arbitrary: fc.constant({}) },
      fc.dictionary(fc.constantFrom('reads', 'rssi', 'time', 'event', 'heartbeat_events', 'mac'), oddity),
    ),
  )
  .map((parts): unknown => JSON.parse(textOf(Object.assign({}, ...parts))))

test('any mapping is refused, or decodes any message into storable values', () => {
  const outcomes = { refused: 0, accepted: 0 }
  const property = fc.property(mappingLike, mutatedText(oddity), (sent, text) => {
    const parsed = ReaderMapping.safeParse(sent)
    outcomes[parsed.success ? 'accepted' : 'refused'] += 1
    if (!parsed.success) return
    expect(parsed.data).toEqual(sent)
    expect(textOf(parsed.data)).not.toMatch(/\\u0000|\\ud[89a-f]/i)
    checkDecoded(
      decodeMapping(Buffer.from(text), {
        ...context,
        topic: ['C8:25:2D:00:9C:01', '\0\ud800'],
        mapping: parsed.data,
      }),
    )
  })
  expect(counterexample(property, 3000)).toBeUndefined()
  expect(Math.min(outcomes.accepted, outcomes.refused)).toBeGreaterThan(300)
})

test('a mapping of any shape is refused without throwing', () => {
  const property = fc.property(fc.anything(), (sent) => {
    expect(ReaderMapping.safeParse(sent).success).toBe(false)
  })
  expect(counterexample(property, 2000)).toBeUndefined()
})
