import { QueryClientProvider } from '@tanstack/react-query'
import { SafeAreaProvider } from 'react-native-safe-area-context'
import { queryClient } from './companion/query-client'
import { LanguageProvider } from './i18n/language'
import { Screens } from './navigation/screens'
import { SessionProvider } from './session/session'
import { PendingLinkProvider } from './sharing/pending-link'

export const App = () => (
  <SafeAreaProvider>
    <QueryClientProvider client={queryClient}>
      <LanguageProvider>
        <PendingLinkProvider>
          <SessionProvider>
            <Screens />
          </SessionProvider>
        </PendingLinkProvider>
      </LanguageProvider>
    </QueryClientProvider>
  </SafeAreaProvider>
)
