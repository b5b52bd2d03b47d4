import { z } from 'zod'
import { Id, MAX_ID } from '../../rules/ids.ts'
import { WireInstant } from '../../rules/instant.ts'
import { openEnum } from '../../rules/open-enum.ts'
import { dataOf, integerParameter, pathIdOf } from '../../rules/query.ts'
import type { Route } from '../../route.ts'
import { addProblem, type FieldProblem } from '../../rules/text.ts'

/** What one organization may store. It keeps the list of plans short enough for one answer. */
export const floorLimits = {
  plans: 200,
  zones: 2_000,
  readers: 500,
} as const

export const MAX_IMAGE_BYTES = 2 * 1024 * 1024
/** Pixels of the longer side. */
export const MAX_IMAGE_SIDE = 8_000
/** Of a PNG, JPEG or WebP. A browser that draws it takes four bytes for each. */
export const MAX_IMAGE_PIXELS = 40_000_000

export const imageTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/svg+xml'] as const
export type ImageType = (typeof imageTypes)[number]

/** The plan of the whole organization. Each other plan is of one location. */
export const ALL_PLACES = 'all'

const place = z
  .string()
  .meta({ override: { type: 'string', pattern: '^(all|[0-9]+)$' }, example: ALL_PLACES })

/** In a path: `all` or the id of a location. */
const pathPlace = place.transform((raw, ctx): typeof ALL_PLACES | number =>
  raw === ALL_PLACES ? ALL_PLACES : pathIdOf(raw, 'all or the id of a location', ctx),
)

/** 10,000 is the longer side of the image, or of the empty floor. */
const coordinate = z.int().min(0).max(10_000)

export const Zone = z
  .strictObject({
    location_id: Id.max(MAX_ID).meta({ description: 'The id of the location.' }),
    points: z
      .array(z.tuple([coordinate, coordinate]))
      .min(3)
      .max(100),
  })
  .meta({ id: 'Zone' })
export type Zone = z.infer<typeof Zone>

export const PlacedReader = z
  .strictObject({ reader_id: Id.max(MAX_ID), x: coordinate, y: coordinate })
  .meta({ id: 'PlacedReader' })
export type PlacedReader = z.infer<typeof PlacedReader>

/** The bytes are at `/floor-plans/images/{hash}`. The size is in pixels, as a browser shows it. */
export const FloorImage = z
  .object({
    hash: z.string(),
    media_type: openEnum(imageTypes),
    width: z.int().min(1).max(MAX_IMAGE_SIDE),
    height: z.int().min(1).max(MAX_IMAGE_SIDE),
  })
  .meta({ id: 'FloorImage' })
export type FloorImage = z.infer<typeof FloorImage>

const version = z.int().min(0)

export const FloorPlan = z
  .object({
    place,
    image: FloorImage.nullable(),
    zones: z.array(Zone),
    readers: z.array(PlacedReader),
    version,
    updated_at: WireInstant,
  })
  .meta({ id: 'FloorPlan' })
export type FloorPlan = z.infer<typeof FloorPlan>

/** `version` is that of the plan that was read, 0 if there was none. */
export const FloorPlanSave = z
  .strictObject({
    zones: z.array(Zone).max(floorLimits.zones).check(onceEach('location_id')),
    readers: z.array(PlacedReader).max(floorLimits.readers).check(onceEach('reader_id')),
    version,
  })
  .meta({
    id: 'FloorPlanSave',
    example: {
      zones: [{ location_id: 4503599627370497, points: [[0, 0], [5_000, 0], [5_000, 2_500]] }], // oxfmt-ignore
      readers: [{ reader_id: 4503599627370498, x: 2_500, y: 100 }],
      version: 0,
    },
  })

const TWICE = {
  code: 'invalid_value',
  message: '{f} is on this plan twice. Send each id once',
} as const satisfies FieldProblem

/** A thing has one place on a plan. */
function onceEach<K extends string>(name: K) {
  return z.check<Record<K, number>[]>((payload) => {
    const seen = new Set<number>()
    for (const [index, { [name]: id }] of payload.value.entries()) {
      if (seen.has(id)) addProblem(payload, TWICE, [index, name])
      seen.add(id)
    }
  })
}

/** Of the plan that was read. Without it, the image is changed also if somebody else has changed the plan since. */
const ImageQuery = z.strictObject({ version: integerParameter(0).optional() })
const PlacePath = z.strictObject({ place: pathPlace })
const ImagePath = z.strictObject({
  hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .meta({ example: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' }),
})

const console = { upstream: 'catalog', access: 'session', counted: false, described: false } as const
/** Everybody in the organization looks at what they change. */
const forAdmins = { ...console, access: 'session', role: 'admin' } as const

export const floorPlanRoutes = {
  listFloorPlans: {
    ...console,
    method: 'GET',
    path: '/floor-plans',
    summary: 'List all floor plans',
    description:
      'Leaves out plans and zones of deleted locations. They come back when the location is restored.',
    success: { status: 200, schema: z.object({ data: z.array(FloorPlan) }) },
    errors: [],
  },
  saveFloorPlan: {
    ...forAdmins,
    method: 'PUT',
    path: '/floor-plans/{place}',
    summary: 'Save the zones and readers of a floor plan',
    description:
      'Creates the plan if there is none. Responds with 409 if the plan has another version than `version`, or if ' +
      'the organization has too many plans, zones or readers. A zone is of a live location below the place.',
    params: PlacePath,
    body: FloorPlanSave,
    success: { status: 200, schema: dataOf(FloorPlan) },
    errors: ['validation_error', 'bad_request', 'not_found', 'conflict'],
  },
  saveFloorImage: {
    ...forAdmins,
    method: 'PUT',
    path: '/floor-plans/{place}/image',
    summary: 'Save the image of a floor plan',
    description:
      'Creates the plan if there is none. Responds with 409 if the images of the organization are too large together, ' +
      'or if the plan has another version than `version`.',
    params: PlacePath,
    query: ImageQuery,
    upload: { mediaTypes: imageTypes, maxBytes: MAX_IMAGE_BYTES },
    success: { status: 200, schema: dataOf(FloorPlan) },
    errors: ['validation_error', 'bad_request', 'not_found', 'conflict', 'rate_limited'],
  },
  removeFloorImage: {
    ...forAdmins,
    method: 'DELETE',
    path: '/floor-plans/{place}/image',
    summary: 'Remove the image of a floor plan',
    description: 'Responds with 409 if the plan has another version than `version`.',
    params: PlacePath,
    query: ImageQuery,
    success: { status: 200, schema: dataOf(FloorPlan) },
    errors: ['validation_error', 'not_found', 'conflict'],
  },
  getFloorImage: {
    ...console,
    method: 'GET',
    path: '/floor-plans/images/{hash}',
    summary: 'Retrieve the image of a floor plan',
    params: ImagePath,
    success: { status: 200, download: imageTypes },
    errors: ['validation_error', 'not_found', 'rate_limited'],
  },
} as const satisfies Record<string, Route>
