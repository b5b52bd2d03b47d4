import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { completeStyles, loadBudget } from './first-load.ts'

/** Screens that lead to each other load together: 90 small files would be 90 requests over the Wi-Fi of a warehouse. */
const AREAS: Readonly<Record<string, string>> = {
  assets: 'assets|asset|imports',
  deleted: 'deleted',
  locations: 'locations|location',
  overview: 'overview|floor',
  movements: 'live|movements',
  readers: 'readers|unknown-tags|provision',
  organization: 'members|limits|api-keys|webhook|account|positions',
  passwords: 'forgot-password|reset-password',
}

/** Screens, and what only one area needs. */
const OWN = /[\\/](?:screens|finder|spotlight|uplot|web[\\/]floor)[\\/]/
/** Parts of one screen that others show, too. */
const BORROWED = new RegExp(
  String.raw`[\\/]screens[\\/](?:${[
    'locations/(?:tree|branch|use-branch)',
    'location/(?:location-queries|location-fields|reloaded)',
    'deleted/restore',
    'readers/(?:use-readers|last-hour)',
    'positions/(?:use-placement|presets)',
  ]
    .join('|')
    .replaceAll('/', String.raw`[\\/]`)})`,
)

/** What the guide needs of the readers: all of them are too much for one screen. */
const CONNECT =
  /[\\/]screens[\\/]readers[\\/](?:connect-reader|device-settings|reader-credentials|broker-address|formats|vendor-steps|health-text|use-scan-points|use-tagged-asset|use-test-read)/

/** The first of these that fits a module decides on its file. */
const GROUPS = [
  { name: 'first', tags: ['$initial' as const] },
  { name: 'parts', minShareCount: 2, test: (id: string) => !OWN.test(id) || BORROWED.test(id) },
  { name: 'floor', test: /[\\/]web[\\/]floor[\\/](?!edit)/ },
  { name: 'connect', test: CONNECT },
  ...Object.entries(AREAS).map(([name, folders]) => ({
    name,
    test: new RegExp(
      String.raw`[\\/]screens[\\/](?:${folders})[\\/](?!rate-plot|qr-code|try-message\.|live-reads\.|use-live-reads)`,
    ),
  })),
].map((group, at) => Object.assign(group, { priority: 100 - at }))

/**
 * The folder is `static/`, because `/assets` is a screen. Nothing is inlined, because the policy of the page forbids
 * it.
 */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    react(),
    completeStyles(),
    loadBudget({ entry: { script: 200, css: 32 }, screen: 60, requests: 24 }),
  ],
  build: {
    outDir: '../dist',
    emptyOutDir: true,
    assetsDir: 'static',
    assetsInlineLimit: 0,
    cssCodeSplit: false, // nine small files are nine requests, and together they are as small as the largest
    modulePreload: { polyfill: false },
    target: 'baseline-widely-available',
    reportCompressedSize: false,
    rolldownOptions: { output: { codeSplitting: { groups: GROUPS } } },
  },
})
