import { afterAll } from 'vitest'
import { stopEngine } from './sdk.ts'

afterAll(stopEngine)
