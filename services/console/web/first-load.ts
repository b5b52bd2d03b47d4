import { brotliCompressSync, constants } from 'node:zlib'
import type { Plugin } from 'vite'

type Budget = { page: string; maxKiB: number }

/** Fails the build when the compressed scripts of the first screen exceed the budget. */
export function firstLoadBudget({ page, maxKiB }: Budget): Plugin {
  return {
    name: 'first-load-budget',
    generateBundle(_options, bundle) {
      const entry = Object.values(bundle).find((chunk) => chunk.type === 'chunk' && chunk.isEntry)
      if (!entry) throw new Error(`${page} has no script`)
      const needed = new Set<string>()
      const add = (name: string) => {
        const chunk = bundle[name]
        if (needed.has(name) || chunk?.type !== 'chunk') return
        needed.add(name)
        chunk.imports.forEach(add)
      }
      add(entry.fileName)
      const bytes = Array.from(needed, (name) => {
        const chunk = bundle[name]
        return chunk?.type === 'chunk' ? compressed(chunk.code) : 0
      }).reduce((sum, size) => sum + size, 0)
      const kiB = Math.round(bytes / 1024)
      if (kiB > maxKiB)
        throw new Error(`the first screen needs ${kiB} KiB of compressed script; the limit is ${maxKiB} KiB`)
      this.info(`first screen: ${kiB} KiB of compressed script`)
    },
  }
}

const compressed = (code: string) =>
  brotliCompressSync(code, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }).length
