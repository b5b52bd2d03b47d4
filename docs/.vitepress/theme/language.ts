import { onContentUpdated } from 'vitepress'
import { onMounted } from 'vue'

const STORED = 'whereabouts-docs-language'

/** Shows all code groups of all pages in the language that the reader chose last. */
export function keepLanguage(): void {
  onContentUpdated(() => show(localStorage.getItem(STORED)))
  onMounted(() =>
    addEventListener('change', ({ target }) => {
      if (!(target instanceof HTMLInputElement && target.matches('.vp-code-group input'))) return
      const language = target.labels?.[0]?.dataset['title'] ?? ''
      localStorage.setItem(STORED, language)
      const before = target.getBoundingClientRect().top
      show(language)
      scrollBy({ top: target.getBoundingClientRect().top - before, behavior: 'instant' }) // groups above it have changed
    }),
  )
}

/** Not by a click, after which VitePress would scroll to the group. */
function show(language: string | null): void {
  for (const tabs of document.querySelectorAll('.vp-code-group .tabs')) {
    const inputs = [...tabs.querySelectorAll('input')]
    const chosen = inputs.findIndex((input) => input.labels?.[0]?.dataset['title'] === language)
    if (chosen < 0) continue
    inputs.forEach((input, i) => (input.checked = i === chosen))
    ;[...(tabs.nextElementSibling?.children ?? [])].forEach((block, i) =>
      block.classList.toggle('active', i === chosen),
    )
  }
}
