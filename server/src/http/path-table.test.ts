import { expect, test } from 'vitest'
import { pathTable } from './path-table.ts'

const find = pathTable([
  ['/api/device/{device_id}', 'one device'],
  ['/api/device/{device_id}/log/{log_id}', 'one log'],
  ['/api/device/all', 'all devices'],
  ['/api/device', 'devices'],
])

test.each([
  ['/api/device', 'devices', {}],
  ['/api/device/7', 'one device', { device_id: '7' }],
  ['/api/device/a%2Fb%20c', 'one device', { device_id: 'a/b c' }],
  ['/api/device/%00', 'one device', { device_id: '\0' }],
  ['/api/device/7/log/8', 'one log', { device_id: '7', log_id: '8' }],
  ['/api/device/all', 'all devices', {}],
])('%s is %s', (path, served, parameters) => {
  expect(find(path)).toEqual({ served, parameters })
})

test.each([
  '',
  '*',
  '/api/device/',
  '/api/device/7/',
  '/api/device//log/8',
  '/api/device/7/log',
  '/api/Device/7',
  '/api/x/../device/7',
  '/x/api/device/7',
  '/api/device/%',
  '/api/device/%E0%A4%A',
  '/api/%64evice',
])('%j is nothing', (path) => {
  expect(find(path)).toBeUndefined()
})
