import { useData } from 'vitepress'
import { defineComponent, h, ref, watch } from 'vue'

const ANSWERS = {
  '': '',
  copied: 'Copied',
  failed: 'Not copied. Open the Markdown, and copy it there.',
}

/** Copies the Markdown of the page, or opens it. */
export const CopyPage = defineComponent(() => {
  const { page } = useData()
  const result = ref<keyof typeof ANSWERS>('')
  const address = () => `/docs/${page.value.relativePath}`
  watch(address, () => (result.value = ''))

  /** Safari writes only what it was given within the click: a promise of the text. */
  async function copy() {
    const text = fetch(address()).then(async (answer) => {
      if (!answer.ok) throw new Error(`${answer.url} answered ${answer.status}`)
      return new Blob([await answer.text()], { type: 'text/plain' })
    })
    try {
      await navigator.clipboard.write([new ClipboardItem({ 'text/plain': text })])
      result.value = 'copied'
    } catch {
      result.value = 'failed' // also where the address is not https, which has no clipboard
    }
  }

  return () =>
    h('section', { class: 'copy-page', 'aria-label': 'This page as Markdown' }, [
      h('button', { type: 'button', onClick: copy }, 'Copy page'),
      h('a', { href: address(), target: '_self' }, 'Markdown'),
      h('span', { role: 'status' }, ANSWERS[result.value]),
    ])
})
