import { expect, vi } from 'vitest'
import { observeFile } from './observed.ts'

observeFile(expect.getState().testPath ?? '')
// A test that broke off in another file of this worker may have left its clock.
vi.useRealTimers()
