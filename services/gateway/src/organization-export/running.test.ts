import { expect, test } from 'vitest'
import { runningExports } from './running.ts'

test('an organization has one export at a time, and a gateway two', () => {
  const running = runningExports()
  for (const first of [1, 2, 3]) {
    const [end, endOther] = [running.begin(first), running.begin(9)]
    expect(() => running.begin(first)).toThrow('An export of this organization is running')
    expect(() => running.begin(8)).toThrow('Other organizations are being exported')
    end()
    running.begin(first)()
    endOther()
  }
})
