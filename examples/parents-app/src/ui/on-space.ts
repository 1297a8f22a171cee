import { Platform } from 'react-native'

interface KeyPress {
  key: string
  repeat: boolean
  preventDefault: () => void
}

/** On the web, the space bar presses radio buttons and switches too, as everybody expects of them. */
export const onSpace = (press: () => void) =>
  Platform.OS === 'web'
    ? {
        onKeyDown: (event: KeyPress) => {
          if (event.key !== ' ') return
          event.preventDefault()
          // Held down, it presses once.
          if (!event.repeat) press()
        },
      }
    : {}
