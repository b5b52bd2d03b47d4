import { crc32 } from 'node:zlib'

/** 1980-01-01 00:00, the first moment of the format, so that the same files make the same archive. */
const DATE = 0x21
const LOCAL_HEADER_BYTES = 30
const ENTRY_BYTES = 46
const END_BYTES = 22
/** A regular file that its owner may write and everybody may read. */
const MODE = (0o100644 << 16) >>> 0

/** A ZIP archive of small files, without compression. */
export function zip(files: ReadonlyArray<readonly [path: string, content: Buffer]>): Buffer {
  const [bodies, directory]: [Buffer[], Buffer[]] = [[], []]
  let offset = 0
  for (const [path, content] of files) {
    const name = Buffer.from(path)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0) // version 2.0
    common.writeUInt16LE(0x800, 2) // the name is UTF-8
    common.writeUInt16LE(DATE, 8)
    common.writeUInt32LE(crc32(content), 10)
    common.writeUInt32LE(content.length, 14)
    common.writeUInt32LE(content.length, 18)
    common.writeUInt16LE(name.length, 22)
    const entry = Buffer.alloc(ENTRY_BYTES)
    entry.write('PK\x01\x02', 'latin1')
    entry.writeUInt16LE(0x0314, 4) // made on Unix: the mode counts
    common.copy(entry, 6)
    entry.writeUInt32LE(MODE, 38)
    entry.writeUInt32LE(offset, 42)
    directory.push(entry, name)
    bodies.push(Buffer.from('PK\x03\x04', 'latin1'), common, name, content)
    offset += LOCAL_HEADER_BYTES + name.length + content.length
  }
  const end = Buffer.alloc(END_BYTES)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(files.length, 8)
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(Buffer.concat(directory).length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...bodies, ...directory, end])
}
