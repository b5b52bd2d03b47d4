import { runService } from '@whereabouts/service-kit/service/run'
import { loadConfig } from './config.ts'
import { keys } from './parts.ts'

await runService('keys', () => loadConfig(process.env), keys)
