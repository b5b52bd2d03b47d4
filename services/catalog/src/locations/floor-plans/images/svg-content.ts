const MAX_ELEMENTS = 20_000
const MAX_DEPTH = 100

/** They draw one thing many times, move, run or load. Nested, a few bytes of them draw for minutes. */
const REFUSED =
  /^(?:use|filter|fe[A-Z]\w*|mask|pattern|clipPath|marker|textPath|tref|cursor|animate\w*|set|discard|mpath|foreignObject|script|handler|iframe|object|embed|video|audio|canvas)$/

const SKIPPED =
  /[^<]+|<!--[^-]*(?:-(?!->)[^-]*)*-->|<\?(?!xml-stylesheet)[^?]*(?:\?(?!>)[^?]*)*\?>|<!DOCTYPE\s[^[<>]*>/y
const CDATA = /<!\[CDATA\[[^\]]*(?:\](?!\]>)[^\]]*)*\]\]>/y
const OPEN = /<(?:[\w.-]+:)?([\w.-]+)(?=[\s/>])/y
const CLOSE = /<\/[\w.:-]+\s*>/y
const ATTRIBUTE = /\s+(?:[\w.-]+:)?([\w.-]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y
const END = /\s*(\/?)>/y

/** A place in the file, or a picture within it. Anything else could load. */
const IS_WITHIN = /^\s*(?:#|data:image\/(?:png|jpeg|webp)[;,]|$)/
const ENCODING = /^\uFEFF?<\?xml[^>]*encoding\s*=\s*["'](?!(?:utf-8|us-ascii|iso-8859-1|windows-1252)["'])/i
/** Styles that load, move or repeat, or whose letters are written otherwise, so that they are not recognized. */
const STYLE =
  /@import|@keyframes|animation|image-set|(?<![\w-])(?:backdrop-)?filter\s*:(?!\s*none)|\\|&#|url\(\s*["']?(?!["']?(?:#|data:image\/(?:png|jpeg|webp)[;,]))/i
const COMMENT = /\/\*[^*]*(?:\*(?!\/)[^*]*)*\*\//g

/**
 * Why an SVG must not be stored; undefined if it may. Browsers draw it for all members, in the thread of the page, and
 * cannot be told to stop. Reads each character once.
 */
export function refusalOf(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8')
  if (ENCODING.test(text)) return 'The SVG has another encoding than UTF-8. Save it as UTF-8.'
  let at = 0
  const next = (pattern: RegExp) => {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match) at = pattern.lastIndex
    return match
  }
  let elements = 0
  let depth = 0
  let styleFrom: number | undefined
  while (at < text.length) {
    if (next(SKIPPED) ?? next(CDATA)) continue
    if (next(CLOSE)) {
      if (styleFrom !== undefined && hasRefusedStyle(text.slice(styleFrom, at))) return without('this style')
      styleFrom = undefined
      depth -= 1
      continue
    }
    const name = next(OPEN)?.[1]
    if (name === undefined) return 'The SVG is damaged. Export it again.'
    if (REFUSED.test(name)) return without(`the element ${name}`)
    for (let found = next(ATTRIBUTE); found; found = next(ATTRIBUTE)) {
      const problem = attributeProblem(found[1] ?? '', found[2] ?? found[3] ?? '')
      if (problem !== undefined) return without(`${problem} of the element ${name}`)
    }
    const end = next(END)
    if (!end) return 'The SVG is damaged. Export it again.'
    elements += 1
    if (end[1] === '') {
      depth += 1
      if (name === 'style') styleFrom = at
    }
    if (elements > MAX_ELEMENTS) return `The SVG has more than ${MAX_ELEMENTS} elements. ${SIMPLER}`
    if (depth > MAX_DEPTH) return `The SVG has elements more than ${MAX_DEPTH} deep. ${SIMPLER}`
  }
  return undefined
}

const SIMPLER = 'Simplify it, or export it as PNG.'

const without = (what: string) =>
  `The SVG has ${what}, which is not allowed. Export it without it, or as PNG.`

function attributeProblem(name: string, value: string): string | undefined {
  if (/^on[a-z]/i.test(name)) return `the attribute ${name}`
  if ((name === 'href' || name === 'src') && !IS_WITHIN.test(value)) return `the address in ${name}`
  const isStyle = name === 'style' || name === 'filter' || /url|\\/i.test(value)
  return isStyle && hasRefusedStyle(`${name}:${value}`) ? `the style in ${name}` : undefined
}

const hasRefusedStyle = (style: string) => STYLE.test(style.replaceAll('&quot;', '"').replaceAll(COMMENT, ''))
