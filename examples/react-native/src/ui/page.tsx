import type { ReactNode } from 'react'
import { KeyboardAvoidingView, Platform, RefreshControl, ScrollView, StyleSheet } from 'react-native'
import { useSafeAreaInsets } from 'react-native-safe-area-context'
import { usePalette } from '../theme/use-palette'

interface PageProps {
  children: ReactNode
  /** Below a navigation header there is no need to keep clear of the top. */
  hasHeader?: boolean
  onRefresh?: (() => void) | undefined
  isRefreshing?: boolean
}

/** The scrolling ground of a screen, not wider than reads well. */
export function Page({ children, hasHeader = false, onRefresh, isRefreshing = false }: PageProps) {
  const palette = usePalette()
  const insets = useSafeAreaInsets()
  return (
    <KeyboardAvoidingView
      behavior={Platform.OS === 'ios' ? 'padding' : undefined}
      style={[styles.fill, { backgroundColor: palette.ground }]}
    >
      <ScrollView
        keyboardShouldPersistTaps="handled"
        contentContainerStyle={[
          styles.content,
          { paddingTop: hasHeader ? 16 : insets.top + 20, paddingBottom: insets.bottom + 28 },
        ]}
        refreshControl={
          onRefresh ? (
            <RefreshControl refreshing={isRefreshing} onRefresh={onRefresh} tintColor={palette.muted} />
          ) : undefined
        }
      >
        {children}
      </ScrollView>
    </KeyboardAvoidingView>
  )
}

const styles = StyleSheet.create({
  fill: { flex: 1 },
  content: { width: '100%', maxWidth: 560, alignSelf: 'center', flexGrow: 1, paddingHorizontal: 20, gap: 16 },
})
