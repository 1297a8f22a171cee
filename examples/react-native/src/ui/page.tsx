import { useCallback, useRef } from 'react'
import type { ReactNode } from 'react'
import { KeyboardAvoidingView, Platform, RefreshControl, ScrollView, StyleSheet, View } from 'react-native'
import { useSafeAreaInsets } from 'react-native-safe-area-context'
import { usePalette } from '../theme/use-palette'
import { RevealContext } from './reveal'
import type { Reveal } from './reveal'

interface PageProps {
  children: ReactNode
  /** Below a navigation header there is no need to keep clear of the top. */
  hasHeader?: boolean
  onRefresh?: (() => void) | undefined
  isRefreshing?: boolean
}

/** What is left free below what the page has scrolled to. */
const BELOW = 16

/** The scrolling ground of a screen, not wider than reads well. */
export function Page({ children, hasHeader = false, onRefresh, isRefreshing = false }: PageProps) {
  const palette = usePalette()
  const insets = useSafeAreaInsets()
  const scroll = useRef<ScrollView>(null)
  const content = useRef<View>(null)
  const shown = useRef({ top: 0, height: 0 })
  const reveal = useCallback<Reveal>((view) => {
    if (!content.current) return
    view.measureLayout(content.current, (_x, y, _width, height) => {
      const bottom = y + height + BELOW
      if (bottom > shown.current.top + shown.current.height)
        scroll.current?.scrollTo({ y: bottom - shown.current.height })
    })
  }, [])
  return (
    <KeyboardAvoidingView
      behavior={Platform.OS === 'ios' ? 'padding' : undefined}
      style={[styles.fill, { backgroundColor: palette.ground }]}
    >
      <ScrollView
        ref={scroll}
        onLayout={({ nativeEvent }) => (shown.current.height = nativeEvent.layout.height)}
        onScroll={({ nativeEvent }) => (shown.current.top = nativeEvent.contentOffset.y)}
        scrollEventThrottle={16}
        keyboardShouldPersistTaps="handled"
        contentContainerStyle={styles.grow}
        refreshControl={
          onRefresh ? (
            <RefreshControl refreshing={isRefreshing} onRefresh={onRefresh} tintColor={palette.muted} />
          ) : undefined
        }
      >
        <View
          ref={content}
          style={[
            styles.content,
            { paddingTop: hasHeader ? 16 : insets.top + 20, paddingBottom: insets.bottom + 28 },
          ]}
        >
          <RevealContext.Provider value={reveal}>{children}</RevealContext.Provider>
        </View>
      </ScrollView>
    </KeyboardAvoidingView>
  )
}

const styles = StyleSheet.create({
  fill: { flex: 1 },
  grow: { flexGrow: 1 },
  content: { width: '100%', maxWidth: 560, alignSelf: 'center', flexGrow: 1, paddingHorizontal: 20, gap: 16 },
})
