/** Words of a question that say nothing about its answer. */
const IGNORED = new Set(
  'a an and are as at be by can could do does for from get has have how i if in is it its me my of on or our so that the their there this to us use using want was we what when where which who why will with you your'.split(
    ' ',
  ),
)

/** A word of a question as the search compares it, or null if the search ignores it. */
export function searchTerm(word: string): string | null {
  const term = word.toLowerCase()
  return IGNORED.has(term) ? null : term
}
