/** A package of a client, or a collection for a program that sends requests. `url` changes with its bytes, and so may be kept for ever. */
export type Download = {
  name: string
  version: string
  language: 'JavaScript' | 'Python' | 'Postman' | 'Bruno'
  size: number
  sha256: string
  url: string
}

const STYLE = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
pre { overflow-x: auto; padding: .75rem; border: 1px solid; border-radius: .25rem }
table { border-collapse: collapse } td, th { text-align: left; padding: .25rem 1rem .25rem 0; vertical-align: top }
td code { overflow-wrap: anywhere }`

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string) => text.replaceAll(/[&<>"]/g, (character) => ESCAPES[character] ?? '')

/** The page for people: each package, how to install it, and how to check it. `base`: the address of the page. */
export function downloadsPage(base: string, downloads: readonly Download[]): string {
  const addressOf = (language: Download['language']) =>
    escaped(`${base}${downloads.find((one) => one.language === language)?.name ?? ''}`)
  const rows = downloads.map(
    ({ name, version, language, size, sha256 }) =>
      `<tr><td><a href="${escaped(name)}" download>${escaped(name)}</a><td>${language}<td>${escaped(version)}<td>${size}<td><code>${sha256}</code>`,
  )
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<title>Downloads · Whereabouts</title>
<style>${STYLE}</style>
<h1>Downloads</h1>
<p>The clients of this system, and collections of its API. They need no account to download. <a href="/docs/integrating">How to begin</a>.</p>
<table>
<thead><tr><th>File<th>For<th>Version<th>Bytes<th>SHA-256</thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
<h2>JavaScript and TypeScript</h2>
<pre>npm install ${addressOf('JavaScript')}</pre>
<p><a href="/docs/clients/typescript">All functions</a>. It needs Node 20 or newer, or a browser, and no registry.</p>
<h2>Python</h2>
<pre>pip install ${addressOf('Python')}</pre>
<p><a href="/docs/clients/python">All functions</a>. It needs Python 3.9 or newer, and httpx.</p>
<h2>The command line</h2>
<p>The package for JavaScript has the command <code>whereabouts</code>.</p>
<pre>npm install --global ${addressOf('JavaScript')}
whereabouts --help</pre>
<p><a href="/docs/clients/command-line">All commands</a>.</p>
<h2>Postman and Bruno</h2>
<p>Collections of all operations with examples. Import the file, set the address of this system and a key, and send: they request the token.
<a href="/docs/integrating#postman-and-bruno">How to begin</a>.</p>
<h2>Builds that repeat</h2>
<p>An upgrade of this system replaces these files. Keep the file that you use beside your program, or in a registry of your own.
<a href="SHA256SUMS">SHA256SUMS</a> is for <code>sha256sum --check</code>. Programs read this page as JSON.</p>
</html>
`
}
