import { gzipSync } from 'node:zlib'

const BLOCK = 512
/** Bytes that are no multiple of a block are filled up, and two empty blocks end the archive. */
const filled = (bytes: number) => Math.ceil(bytes / BLOCK) * BLOCK

/**
 * A packed TAR archive of small files. Its bytes depend on the files alone: it has no times and no users, and nothing is
 * compressed, because versions of zlib, and one version on several processors, compress differently.
 */
export function tarGz(files: ReadonlyArray<readonly [path: string, content: Buffer, mode?: number]>): Buffer {
  const blocks = files.flatMap(([path, content, mode = 0o644]) => {
    const body = Buffer.alloc(filled(content.length))
    content.copy(body)
    return [header(path, content.length, mode), body]
  })
  const packed = gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]), { level: 0 })
  packed[9] = 0xff // the operating system: unknown
  return packed
}

/** In the format ustar. */
function header(path: string, bytes: number, mode: number): Buffer {
  const block = Buffer.alloc(BLOCK)
  const put = (text: string, at: number) => block.write(text, at, 'utf8')
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0')
  const cut = Buffer.byteLength(path) <= 100 ? -1 : path.indexOf('/', Buffer.byteLength(path) - 101)
  put(path.slice(cut + 1), 0)
  put(cut < 0 ? '' : path.slice(0, cut), 345)
  if (path.length - cut - 1 > 100 || cut > 155)
    throw new Error(`the path is too long for an archive: ${path}`)
  put(octal(mode, 7), 100)
  put(octal(0, 7), 108)
  put(octal(0, 7), 116)
  put(octal(bytes, 11), 124)
  put(octal(0, 11), 136)
  put(' '.repeat(8), 148)
  put('0', 156)
  put('ustar\u000000', 257)
  put(
    `${octal(
      block.reduce((sum, byte) => sum + byte, 0),
      6,
    )}\0 `,
    148,
  )
  return block
}
