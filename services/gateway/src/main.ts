import { runService } from '@whereabouts/service-kit/service/run'
import { loadConfig } from './config.ts'
import { gateway } from './parts.ts'

await runService('gateway', () => loadConfig(process.env), gateway)
