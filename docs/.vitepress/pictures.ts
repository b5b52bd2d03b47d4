import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MarkdownRenderer } from 'vitepress'

/** SVG pictures become part of the page, so that they have its colors, light and dark. The text between [ ] describes them. */
export function inlinePictures(md: MarkdownRenderer): void {
  const asFile = md.renderer.rules.image
  md.renderer.rules.image = (tokens, index, options, env, self) => {
    const source = tokens[index]?.attrGet('src') ?? ''
    if (!/^pictures\/[\w-]+\.svg$/.test(source))
      return asFile?.(tokens, index, options, env, self) ?? self.renderToken(tokens, index, options)
    const description = md.utils.escapeHtml(tokens[index]?.content ?? '')
    const svg = readFileSync(join(import.meta.dirname, '..', source), 'utf8').replace(
      /\s*<title>[^]*?<\/title>/,
      '',
    )
    return svg
      .trim()
      .replaceAll(/\n\s*/g, '')
      .replace('<svg ', `<svg class="picture" role="img" aria-label="${description}" `)
  }
}
