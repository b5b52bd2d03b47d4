import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { completeStyles, loadBudget } from './first-load.ts'

/**
 * Screens that lead to each other are an area, and an area loads together: 90 small files would be 90 requests over the
 * Wi-Fi of a warehouse. What is below a folder `later` loads when it is used. Areas that others import come first, because
 * a group takes what its modules import with it.
 */
const SHARED = ['floor', 'connect']
/** What tells people and what tells programs are one file: one of their own for rules would be a request more. */
const WITH: Readonly<Record<string, readonly string[]>> = { webhooks: ['webhooks', 'rules'] }
const AREAS = new Set([...SHARED, ...readdirSync(join(import.meta.dirname, 'areas'))])
const isBelow = (id: string, ...folders: string[]) =>
  id
    .split(/[\\/]/)
    .join('/')
    .includes(`/${folders.join('/')}/`)

/** Packages that only one area needs. */
const OWN = ['@mantine/spotlight', 'uplot']
const isOwn = (id: string) =>
  isBelow(id, 'web', 'areas') || OWN.some((name) => isBelow(id, 'node_modules', name))

/** The first of these that fits a module decides on its file. */
const GROUPS = [
  { name: 'first', tags: ['$initial' as const] },
  { name: 'parts', minShareCount: 2, test: (id: string) => !isOwn(id) && !isBelow(id, 'later') },
  ...[...AREAS]
    .filter((name) => name !== 'rules')
    .map((name) => ({
      name,
      test: (id: string) =>
        (WITH[name] ?? [name]).some((area) => isBelow(id, 'web', 'areas', area)) && !isBelow(id, 'later'),
    })),
  // What one area loads on demand is small: one file is a request less for each other.
  ...['assets', 'readers', 'rules'].map((name) => ({
    name: `${name}-later`,
    test: (id: string) => isBelow(id, 'web', 'areas', name) && isBelow(id, 'later'),
  })),
  {
    name: 'parts-later',
    test: (id: string) =>
      isBelow(id, 'web', 'parts', 'page', 'later') || isBelow(id, 'web', 'parts', 'views', 'later'),
  },
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
    loadBudget({ entry: { script: 200, css: 32 }, screen: 61, requests: 26 }),
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
