import { StyleSheet } from 'react-native'
import type { StyleProp, TextStyle } from 'react-native'

/** The text size set in the browser, relative to the usual 16 pixels; at most `most`. */
export const useFontScale = (most = Infinity): number =>
  Math.min(Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16, most)

export function enlargedTextStyle(style: StyleProp<TextStyle>, scale: number): StyleProp<TextStyle> {
  const { fontSize = 16, lineHeight, ...rest } = StyleSheet.flatten(style) ?? {}
  return {
    ...rest,
    fontSize: fontSize * scale,
    ...(lineHeight === undefined ? {} : { lineHeight: lineHeight * scale }),
  }
}
