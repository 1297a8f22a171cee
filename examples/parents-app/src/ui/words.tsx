import { Text } from 'react-native'
import type { TextProps, TextStyle } from 'react-native'
import { usePalette } from '../theme/use-palette'
import { enlargedTextStyle, useFontScale } from './font-scale'

type Tone = 'ink' | 'muted' | 'accent' | 'onAccent' | 'note' | 'danger'

const kinds = {
  display: { fontSize: 34, lineHeight: 42, fontWeight: '600', letterSpacing: -0.6 },
  title: { fontSize: 26, lineHeight: 34, fontWeight: '700', letterSpacing: -0.4 },
  heading: { fontSize: 17, lineHeight: 24, fontWeight: '600' },
  body: { fontSize: 16, lineHeight: 24 },
  label: { fontSize: 14, lineHeight: 20, fontWeight: '500' },
  caption: { fontSize: 13, lineHeight: 18 },
} satisfies Record<string, TextStyle>

/** The text size beyond which a kind, large by itself, leaves no room for long words on a phone. */
const mostOf: Partial<Record<keyof typeof kinds, number>> = {
  display: 1.5,
  title: 1.5,
  heading: 1.8,
}

/** The text size from which words are so wide that they need to be divided. */
const DIVIDED = 1.3

// Korean text breaks between words only, as is usual in print; a word that is wider than its place and that nobody knows
// how to divide breaks anywhere.
const wholeWords = { flexShrink: 1, wordBreak: 'keep-all', overflowWrap: 'anywhere' }
// Browsers divide words by the language of the page.
const divided = { ...wholeWords, hyphens: 'auto' }

interface WordsProps extends TextProps {
  kind?: keyof typeof kinds
  tone?: Tone
}

/** Text in one of the app's sizes. Titles and headings are headings for screen readers too. */
export function Words({ kind = 'body', tone = 'ink', style, ...rest }: WordsProps) {
  const palette = usePalette()
  const most = rest.maxFontSizeMultiplier ?? mostOf[kind]
  const scale = useFontScale(most)
  const role = kind === 'title' || kind === 'heading' ? { accessibilityRole: 'header' as const } : {}
  return (
    <Text
      lineBreakStrategyIOS="hangul-word"
      android_hyphenationFrequency={scale < DIVIDED ? 'none' : 'normal'}
      {...role}
      {...rest}
      maxFontSizeMultiplier={most}
      style={enlargedTextStyle(
        [kinds[kind], scale < DIVIDED ? wholeWords : divided, { color: palette[tone] }, style],
        scale,
      )}
    />
  )
}
