import { commandLine } from '@whereabouts/client/cli/program'
import type { Command } from 'commander'
import { NOTICE } from './pages.ts'

const HEAD = `# The command line

${NOTICE.replace('the doc comments', '--help')}

\`whereabouts\` is in [the package for JavaScript](typescript.md), and needs Node 20 or newer. \`/downloads/\` of your system has the file.

\`\`\`sh
npm install --global "$BASE/downloads/whereabouts-client-1.0.0.tgz"
whereabouts login --base "$BASE"
\`\`\`

To run it once without installing: \`npx --package FILE whereabouts --help\`. \`--json\` prints one object per line, for programs.
`

/** The page of the command line: what \`--help\` of each command says. */
export function commandLinePage(): string {
  return [HEAD, ...partsOf(commandLine(), [])].join('\n')
}

function partsOf(command: Command, path: readonly string[]): string[] {
  const own = [...path, command.name()]
  const title = path.length === 0 ? '## All commands' : `## ${own.join(' ')}`
  const help = `${title}\n\n\`\`\`text\n${helpOf(command)}\n\`\`\`\n`
  return [help, ...command.commands.flatMap((sub) => partsOf(sub, own))]
}

/** As it is printed, with what is added to it, at a width of its own. */
function helpOf(command: Command): string {
  let text = ''
  command.configureOutput({
    writeOut: (part) => (text += part),
    getOutHelpWidth: () => 100,
    getOutHasColors: () => false,
  })
  command.outputHelp()
  return text.trim()
}
