import { expect } from 'vitest'
import { observeFile } from './observed.ts'

observeFile(expect.getState().testPath ?? '')
