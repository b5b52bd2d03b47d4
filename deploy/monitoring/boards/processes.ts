import type { Board } from '../grafana.ts'
import { R } from './queries.ts'

export const processes: Board = {
  uid: 'whereabouts-processes',
  title: 'Processes',
  rows: {
    'Every process': [
      {
        title: 'Event loop delay, p99',
        description: 'Above some ten milliseconds everything in the process is slow.',
        unit: 's',
        alert: 'EventLoopBlocked',
        queries: [['nodejs_eventloop_lag_p99_seconds{instance=~"$instance"}', '{{service}} {{instance}}']],
      },
      {
        title: 'CPU',
        description: 'Cores; JavaScript runs on one.',
        unit: 'short',
        queries: [[`rate(process_cpu_seconds_total{instance=~"$instance"}${R})`, '{{service}} {{instance}}']],
      },
      {
        title: 'Memory',
        description: 'Resident.',
        unit: 'bytes',
        alert: 'MemoryHigh',
        queries: [['process_resident_memory_bytes{instance=~"$instance"}', '{{service}} {{instance}}']],
      },
      {
        title: 'Heap',
        description: 'JavaScript objects. Growth from day to day is a leak.',
        unit: 'bytes',
        queries: [['nodejs_heap_size_used_bytes{instance=~"$instance"}', '{{service}} {{instance}}']],
      },
      {
        title: 'Memory outside the heap',
        description: 'Buffers.',
        unit: 'bytes',
        queries: [['nodejs_external_memory_bytes{instance=~"$instance"}', '{{service}} {{instance}}']],
      },
      {
        title: 'Garbage collection',
        description: 'Share of the time.',
        unit: 'percentunit',
        queries: [
          [
            `sum by (service, instance) (rate(nodejs_gc_duration_seconds_sum{instance=~"$instance"}${R}))`,
            '{{service}} {{instance}}',
          ],
        ],
      },
      {
        title: 'Open files',
        description: 'Share of the limit. Connections count as files.',
        unit: 'percentunit',
        queries: [
          [
            'process_open_fds{instance=~"$instance"} / process_max_fds{instance=~"$instance"}',
            '{{service}} {{instance}}',
          ],
        ],
      },
      {
        title: 'Starts',
        description: 'In the last hour.',
        unit: 'short',
        queries: [
          ['changes(process_start_time_seconds{instance=~"$instance"}[1h])', '{{service}} {{instance}}'],
        ],
      },
    ],
  },
}
