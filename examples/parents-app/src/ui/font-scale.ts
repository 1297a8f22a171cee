import { useWindowDimensions } from 'react-native'
import type { StyleProp, TextStyle } from 'react-native'

/** How much larger than usual the user wants texts to be; where more does not fit, `most` at the most. */
export const useFontScale = (most = Infinity): number => Math.min(useWindowDimensions().fontScale, most)

/** Phones enlarge texts by themselves. */
export const enlarged = (style: StyleProp<TextStyle>, _scale: number): StyleProp<TextStyle> => style
