import { expect, test } from 'vitest'
import { uuidOfUrl } from './name-uuid.ts'

test('a URL has the UUID of version 5 that other implementations give it', () => {
  // python3 -c 'import uuid; print(uuid.uuid5(uuid.NAMESPACE_URL, "https://example.org/"))'
  expect(uuidOfUrl('https://example.org/')).toBe('527dda32-a0de-5105-a042-cb475b5f7d11')
  expect(uuidOfUrl('https://example.org/이름')).toBe('43cfe166-2b30-5d6b-8b5f-7b72b92ba6bf')
})
