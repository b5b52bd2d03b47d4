import { startCollector, type Collector } from '@whereabouts/testing/collector'
import { test as base } from 'vitest'
import { startSystem, type System } from '../system/system.ts'

const TRACED = ['gateway', 'keys', 'catalog', 'tracking', 'webhook-dispatcher'] as const

/**
 * `system`: one for all files of this folder, which run in one process, one after the other; each test has its own
 * organization. `collector`: receives every trace of its services.
 */
export const test = base
  .extend('collector', { scope: 'worker' }, async ({}, { onCleanup }): Promise<Collector> => {
    const collector = await startCollector()
    onCleanup(() => collector.close())
    return collector
  })
  .extend('system', { scope: 'worker' }, async ({ collector }, { onCleanup }): Promise<System> => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, TRACE_SAMPLE_RATIO: '1' }
    const system = await startSystem(Object.fromEntries(TRACED.map((name) => [name, env])))
    onCleanup(() => system.stop())
    return system
  })
