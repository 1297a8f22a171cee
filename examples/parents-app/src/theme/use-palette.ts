import { useColorScheme } from 'react-native'
import { day, night } from './palette'

/** The colours that the device asks for. */
export const usePalette = () => (useColorScheme() === 'dark' ? night : day)
