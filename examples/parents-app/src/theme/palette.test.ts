import { expect, test } from 'vitest'
import { day, night } from './palette'

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

const both = [
  ['day', day],
  ['night', night],
] as const

test.each(both)('text is readable on its ground: %s', (_, palette) => {
  for (const ground of [palette.ground, palette.surface, palette.sunken])
    for (const text of [palette.ink, palette.muted, palette.accent, palette.danger])
      expect(contrast(text, ground), `${text} on ${ground}`).toBeGreaterThanOrEqual(4.5)
  expect(contrast(palette.onAccent, palette.accent)).toBeGreaterThanOrEqual(4.5)
  expect(contrast(palette.accent, palette.soft)).toBeGreaterThanOrEqual(4.5)
  expect(contrast(palette.danger, palette.dangerSoft)).toBeGreaterThanOrEqual(4.5)
})

test.each(both)('borders and marks of controls are visible: %s', (_, palette) => {
  for (const ground of [palette.ground, palette.surface, palette.sunken])
    for (const part of [palette.edge, palette.accent, palette.danger, palette.note])
      expect(contrast(part, ground), `${part} on ${ground}`).toBeGreaterThanOrEqual(3)
  expect(contrast(palette.thumb, palette.edge)).toBeGreaterThanOrEqual(3)
  expect(contrast(palette.onAccent, palette.accent)).toBeGreaterThanOrEqual(3)
})

test.each(both)('the chosen option is lighter than its track: %s', (_, palette) => {
  expect(luminance(palette.raised)).toBeGreaterThan(luminance(palette.sunken))
  expect(contrast(palette.accent, palette.raised)).toBeGreaterThanOrEqual(3)
  expect(contrast(palette.ink, palette.raised)).toBeGreaterThanOrEqual(4.5)
})
