import { readFile } from 'node:fs/promises'

const HEAD = `# Changelog

What changes for programs that use this package, by release. \`/docs/changelog\` of the system that you call has all of it.
`

/** The changelog of both packages: the group "Clients" of each release. Its links are to the documentation, and become text. */
export async function clientChangelog(): Promise<string> {
  const text = await readFile(new URL('../../../docs/changelog.md', import.meta.url), 'utf8')
  const releases = text.split(/^(?=## )/m).slice(1)
  const sections = releases.map((release) => {
    const title = release.slice(0, release.indexOf('\n'))
    const groups = [...release.matchAll(/^Clients\n\n([^]*?)(?=\n\n\S|\n*$(?![^]))/gm)].map(
      ([, lines = '']) => lines,
    )
    return `\n${title}\n\n${groups.join('\n') || 'Nothing for programs.'}\n`
  })
  return (HEAD + sections.join('')).replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
}
