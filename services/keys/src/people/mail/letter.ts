import type { Text } from './texts.en.ts'

export type Letter = { subject: string; text: string; html: string }

/** Plain text and HTML of a mail. The link is a button, and text below it for programs that show no buttons. */
export function letterOf({ title, lines = [], paragraphs, button }: Text, link: string | undefined): Letter {
  const list = lines.map((line) => `- ${line}`).join('\n')
  const text = [
    title,
    ...(list === '' ? [] : [list]),
    ...paragraphs,
    ...(link === undefined ? [] : [link]),
  ].join('\n\n')
  const action = link === undefined || button === undefined ? '' : buttonOf(link, button)
  const html = [
    '<!doctype html><html lang="en"><body style="font-family:sans-serif;line-height:1.5;max-width:36em">',
    `<h1 style="font-size:1.3em">${escaped(title)}</h1>`,
    ...(list === '' ? [] : [`<ul>${lines.map((line) => `<li>${escaped(line)}</li>`).join('')}</ul>`]),
    ...paragraphs.map((paragraph) => `<p>${escaped(paragraph)}</p>`),
    action,
    '</body></html>',
  ].join('\n')
  return { subject: title.replaceAll(/\s+/g, ' '), text: `${text}\n`, html }
}

const buttonOf = (link: string, label: string) =>
  `<p><a href="${escaped(link)}" style="background:#1864ab;color:#fff;padding:.7em 1.2em;text-decoration:none">${escaped(label)}</a></p>
<p style="color:#555;font-size:.85em">${escaped(link)}</p>`

/** Names of organizations and people are what anybody typed. */
const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
