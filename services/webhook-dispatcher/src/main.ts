import { runService } from '@whereabouts/service-kit/service/run'
import { loadConfig } from './config.ts'
import { dispatcher } from './parts.ts'

await runService('webhook-dispatcher', () => loadConfig(process.env), dispatcher)
