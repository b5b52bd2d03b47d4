/** VitePress 1.6.4 marks its search dialog up as a button, and its results as options that contain links. */
const CHANGES: readonly (readonly [before: string | RegExp, after: string])[] = [
  [
    /role="button"\s+(:aria-owns=.*)\s+aria-expanded="true"\s+aria-haspopup="listbox"/,
    'role="dialog" aria-modal="true" $1',
  ],
  [
    /(<li\s+v-for="\(p, index\) in results"\s+:key="p.id")\s+(:id=.*)\s+(:aria-selected=.*)\s+role="option"/,
    '$1 role="none"',
  ],
  [
    ':href="p.id"',
    `:href="p.id" role="option" :id="'localsearch-item-' + index" :aria-selected="selectedIndex === index"`,
  ],
  [`:aria-label="[...p.titles, p.title].join(' > ')"`, ''],
  [/<kbd :aria-label/g, '<kbd role="img" :aria-label'],
]

/** Corrects the markup for people who do not see the dialog. Fails the build if a later VitePress has another. */
export const accessibleSearch = {
  name: 'accessible-search',
  enforce: 'pre' as const,
  transform(code: string, id: string) {
    if (!id.endsWith('VPLocalSearchBox.vue')) return undefined
    return CHANGES.reduce((text, [before, after]) => {
      const changed = text.replace(before, after)
      if (changed === text)
        throw new Error(`VPLocalSearchBox.vue has no ${before}: is accessible-search.ts still needed?`)
      return changed
    }, code)
  },
}
