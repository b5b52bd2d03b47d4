/**
 * How the search compares, for the site and its test. Plain data: VitePress would run functions through `eval`. Sections
 * with more of the words come first; one that lacks a word is still found.
 */
export const searchOptions = {
  fields: ['title', 'titles', 'text', 'words'],
  fuzzy: 0.1, // up to four letters exactly or as the start of a word: 429 is not 409
  prefix: true,
  boost: { title: 4, words: 4, titles: 1, text: 1 },
  combineWith: 'OR' as const,
}
