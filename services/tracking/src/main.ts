import { runService } from '@whereabouts/service-kit/service/run'
import { loadConfig } from './config.ts'
import { tracking } from './parts.ts'

await runService('tracking', () => loadConfig(process.env), tracking)
