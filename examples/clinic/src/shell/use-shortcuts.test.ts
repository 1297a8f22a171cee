import { expect, test } from 'vitest'
import { shortcutOf } from './use-shortcuts'

const pressed = (key: string, code: string, shiftKey = false) => shortcutOf({ key, code, shiftKey })

test('a letter is known in every layout and under caps lock', () => {
  expect(pressed('j', 'KeyJ')).toBe('j')
  expect(pressed('J', 'KeyJ')).toBe('j')
  expect(pressed('ㅓ', 'KeyJ')).toBe('j')
  expect(pressed('Process', 'KeyJ')).toBe('j')
  // On a Dvorak keyboard.
  expect(pressed('j', 'KeyC')).toBe('j')
})

test('other keys are what they write', () => {
  expect(pressed('/', 'Slash')).toBe('/')
  expect(pressed('?', 'Slash', true)).toBe('?')
  expect(pressed('ArrowDown', 'ArrowDown')).toBe('ArrowDown')
  expect(pressed('J', 'KeyJ', true)).toBe('J')
})
