import AsyncStorage from '@react-native-async-storage/async-storage'
import { expo } from '../../app.json'
import { answersKeptIn } from './kept-answers'
import { queryClient } from './query-client'

export const answers = answersKeptIn(AsyncStorage, queryClient, expo.version)
