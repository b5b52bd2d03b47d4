import { defineConfig } from 'vitepress'
import { accessibleSearch } from './accessible-search.ts'
import { anchorOf } from './anchor.ts'
import { inlinePictures } from './pictures.ts'
import { adaptRepositoryLinks } from './repository-links.ts'
import { API_REFERENCE, sidebar } from './navigation.ts'
import { writeMarkdown } from './pages/markdown.ts'
import { searchOptions } from './search/options.ts'
import { searchIndex } from './search/search-index.ts'

/**
 * The pages are the Markdown files of `docs/`, which GitHub shows as well. A link to a page that does not exist fails
 * the build. Values of `themeConfig` are plain data: VitePress would run functions through `eval`, which the content
 * security policy of the site forbids.
 */
export default defineConfig({
  title: 'Whereabouts',
  titleTemplate: ':title · Whereabouts docs',
  description: 'How to integrate, connect readers to, and operate Whereabouts.',
  lang: 'en',
  base: '/docs/',
  outDir: '../services/console/dist-docs',
  cleanUrls: true,
  metaChunk: true,
  rewrites: {
    'adr/README.md': 'adr/index.md',
    'contributing/README.md': 'contributing/index.md',
    'design/README.md': 'design/index.md',
  },
  head: [['link', { rel: 'icon', href: '/docs/icon.svg', type: 'image/svg+xml' }]],
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: anchorOf },
    config: (md) => {
      adaptRepositoryLinks(md)
      inlinePictures(md)
    },
  },
  vite: {
    publicDir: '../services/console/web/public',
    build: { assetsInlineLimit: 0 },
    plugins: [accessibleSearch, searchIndex],
  },
  themeConfig: {
    logo: { src: '/icon.svg', alt: '' },
    nav: [
      API_REFERENCE,
      { text: 'Console', link: '/../', target: '_self' }, // links are below the base
    ],
    sidebar,
    outline: [2, 3],
    search: {
      provider: 'local',
      options: { miniSearch: { searchOptions } },
    },
  },
  buildEnd: ({ outDir }) => writeMarkdown(outDir),
  transformPageData(page) {
    if (page.relativePath === 'index.md') page.frontmatter['pageClass'] = 'start'
  },
})
