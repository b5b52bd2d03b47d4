import { Argument, type Command } from 'commander'
import { write } from './output.ts'

/** Prints a script for a shell that completes commands and options. */
export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('print a script that completes commands: source <(whereabouts completion bash)')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .action((shell: 'bash' | 'zsh' | 'fish') =>
      write(shell === 'fish' ? fish(program) : bash(program, shell)),
    )
}

/** What may follow each command, by its path, such as `asset set`. */
function words(command: Command, path: string[] = []): [path: string, words: string[]][] {
  const own = [
    ...command.commands.map((sub) => sub.name()),
    ...command.options.flatMap(({ long }) => long ?? []),
  ]
  return [[path.join(' '), own], ...command.commands.flatMap((sub) => words(sub, [...path, sub.name()]))]
}

function bash(program: Command, shell: 'bash' | 'zsh'): string {
  const patterns = words(program).toReversed().map(([path, own]) => [path === '' ? '*' : `"${path}"|"${path} "*`, own] as const)
  const cases = patterns.map(([pattern, own]) => `    ${pattern}) COMPREPLY=($(compgen -W "${own.join(' ')}" -- "$word")) ;;`)
  return `${shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : ''}_whereabouts() {
  local word=\${COMP_WORDS[COMP_CWORD]} path=() part
  for part in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do [[ $part == -* || \${#path[@]} == 2 ]] || path+=("$part"); done
  case "\${path[*]}" in
${cases.join('\n')}
  esac
}
complete -o default -F _whereabouts whereabouts
`
} // oxfmt-ignore

function fish(program: Command): string {
  return program.commands
    .map((sub) => `complete -c whereabouts -n __fish_use_subcommand -a ${sub.name()} -d '${sub.description().replaceAll("'", '')}'\n`)
    .join('')
} // oxfmt-ignore
