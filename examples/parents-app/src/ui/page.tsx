import { useHeaderHeight } from '@react-navigation/elements'
import { useCallback, useRef } from 'react'
import type { ReactNode } from 'react'
import {
  KeyboardAvoidingView,
  Platform,
  RefreshControl,
  ScrollView,
  StyleSheet,
  TextInput,
  View,
} from 'react-native'
import type { HostInstance } from 'react-native'
import { useSafeAreaInsets } from 'react-native-safe-area-context'
import { useShowsOld } from '../companion/use-shows-old'
import { useLanguage } from '../i18n/language'
import { usePalette } from '../theme/use-palette'
import { useIsWide } from './columns'
import { FormContext, useForm } from './first-issue'
import { Notice } from './notice'
import { RevealContext, scrollPositionFor } from './reveal'
import type { Reveal } from './reveal'

interface PageProps {
  children: ReactNode
  /** Below a navigation header, the page needs no space at the top. */
  hasHeader?: boolean
  /** The page has `Columns`, which need more width than text does. */
  hasColumns?: boolean
  onRefresh?: (() => void) | undefined
  isRefreshing?: boolean
}

/** The scrolling page of a screen. It stays above the keyboard and no wider than is easy to read. */
export function Page({
  children,
  hasHeader = false,
  hasColumns = false,
  onRefresh,
  isRefreshing = false,
}: PageProps) {
  const { t } = useLanguage()
  const isOld = useShowsOld()
  const isWide = useIsWide()
  const palette = usePalette()
  const insets = useSafeAreaInsets()
  const header = useHeaderHeight()
  const scroll = useRef<ScrollView>(null)
  const content = useRef<View>(null)
  const shown = useRef({ top: 0, height: 0 })
  const reveal = useCallback<Reveal>((view) => {
    if (!content.current) return
    view.measureLayout(content.current, (_x, y, _width, height) => {
      const to = scrollPositionFor(y, height, shown.current)
      if (to !== undefined) scroll.current?.scrollTo({ y: to })
    })
  }, [])
  const form = useForm(reveal)
  const resized = (height: number) => {
    const isKeyboardUp = height < shown.current.height
    shown.current.height = height
    const focused = isKeyboardUp && Platform.OS !== 'web' ? focusedInput() : null
    if (focused) reveal(focused)
  }
  return (
    <KeyboardAvoidingView
      // On Android too: the keyboard does not resize edge-to-edge windows.
      behavior="padding"
      keyboardVerticalOffset={header}
      style={[styles.fill, { backgroundColor: palette.ground }]}
    >
      <ScrollView
        ref={scroll}
        onLayout={({ nativeEvent }) => resized(nativeEvent.layout.height)}
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
            hasColumns && isWide ? styles.wide : null,
            { paddingTop: hasHeader ? 16 : insets.top + 20, paddingBottom: insets.bottom + 28 },
          ]}
        >
          <RevealContext value={reveal}>
            {isOld ? <Notice text={t.states.offlineShown} /> : null}
            <FormContext value={form}>{children}</FormContext>
          </RevealContext>
        </View>
      </ScrollView>
    </KeyboardAvoidingView>
  )
}

/** The focused input. It may be null, although the types say otherwise. */
const focusedInput = (): HostInstance | null => TextInput.State.currentlyFocusedInput()

const styles = StyleSheet.create({
  fill: { flex: 1 },
  grow: { flexGrow: 1 },
  content: { width: '100%', maxWidth: 560, alignSelf: 'center', flexGrow: 1, paddingHorizontal: 20, gap: 16 },
  wide: { maxWidth: 1040, paddingHorizontal: 28 },
})
