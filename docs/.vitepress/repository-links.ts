import { posix } from 'node:path'
import type { MarkdownRenderer } from 'vitepress'

/**
 * Links as GitHub has them, for the site. Files outside of `docs/` are not on it: links to them become text with the
 * path as its hint. The README of a folder is its index.
 */
export function adaptRepositoryLinks(md: MarkdownRenderer): void {
  md.core.ruler.push('repository-links', ({ tokens, env }) => {
    const folder = posix.dirname(env.relativePath)
    for (const inline of tokens) adaptLinks(inline.children ?? [], folder)
  })
}

type Token = ReturnType<MarkdownRenderer['parse']>[number]

function adaptLinks(tokens: readonly Token[], folder: string): void {
  let isOutside = false
  for (const token of tokens) {
    if (token.type === 'link_open') {
      const href = token.attrGet('href') ?? ''
      isOutside = !/^(?:\w+:|[/#])/.test(href) && pathOf(folder, href).startsWith('../')
      token.attrSet('href', href.replace(/(^|\/)README\.md(?=$|#)/, '$1index.md'))
      if (isOutside) token.attrs = [['title', pathOf(folder, href).replace(/^\.\.\//, '')]]
    }
    if (isOutside && token.type.startsWith('link_')) {
      token.type = token.type.replace('link', 'repository_link') // VitePress renders link_open itself
      token.tag = 'span'
    }
  }
}

const pathOf = (folder: string, href: string) => posix.join(folder, href.split('#', 1)[0] ?? '')
