import { runService } from '@whereabouts/service-kit/service/run'
import { loadConfig } from './config.ts'
import { catalog } from './parts.ts'

await runService('catalog', () => loadConfig(process.env), catalog)
