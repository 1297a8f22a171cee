import AsyncStorage from '@react-native-async-storage/async-storage'
import { expo } from '../../app.json'
import { cachedResponses } from './cached-responses'
import { queryClient } from './query-client'

export const responseCache = cachedResponses(AsyncStorage, queryClient, expo.version)
