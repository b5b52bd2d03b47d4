// Preloaded into a service (`--import`). Shifts `Date` by the milliseconds in the file that CLOCK_SHIFT_FILE names.
// Timers and performance.now() keep the time of the machine.
import { readFileSync } from 'node:fs'

const LOOK_EVERY_MS = 100
const file = process.env['CLOCK_SHIFT_FILE']
const RealDate = Date
let shiftMs = 0

const now = () => RealDate.now() + shiftMs

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args: unknown[], newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  apply: () => new RealDate(now()).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
})

function look(path: string): void {
  try {
    shiftMs = Number(readFileSync(path, 'utf8'))
  } catch {
    shiftMs = 0 // no shift was ordered yet
  }
}

if (file !== undefined) setInterval(look, LOOK_EVERY_MS, file).unref()
