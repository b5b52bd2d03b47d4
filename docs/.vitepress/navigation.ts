import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

type Item = { text: string; link: string }
type Section = { text: string; items: Item[] }

/** `/docs/api`, from where the console redirects to `/api`. */
export const API_REFERENCE = page('api', 'API reference')

const guidesWith = (readers: readonly Item[]): Section[] => [
  {
    text: 'Start',
    items: [
      page('', 'What is here'),
      page('quick-start', 'Quick start'),
      page('concepts', 'Concepts'),
      page('rules', 'Rules and alerts'),
      page('people', 'People and roles'),
      page('glossary', 'Glossary'),
      page('sandbox', 'Sandbox and test mode'),
      page('comparison', 'What it does not do'),
      page('data-protection', 'Data protection'),
    ],
  },
  {
    text: 'Integrate',
    items: [
      page('integrating', 'Integrating'),
      page('recipes', 'Recipes'),
      page('clients/typescript', 'Client for TypeScript'),
      page('clients/python', 'Client for Python'),
      page('clients/command-line', 'The command line'),
      page('webhooks', 'Webhooks'),
      page('events', 'Events'),
      page('event-types', 'Types of events'),
      page('syncing', 'Keeping an ERP in step'),
      page('mcp', 'Assistants (MCP)'),
      page('exports', 'Exports'),
      page('low-code', 'Excel, Power BI, Zapier'),
      page('going-live', 'Going live'),
      API_REFERENCE,
      page('errors', 'Errors'),
      page('limits', 'Limits'),
      page('versions', 'Versions and deprecation'),
      page('coming-from', 'Coming from an older product'),
      page('contract', 'The contract'),
    ],
  },
  {
    text: 'Connect readers',
    items: [
      page('readers', 'Connecting readers'),
      page('mqtt', 'MQTT'),
      page('why-did-my-message-not-arrive', 'Why did it not arrive?'),
      page('positions', 'What decides a position'),
      ...readers,
    ],
  },
  {
    text: 'Operate',
    items: [
      page('operating', 'Operating'),
      page('single-sign-on', 'Single sign-on'),
      page('kubernetes', 'Kubernetes'),
      page('monitoring', 'Monitoring'),
      page('runbooks', 'Runbooks'),
      page('backup', 'Backup and restore'),
      page('scaling', 'Scaling'),
      page('moving', 'Moving the database'),
      page('secrets', 'Secrets'),
      page('security', 'Security'),
      page('performance', 'Performance'),
    ],
  },
]

const CONTRIBUTING = page('contributing/', 'Contributing')
const ALL_DECISIONS = page('adr/', 'All decisions')
const CHANGELOG = page('changelog', 'Changelog')
const DESIGN = page('design/', 'How it works inside')

const PROJECT = [CHANGELOG, DESIGN, CONTRIBUTING, ALL_DECISIONS]

/**
 * The menu, by path. Only decisions list all decisions, readers all vendors, chapters all chapters, and
 * contributing all its guides: the lists would be half of every page.
 */
export const sidebar: Record<string, Section[]> = {
  '/': [...guidesWith([]), { text: 'The project', items: PROJECT }],
  '/readers': [...guidesWith(pagesIn('readers')), { text: 'The project', items: PROJECT }],
  '/contributing/': [
    ...guidesWith([]),
    { text: 'The project', items: [...PROJECT, ...pagesIn('contributing')] },
  ],
  '/design/': [...guidesWith([]), { text: 'The project', items: [...PROJECT, ...pagesIn('design')] }],
  '/adr/': [...guidesWith([]), { text: 'The project', items: [...PROJECT, ...pagesIn('adr')] }],
}

/** The pages of a folder without its index, by file name. */
function pagesIn(name: string): Item[] {
  const folder = join(import.meta.dirname, '..', name)
  const files = readdirSync(folder).filter((file) => file.endsWith('.md') && file !== 'README.md')
  return files.toSorted().map((file) => page(`${name}/${file.slice(0, -3)}`, titleOf(join(folder, file))))
}

function titleOf(file: string): string {
  const title = /^# (.+)$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? file
  return title.replaceAll('`', '')
}

function page(name: string, text: string): Item {
  return { text, link: `/${name}` }
}
