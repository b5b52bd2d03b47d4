import MiniSearch from 'minisearch'
import { searchOptions } from './options.ts'
import { pageFiles } from '../pages/pages.ts'
import { sectionsOf } from './sections.ts'
import { WORDS } from './words.ts'

/** What the search of the site looks through: every section, and the words that people use for it. */
export function buildSearchIndex(): MiniSearch {
  const index = new MiniSearch({ fields: searchOptions.fields, storeFields: ['title', 'titles'] })
  for (const section of pageFiles().flatMap((file) => sectionsOf(file)))
    index.add({ ...section, words: WORDS[section.id.slice('/docs/'.length)]?.join(' ') ?? '' })
  return index
}

/** The virtual modules of VitePress: the list of languages, and the index of the only one. */
const MODULES: Readonly<Record<string, () => string>> = {
  '/@localSearchIndex': () => `export default { root: () => import('@localSearchIndexroot') }`,
  '/@localSearchIndexroot': () => `export default ${JSON.stringify(JSON.stringify(buildSearchIndex()))}`,
}

/** Takes the place of the index of VitePress, which has no field for the words of readers. */
export const searchIndex = {
  name: 'search-index',
  enforce: 'pre' as const,
  load: (id: string) => MODULES[id]?.(),
}
