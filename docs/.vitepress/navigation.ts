import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

type Item = { text: string; link: string }
type Section = { text: string; items: Item[] }

/** `/docs/api`, from where the console redirects to `/api`. */
export const API_REFERENCE = page('api', 'API reference')

const GUIDES: Section[] = [
  {
    text: 'Start',
    items: [
      page('', 'What is here'),
      page('quick-start', 'Quick start'),
      page('concepts', 'Concepts'),
      page('glossary', 'Glossary'),
    ],
  },
  {
    text: 'Integrate',
    items: [
      page('integrating', 'Integrating'),
      page('recipes', 'Recipes'),
      page('webhooks', 'Webhooks'),
      page('syncing', 'Keeping an ERP in step'),
      page('going-live', 'Going live'),
      API_REFERENCE,
      page('errors', 'Errors'),
      page('limits', 'Limits'),
      page('coming-from', 'Coming from an older product'),
      page('contract', 'The contract'),
    ],
  },
  { text: 'Connect readers', items: [page('readers', 'Connecting readers')] },
  {
    text: 'Operate',
    items: [
      page('operating', 'Operating'),
      page('kubernetes', 'Kubernetes'),
      page('monitoring', 'Monitoring'),
      page('runbooks', 'Runbooks'),
      page('backup', 'Backup and restore'),
      page('scaling', 'Scaling'),
      page('secrets', 'Secrets'),
      page('security', 'Security'),
      page('performance', 'Performance'),
    ],
  },
]

const ALL_DECISIONS = page('adr/', 'All decisions')
const CHANGELOG = page('changelog', 'Changelog')
const DESIGN = page('design', 'Design of the console')

/** The menu, by path. Only decisions list all decisions: the list would be half of every page. */
export const sidebar: Record<string, Section[]> = {
  '/': [...GUIDES, { text: 'The project', items: [CHANGELOG, DESIGN, ALL_DECISIONS] }],
  '/adr/': [...GUIDES, { text: 'The project', items: [CHANGELOG, DESIGN, ALL_DECISIONS, ...decisions()] }],
}

function decisions(): Item[] {
  const folder = join(import.meta.dirname, '../adr')
  const files = readdirSync(folder).filter((name) => /^\d{4}-.*\.md$/.test(name))
  return files.toSorted().map((name) => page(`adr/${name.slice(0, -3)}`, titleOf(join(folder, name))))
}

function titleOf(file: string): string {
  return /^# (.+)$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? file
}

function page(name: string, text: string): Item {
  return { text, link: `/${name}` }
}
