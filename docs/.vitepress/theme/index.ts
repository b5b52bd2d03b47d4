import type { Theme } from 'vitepress'
import theme from 'vitepress/theme-without-fonts'
import './theme.css'

/** The API reference is a page of the gateway: the browser must load it. */
export default {
  extends: theme,
  enhanceApp({ router }) {
    router.onBeforeRouteChange = (to) => {
      if (!/^[^?#]*\/docs\/api(?:$|[?#])/.test(to)) return true
      location.assign('/api')
      return false
    }
  },
} satisfies Theme
