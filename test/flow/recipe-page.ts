import { readFileSync } from 'node:fs'

export type Language = 'curl' | 'TypeScript' | 'Python'

/** A section of docs/recipes.md and its programs. The only program of a section without tabs is one of curl. */
export type Recipe = { title: string; programs: { language: string; text: string }[] }

/** The sections of docs/recipes.md that have programs, in order. */
export function recipesOfPage(): Recipe[] {
  const page = readFileSync(new URL('../../docs/recipes.md', import.meta.url), 'utf8')
  const [, ...sections] = page.split(/^## /m)
  return sections.map((section) => ({
    title: section.slice(0, section.indexOf('\n')),
    programs: Array.from(
      section.matchAll(/^```\w*(?: \[(\w+)\])?\n([^]*?)^```$/gm),
      ([, language = 'curl', text = '']) => ({ language, text }),
    ),
  }))
}
