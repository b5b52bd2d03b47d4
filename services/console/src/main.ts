import { runService } from '@whereabouts/service-kit/service/run'
import { loadConfig } from './config.ts'
import { consoleParts } from './parts.ts'

await runService('console', () => loadConfig(process.env), consoleParts)
