import { Platform } from 'react-native'

interface KeyPress {
  key: string
  repeat: boolean
  preventDefault: () => void
}

/** On the web, makes the space bar press radio buttons and switches too, as users expect. */
export const onSpace = (press: () => void) =>
  Platform.OS === 'web'
    ? {
        onKeyDown: (event: KeyPress) => {
          if (event.key !== ' ') return
          event.preventDefault()
          // Holding the key down counts as one press.
          if (!event.repeat) press()
        },
      }
    : {}
