import type { Theme } from 'vitepress'
import theme from 'vitepress/theme-without-fonts'
import { defineComponent, h } from 'vue'
import { CopyPage } from './copy-page.ts'
import { keepLanguage } from './language.ts'
import { pageWeight } from './page-weight.ts'
import { searchTerm } from './search-term.ts'
import './theme.css'

const notFound = () =>
  h('main', { class: 'vp-doc not-found' }, [
    h('h1', 'Page not found'),
    h('p', ['Search above, or go to ', h('a', { href: '/docs/' }, 'the first page'), '.']),
  ])

export default {
  extends: theme,
  Layout: defineComponent(() => {
    keepLanguage()
    return () => h(theme.Layout, null, { 'not-found': notFound, 'doc-before': () => h(CopyPage) })
  }),
  enhanceApp({ router, siteData }) {
    // The API reference is a page of the gateway: the browser must load it.
    router.onBeforeRouteChange = (to) => {
      if (!/^[^?#]*\/docs\/api(?:$|[?#])/.test(to)) return true
      location.assign('/api')
      return false
    }
    // In config.ts it would reach the browser as text, which the content security policy does not let run.
    Object.assign(siteData.value.themeConfig.search.options.miniSearch.searchOptions, {
      boostDocument: pageWeight,
      processTerm: searchTerm,
    })
  },
} satisfies Theme
