import { FloorPlanSave } from '@whereabouts/contracts/resources/catalog/floor-plans'
import { expect, test } from 'vitest'
import { type Rectangle, SIZE, warehouseFloor, ZONES } from './floor.ts'
import { warehouseImage } from './floor-image.ts'
import { warehousePlan } from './warehouse.ts'

const { locations, readers } = warehousePlan()
const numbered = (keys: string[]) => new Map(keys.map((key, index) => [key, index + 1]))
const parents = new Map(locations.map(({ key, parentKey }) => [key, parentKey]))
const zones = new Map<string | null, Rectangle>(Object.entries(ZONES))
const isWithin = ([x, y, width, height]: Rectangle, [left, top, wide, high]: Rectangle) =>
  x >= left && y >= top && x + width <= left + wide && y + height <= top + high
const overlap = (a: Rectangle, b: Rectangle) =>
  a[0] < b[0] + b[2] && b[0] < a[0] + a[2] && a[1] < b[1] + b[3] && b[1] < a[1] + a[3]

test('the API accepts the plan, which has every zone and every reader', () => {
  const plan = warehouseFloor(
    numbered(locations.map(({ key }) => key)),
    numbered(readers.map(({ key }) => key)),
  )
  expect(FloorPlanSave.safeParse({ ...plan, version: 0 }).success).toBe(true)
  expect(plan.zones).toHaveLength(zones.size)
  expect(plan.readers).toHaveLength(readers.length)
})

test('locations and readers that do not exist are left out', () => {
  expect(warehouseFloor(new Map(), new Map())).toEqual({ zones: [], readers: [] })
})

test('each zone lies within the zone of its parent and beside its siblings', () => {
  for (const [key, zone] of zones) {
    const parent = parents.get(key ?? '') ?? null
    expect(isWithin(zone, zones.get(parent) ?? [0, 0, SIZE.width, SIZE.height]), `${key}`).toBe(true)
    const siblings = [...zones].filter(([other]) => other !== key && parents.get(other ?? '') === parent)
    expect(siblings.filter(([, other]) => overlap(zone, other))).toEqual([])
  }
})

test('the picture is small, and runs and loads nothing', () => {
  const svg = warehouseImage()
  expect(svg.length).toBeLessThan(6 * 1024)
  expect(svg).not.toMatch(/script|href|style|undefined|NaN/)
})
