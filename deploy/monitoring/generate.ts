// Writes dashboards/*.json, the table of metrics in docs/monitoring.md, and the alerts for Kubernetes:
//   node deploy/monitoring/generate.ts && pnpm exec oxfmt deploy/monitoring/dashboards docs/monitoring.md
import { writeFileSync } from 'node:fs'
import { generatedFiles } from './generated-files.ts'

for (const { path, content } of generatedFiles()) {
  writeFileSync(path, content)
  process.stdout.write(`wrote ${path}\n`)
}
