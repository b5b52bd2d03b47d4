import type { ImageFormat, Size } from './size.ts'

/** The start tag of the root must end within this part of the file. */
const HEAD_BYTES = 64 * 1024

/** What may precede the root. A DTD with declarations is not read: its entities could stand for anything. */
const PROLOG = /(?:\s+|<\?[^?]*(?:\?(?!>)[^?]*)*\?>|<!--[^-]*(?:-(?!->)[^-]*)*-->|<!DOCTYPE\s[^[<>]*>)/y
const ROOT = /<(?:([\w-]+):)?svg(?=[\s/>])/y
const ATTRIBUTE = /\s+([\w:.-]+)\s*=\s*(?:"([^"<&]*)"|'([^'<&]*)')/y
const END = /\s*\/?>/y
const NAMESPACE = 'http://www.w3.org/2000/svg'

export const svg: ImageFormat = {
  type: 'image/svg+xml',
  isLike: (bytes) => rootOf(bytes) !== undefined,
  sizeOf(bytes) {
    const attributes = rootOf(bytes)
    if (!attributes) return undefined
    const box = boxOf(attributes.get('viewBox') ?? '')
    const [width, height] = [pixels(attributes.get('width')), pixels(attributes.get('height'))]
    if (width !== undefined && height !== undefined) return rounded(width, height)
    if (!box) return undefined
    if (width !== undefined) return rounded(width, (width * box.height) / box.width)
    if (height !== undefined) return rounded((height * box.width) / box.height, height)
    return rounded(box.width, box.height)
  },
}

const rounded = (width: number, height: number): Size => ({
  width: Math.max(1, Math.round(width)),
  height: Math.max(1, Math.round(height)),
})

/** The attributes of the root, if it is an `svg` of the namespace that browsers draw. */
function rootOf(bytes: Buffer): ReadonlyMap<string, string> | undefined {
  const text = bytes.toString('utf8', 0, HEAD_BYTES).replace(/^\uFEFF/, '')
  let at = 0
  const next = (pattern: RegExp) => {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match) at = pattern.lastIndex
    return match
  }
  while (next(PROLOG)); // oxlint-disable-line no-empty
  const root = next(ROOT)
  if (!root) return undefined
  const attributes = new Map<string, string>()
  for (let match = next(ATTRIBUTE); match; match = next(ATTRIBUTE))
    attributes.set(match[1] ?? '', match[2] ?? match[3] ?? '')
  if (!next(END)) return undefined
  return attributes.get(root[1] === undefined ? 'xmlns' : `xmlns:${root[1]}`) === NAMESPACE
    ? attributes
    : undefined
}

const unitPixels: Readonly<Record<string, number>> = {
  '': 1, px: 1, in: 96, cm: 96 / 2.54, mm: 96 / 25.4, pt: 96 / 72, pc: 16,
} // oxfmt-ignore

/** Undefined for a length that depends on where the image is shown (`100%`, `10em`). */
function pixels(length = ''): number | undefined {
  const [, number, unit = ''] = /^\s*([\d.]{1,20})([a-z]*)\s*$/.exec(length) ?? []
  const value = Number(number) * (unitPixels[unit] ?? Number.NaN)
  return value > 0 ? value : undefined
}

function boxOf(viewBox: string): Size | undefined {
  const [, , width, height, ...more] = viewBox
    .trim()
    .split(/[\s,]+/, 5)
    .map(Number)
  const isSize = width !== undefined && height !== undefined && width > 0 && height > 0 && more.length === 0
  return isSize && Number.isFinite(width) && Number.isFinite(height) ? { width, height } : undefined
}
