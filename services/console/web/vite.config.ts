import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { firstLoadBudget } from './first-load.ts'

/**
 * The folder is `static/`, because `/assets` is a screen. Nothing is inlined, because the policy of the page forbids
 * it.
 */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), firstLoadBudget({ page: 'index.html', maxKiB: 300 })],
  build: {
    outDir: '../dist',
    emptyOutDir: true,
    assetsDir: 'static',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'baseline-widely-available',
    reportCompressedSize: false,
  },
})
