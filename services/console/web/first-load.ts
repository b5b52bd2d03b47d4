import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import { brotliCompressSync, constants } from 'node:zlib'
import type { Plugin, Rolldown } from 'vite'

type Bundle = Rolldown.OutputBundle
type Chunk = Rolldown.OutputChunk
type Weight = { script: number; css: number }

/** In KiB, compressed. */
type Budget = {
  /** What every visit loads first. */
  entry: Weight
  /** What the largest screen adds. */
  screen: number
  /** Of a first visit: the page, its scripts and styles, and those of all screens, which load two seconds later. */
  requests: number
}

/**
 * Fails the build when a visit loads more than the budget: what the entry and each screen import, directly and through
 * others, and the styles, which are one file.
 */
export function loadBudget(budget: Budget): Plugin {
  return {
    name: 'load-budget',
    enforce: 'post', // after the styles
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((each): each is Chunk => each.type === 'chunk')
      const entry = chunks.find(({ isEntry }) => isEntry)
      if (!entry) throw new Error('index.html has no script')
      const first = filesOf(bundle, entry)
      const loadedBy = (file: string) => chunks.filter(({ dynamicImports }) => dynamicImports.includes(file))
      const screens = chunks.flatMap((chunk) => {
        const [importer, ...others] = loadedBy(chunk.fileName)
        if (!importer) return []
        // A part of one screen comes after the screen.
        const before = others.length === 0 ? filesOf(bundle, importer) : first
        const files = [...filesOf(bundle, chunk)].filter((file) => !before.has(file) && !first.has(file))
        return [{ name: chunk.name, weight: weightOf(bundle, files) }]
      })
      screens.sort((one, other) => total(other.weight) - total(one.weight))
      const styles = Object.keys(bundle).filter((file) => file.endsWith('.css'))
      const weight = weightOf(bundle, [...first, ...styles])
      const requests = 1 + Object.keys(bundle).filter((file) => /\.(?:js|css)$/.test(file)).length
      this.info(
        `compressed: ${rounded(weight.script)} KiB script and ${rounded(weight.css)} KiB styles first, ` +
          `then per screen ${screens.map((each) => `${each.name} ${rounded(total(each.weight))}`).join(', ')}; ` +
          `${requests} requests`,
      )
      const problems = [
        ...over('scripts of the first load', weight.script, budget.entry.script),
        ...over('styles of the first load', weight.css, budget.entry.css),
        ...screens.flatMap((each) => over(`files of ${each.name}`, total(each.weight), budget.screen)),
        ...(requests > budget.requests
          ? [`a first visit makes ${requests} requests; the limit is ${budget.requests}`]
          : []),
      ]
      if (problems.length > 0) throw new Error(problems.join('\n'))
    },
  }
}

/** Fails the build when a script uses a class of Mantine whose style is not imported. */
export function completeStyles(): Plugin {
  return {
    name: 'complete-styles',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const texts = Object.values(bundle)
      const used = classesOf(texts.map((file) => (file.type === 'chunk' ? file.code : '')))
      const styled = classesOf(texts.map((file) => (file.fileName.endsWith('.css') ? textOf(file) : '')))
      const known = createRequire(import.meta.url).resolve('@mantine/core/styles.css')
      const missing = [...classesOf([readFileSync(known, 'utf8')])].filter(
        (name) => used.has(name) && !styled.has(name),
      )
      if (missing.length > 0) throw new Error(`shell/mantine.css lacks the styles of ${missing.join(', ')}`)
    },
  }
}

const classesOf = (texts: readonly string[]) =>
  new Set(texts.flatMap((text) => text.match(/\bm_[0-9a-f]{6,8}\b/g) ?? []))

/** The chunk, and all that it imports at once. */
function filesOf(bundle: Bundle, start: Chunk): ReadonlySet<string> {
  const files = new Set<string>()
  const add = (name: string) => {
    const chunk = bundle[name]
    if (files.has(name) || chunk?.type !== 'chunk') return
    files.add(name)
    chunk.imports.forEach(add)
  }
  add(start.fileName)
  return files
}

function weightOf(bundle: Bundle, files: readonly string[]): Weight {
  const sum = (ending: string) =>
    files
      .filter((file) => file.endsWith(ending))
      .reduce((bytes, file) => bytes + compressed(textOf(bundle[file])), 0) / 1024
  return { script: sum('.js'), css: sum('.css') }
}

const total = ({ script, css }: Weight) => script + css
const rounded = (kiB: number) => Math.round(kiB * 10) / 10

const over = (what: string, kiB: number, limit: number) =>
  kiB > limit ? [`the ${what} are ${rounded(kiB)} KiB compressed; the limit is ${limit} KiB`] : []

function textOf(file: Bundle[string] | undefined): string {
  if (file?.type === 'chunk') return file.code
  return file ? Buffer.from(file.source).toString() : ''
}

const compressed = (text: string) =>
  brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }).length
